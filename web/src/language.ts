// SPDX-License-Identifier: Apache-2.0
// PTX and SASS in the editor: colours, what an instruction is, and what can be typed on. Instructions are those of the
// simulator's table, isa.json.
import { StreamLanguage, type StringStream } from '@codemirror/language';
import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { hoverTooltip } from '@codemirror/view';
import { h } from './dom';

export interface Row { form: string; operands: string; ptx: number; sm: number; doc: string; family: string; section: string }
interface MachineRow { form: string; operands: string; from: string; to: string; doc: string; family: string }
let rows: Row[] = [];
const byOpcode = new Map<string, Row[]>(), machine = new Map<string, MachineRow[]>();

export async function loadRows(): Promise<void> {
	const { ptx, sass } = await (await fetch('isa.json')).json();
	rows = ptx;
	for (const r of sass as MachineRow[]) {
		const word = /^[A-Z0-9_]+/.exec(r.form)?.[0] ?? r.form;
		machine.set(word, [...(machine.get(word) ?? []), r]);
	}
	for (const r of rows) {
		const word = /^[@%]?[A-Za-z_][A-Za-z0-9_]*/.exec(r.form)?.[0] ?? r.form;
		byOpcode.set(word, [...(byOpcode.get(word) ?? []), r]);
	}
}

const spaces = new Set(['.reg', '.shared', '.global', '.local', '.const', '.param', '.align', '.ptr']);

function token(s: StringStream, state: { comment: boolean; start: boolean }): string | null {
	if (state.comment) {
		if (s.skipTo('*/')) { s.match('*/'); state.comment = false; } else s.skipToEnd();
		return 'comment';
	}
	if (s.sol()) state.start = true;
	if (s.eatSpace()) return null;
	if (s.match('//@')) { s.skipToEnd(); return 'meta'; }
	if (s.match('//')) { s.skipToEnd(); return 'comment'; }
	if (s.match('/*')) { state.comment = true; return 'comment'; }
	if (s.match(/^"[^"]*"?/)) return 'string';
	if (s.match(/^@!?%?\w+/)) return 'modifier';
	if (s.match(/^%[A-Za-z_][\w.$]*/)) return 'variableName';
	if (s.match(/^R(Z|\d+)\b|^P[T\d]\b|^SR_\w+/)) return 'variableName';
	if (s.match(/^0[fFdD][0-9a-fA-F]+|^0x[0-9a-fA-F]+U?|^\d+(\.\d+)?(e[+-]?\d+)?U?/)) return 'number';
	if (s.match(/^\$?[A-Za-z_][\w$]*:/)) { state.start = true; return 'labelName'; }
	const directive = s.match(/^\.[A-Za-z_]\w*/) as RegExpMatchArray | null;
	if (directive) return spaces.has(directive[0]) ? 'typeName' : state.start ? 'keyword' : 'typeName';
	const word = s.match(/^[A-Za-z_$][\w$]*/) as RegExpMatchArray | null;
	if (word) {
		const first = state.start;
		state.start = false;
		return first ? 'keyword' : 'name';
	}
	const c = s.next();
	if (c === ';' || c === '{' || c === '}') state.start = true;
	return null;
}

export const language = StreamLanguage.define<{ comment: boolean; start: boolean }>({
	name: 'ptx',
	startState: () => ({ comment: false, start: true }),
	token,
	languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
});

// The rows that an instruction as written may mean: those of its opcode, the ones with most of its words first.
export function rowsOf(written: string): Row[] {
	const words = written.split('.');
	const found = byOpcode.get(words[0]) ?? [];
	const score = (r: Row) => words.slice(1).filter((w) => r.form.includes('.' + w)).length;
	return [...found].sort((a, b) => score(b) - score(a)).slice(0, 3);
}

// What an instruction does, on which types, since when, and where the manual has it.
function described(found: Row[]): HTMLElement {
	return h('div', { className: 'hover' },
		...found.slice(0, 2).map((r) => h('div', null,
			h('code', null, r.form), h('p', null, r.doc),
			r.operands && h('p', { className: 'dim' }, 'Operands: ', h('code', null, r.operands)),
			h('p', { className: 'dim' }, `Since PTX ${r.ptx.toFixed(1)}, for sm_${r.sm} and later. PTX ISA: ${r.section}`))));
}

function describedMachine(found: MachineRow[]): HTMLElement {
	return h('div', { className: 'hover' }, ...found.slice(0, 2).map((r) => h('div', null, h('code', null, `${r.form} ${r.operands}`), h('p', null, r.doc),
		h('p', { className: 'dim' }, `${r.family}, ${r.from}${r.to !== r.from ? ` to ${r.to}` : ''}`))));
}

export const hover = hoverTooltip((view, pos) => {
	const line = view.state.doc.lineAt(pos);
	for (const m of line.text.matchAll(/[A-Za-z_][\w]*(\.[\w:]+)*/g)) {
		const from = line.from + m.index, to = from + m[0].length;
		if (pos < from || pos > to) continue;
		const found = rowsOf(m[0]), native = machine.get(m[0].split('.')[0]) ?? [];
		if (!found.length && !native.length) return null;
		return { pos: from, end: to, above: true, create: () => ({ dom: found.length ? described(found) : describedMachine(native) }) };
	}
	return null;
});

const specials = ['%tid.x', '%tid.y', '%tid.z', '%ntid.x', '%ntid.y', '%ntid.z', '%ctaid.x', '%ctaid.y', '%ctaid.z', '%nctaid.x', '%laneid', '%warpid', '%clock64', '%lanemask_lt', '%smid'];

export function complete(c: CompletionContext): CompletionResult | null {
	const register = c.matchBefore(/%[\w.]*/);
	if (register) {
		const names = new Set(specials);
		for (const m of c.state.doc.toString().matchAll(/%[A-Za-z_]\w*/g)) names.add(m[0]);
		names.delete(register.text);
		return { from: register.from, options: [...names].map((label) => ({ label, type: 'variable' })), validFor: /^%[\w.]*$/ };
	}
	const word = c.matchBefore(/[A-Za-z_][\w.]*/);
	if (!word || (word.from === word.to && !c.explicit)) return null;
	const dot = word.text.lastIndexOf('.');
	if (dot > 0) {
		const found = byOpcode.get(word.text.slice(0, word.text.indexOf('.'))) ?? [];
		const words = new Set(found.flatMap((r) => [...r.form.matchAll(/\.([a-z0-9_:]+)/g)].map((m) => m[1])));
		return { from: word.from + dot + 1, options: [...words].map((label) => ({ label, type: 'type' })), validFor: /^\w*$/ };
	}
	if (/^[A-Z]/.test(word.text))
		return { from: word.from, options: [...machine].map(([label, r]) => ({ label, type: 'keyword', detail: r[0].family, info: r[0].doc })), validFor: /^\w*$/ };
	return {
		from: word.from,
		options: [...byOpcode].map(([label, r]) => ({ label, type: 'keyword', detail: r[0].family, info: r[0].doc })),
		validFor: /^\w*$/,
	};
}
