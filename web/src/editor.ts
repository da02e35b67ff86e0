// SPDX-License-Identifier: Apache-2.0
// The editor: the text with its colours, errors, breakpoints, where the warp stands, and what lines have cost.
import { EditorState, StateEffect, StateField, RangeSet, type Extension } from '@codemirror/state';
import { EditorView, Decoration, GutterMarker, gutter, keymap, lineNumbers, highlightActiveLine, drawSelection, highlightSpecialChars, type DecorationSet } from '@codemirror/view';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { searchKeymap, highlightSelectionMatches } from '@codemirror/search';
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { lintGutter, setDiagnostics, lintKeymap, type Diagnostic } from '@codemirror/lint';
import { HighlightStyle, syntaxHighlighting, bracketMatching, indentUnit } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { language, hover, complete } from './language';

export interface Found { severity: string; message: string; line: number; column: number; end_line: number; end_column: number; hint?: string }

const colours = HighlightStyle.define([
	{ tag: tags.keyword, color: 'var(--code-keyword)' }, { tag: tags.typeName, color: 'var(--code-type)' },
	{ tag: tags.variableName, color: 'var(--code-register)' }, { tag: tags.number, color: 'var(--code-number)' },
	{ tag: tags.comment, color: 'var(--code-comment)', fontStyle: 'italic' }, { tag: tags.meta, color: 'var(--code-meta)', fontWeight: '600' },
	{ tag: tags.string, color: 'var(--code-number)' }, { tag: tags.labelName, color: 'var(--code-label)', fontWeight: '600' },
	{ tag: tags.modifier, color: 'var(--code-label)' },
]);

const setPlaces = StateEffect.define<{ focus: number; others: number[] }>();
const toggleBreak = StateEffect.define<number>();
const setCosts = StateEffect.define<Map<number, Cost>>();

export interface Cost { count: number; conflicts: number; divergent: number }

const here = Decoration.line({ class: 'line-here', attributes: { 'aria-current': 'step' } });
const other = Decoration.line({ class: 'line-other' });
const places = StateField.define<DecorationSet>({
	create: () => Decoration.none,
	update(set, tr) {
		set = set.map(tr.changes);
		for (const e of tr.effects)
			if (e.is(setPlaces)) {
				const lines = new Map<number, Decoration>();
				for (const l of e.value.others) lines.set(l, other);
				lines.set(e.value.focus, here);
				set = Decoration.set([...lines].filter(([l]) => l > 0 && l <= tr.state.doc.lines)
					.sort((a, b) => a[0] - b[0]).map(([l, d]) => d.range(tr.state.doc.line(l).from)));
			}
		return set;
	},
	provide: (f) => EditorView.decorations.from(f),
});

class Break extends GutterMarker {
	override toDOM() {
		const e = document.createElement('span');
		e.className = 'break-point';
		e.title = 'breakpoint';
		return e;
	}
}
const mark = new Break();
const breaks = StateField.define<RangeSet<GutterMarker>>({
	create: () => RangeSet.empty,
	update(set, tr) {
		set = set.map(tr.changes);
		for (const e of tr.effects)
			if (e.is(toggleBreak)) {
				let has = false;
				set.between(e.value, e.value, () => { has = true; });
				set = has ? set.update({ filter: (from) => from !== e.value }) : set.update({ add: [mark.range(e.value)] });
			}
		return set;
	},
});

class CostMark extends GutterMarker {
	constructor(private cost: Cost, private most: number) { super(); }
	// In 16 shades, so that a step leaves most marks as they are.
	private get heat(): number { return Math.round((this.cost.count / this.most) * 16) / 16; }
	override eq(o: CostMark) {
		return o.cost.count === this.cost.count && o.cost.conflicts === this.cost.conflicts && o.cost.divergent === this.cost.divergent && o.heat === this.heat;
	}
	override toDOM() {
		const e = document.createElement('span');
		e.className = 'cost' + (this.cost.conflicts ? ' cost-conflict' : this.cost.divergent ? ' cost-divergent' : '');
		e.textContent = this.cost.count.toLocaleString('en-US') + (this.cost.conflicts ? ' ▲' : this.cost.divergent ? ' ⇆' : '');
		e.title = `executed ${this.cost.count} times by warps` + (this.cost.conflicts ? `, ${this.cost.conflicts} bank conflicts` : '') +
			(this.cost.divergent ? `, diverged ${this.cost.divergent} times` : '');
		e.style.setProperty('--heat', String(this.heat));
		return e;
	}
}
const costs = StateField.define<RangeSet<GutterMarker>>({
	create: () => RangeSet.empty,
	update(set, tr) {
		set = tr.docChanged ? RangeSet.empty : set;
		for (const e of tr.effects)
			if (e.is(setCosts)) {
				const most = Math.max(1, ...[...e.value.values()].map((c) => c.count));
				set = RangeSet.of([...e.value].filter(([l]) => l > 0 && l <= tr.state.doc.lines)
					.sort((a, b) => a[0] - b[0]).map(([l, c]) => new CostMark(c, most).range(tr.state.doc.line(l).from)));
			}
		return set;
	},
});

const MARGIN = 60; // pixels that stay in sight above and below where the warp stands

export class Editor {
	view: EditorView;
	onChange: () => void = () => {};
	onBreakpoints: () => void = () => {};

	// `listed`: a text to look at, not to edit.
	constructor(parent: HTMLElement, private listed = false) {
		this.view = new EditorView({ parent, state: this.state('') });
		this.watchSight();
	}

	private state(doc: string): EditorState {
		const breakGutter = gutter({
			class: 'break-gutter', markers: (v) => v.state.field(breaks), initialSpacer: () => mark,
			domEventHandlers: { mousedown: (v, line) => { this.toggleAt(v.state.doc.lineAt(line.from).number); return true; } },
		});
		const extensions: Extension[] = [
			breaks, costs, places, breakGutter, lineNumbers(), lintGutter(),
			gutter({ class: 'cost-gutter', markers: (v) => v.state.field(costs) }),
			history(), drawSelection(), highlightSpecialChars(), highlightActiveLine(), bracketMatching(), highlightSelectionMatches(),
			indentUnit.of('\t'), EditorState.tabSize.of(4),
			language, syntaxHighlighting(colours), hover, autocompletion({ override: [complete] }),
			keymap.of([
				{ key: 'F9', run: () => { this.toggleAt(this.line()); return true; } },
				...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
			EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': this.listed ? 'Listing of the machine code'
				: 'Kernel, PTX or SASS. Escape, then Tab leaves the editor.' }),
			EditorState.readOnly.of(this.listed),
			EditorView.updateListener.of((u) => { if (u.docChanged) this.onChange(); }),
		];
		return EditorState.create({ doc, extensions });
	}

	get text(): string { return this.view.state.doc.toString(); }
	set text(t: string) { this.view.setState(this.state(t)); }
	line(): number { return this.view.state.doc.lineAt(this.view.state.selection.main.head).number; }

	toggleAt(line: number): void {
		this.view.dispatch({ effects: toggleBreak.of(this.view.state.doc.line(line).from) });
		this.onBreakpoints();
	}

	breakpoints(): number[] {
		const lines: number[] = [];
		this.view.state.field(breaks).between(0, this.view.state.doc.length, (from) => { lines.push(this.view.state.doc.lineAt(from).number); });
		return lines;
	}

	show(found: Found[]): void {
		const doc = this.view.state.doc;
		const at = (line: number, column: number) => {
			const l = doc.line(Math.min(Math.max(line, 1), doc.lines));
			return Math.min(l.from + Math.max(column - 1, 0), l.to);
		};
		const list: Diagnostic[] = found.map((f) => {
			const from = at(f.line, f.column);
			const severity = f.severity === 'error' ? 'error' : f.severity === 'warning' ? 'warning' : 'info';
			return { from, to: Math.max(at(f.end_line, f.end_column), from), severity, message: f.message + (f.hint ? `\n${f.hint}` : '') };
		});
		this.view.dispatch(setDiagnostics(this.view.state, list));
	}

	// Where the focused warp stands, and the others; what the lines have cost.
	stand(focus: number, others: number[], reveal: boolean, lines?: Map<number, Cost>): void {
		const effects: StateEffect<unknown>[] = [setPlaces.of({ focus, others })];
		if (lines) effects.push(setCosts.of(lines));
		if (reveal && focus > 0 && focus <= this.view.state.doc.lines && !this.isSeen(focus))
			effects.push(EditorView.scrollIntoView(this.view.state.doc.line(focus).from, { y: 'nearest', yMargin: MARGIN }));
		this.view.dispatch({ effects });
	}

	// What is scrolled into sight, as it was told last: to ask would make the browser lay out the page at once.
	private sight = { top: 0, height: 0 };

	private watchSight(): void {
		const e = this.view.scrollDOM, look = () => { this.sight = { top: e.scrollTop, height: e.clientHeight }; };
		e.addEventListener('scroll', look, { passive: true });
		new ResizeObserver(look).observe(e);
	}

	// Whether a line stands well within sight, by the editor's own record of heights.
	private isSeen(line: number): boolean {
		const block = this.view.lineBlockAt(this.view.state.doc.line(line).from);
		return block.top >= this.sight.top + MARGIN && block.bottom <= this.sight.top + this.sight.height - MARGIN;
	}
}
