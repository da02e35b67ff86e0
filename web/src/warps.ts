// SPDX-License-Identifier: Apache-2.0
// Where a launch stands: blocks, warps, lanes; where lanes that have parted meet again; barriers, and copies under way.
import { draw, grouped, laneRanges, v, type Part, type Sketch } from './dom';
import type { Barrier, Block, Copy, Join, Mbarrier, Split, State, Warp } from './engine';

export interface Actions {
	focus(block: number, warp: number, lane: number): void;
	whoWrote(what: string): void;
	line(line: number): void;
}

const BLOCKS_SHOWN = 512, TREES_SHOWN = 8;

/* --- Lanes ------------------------------------------------------------------------------------------ */

// What a split waits for, in words.
function waits(s: Split): string {
	switch (s.state) {
		case 'barrier': return `at barrier ${s.barrier}`;
		case 'cluster': return 'at the cluster\'s barrier';
		case 'reconvergence': return `to meet lanes ${laneRanges(s.waitsFor ?? 0)}`;
		case 'warp': return `for lanes ${laneRanges(s.waitsFor ?? 0)}`;
		default: return 'on the stack';
	}
}

// What a lane does now: a class and a word; shapes differ as well as colours (style.css).
function laneState(w: Warp, lane: number): [string, string] {
	const bit = 1 << lane;
	if (!(w.exists & bit)) return ['none', 'does not exist'];
	if (!(w.live & bit)) return ['exited', 'has exited'];
	const s = w.splits.find((p) => p.mask & bit);
	if (!s) return ['exited', 'has ended'];
	const at = s.line ? `, line ${s.line}` : '';
	if (s.state === 'ready') return s.next ? ['active', `active${at}`] : ['ready', `ready, but not next${at}`];
	return ['waiting', `waits ${waits(s)}${at}`];
}

function describeSplits(w: Warp): string {
	if (!w.live) return `ended after ${grouped(w.executed)} instructions`;
	return w.splits.map((s) => {
		const who = s.mask === w.exists ? 'all lanes' : lanesWord(s.mask);
		const how = s.state === 'ready' ? (s.next ? 'next' : 'ready') : `wait ${waits(s)}`;
		return `${who}${s.line ? ` at line ${s.line}` : ''}: ${how}`;
	}).join('; ');
}

// The sketches of a block's warps, each with what it was made from: a step changes few of them.
const kept = new Map<number, { from: string; sketch: Sketch }>();

function drawWarp(w: Warp, block: Block, state: State, actions: Actions): Sketch {
	const f = state.focus!, focused = f.warp === w.index && f.block === block.index;
	const from = `${block.index} ${focused ? f.lane : -1} ${JSON.stringify(w)}`, old = kept.get(w.index);
	if (old?.from === from) return old.sketch;
	const sketch = sketchWarp(w, block, focused ? f.lane : -1, actions);
	kept.set(w.index, { from, sketch });
	return sketch;
}

// `lane`: the focused one, if it is this warp's, else -1.
function sketchWarp(w: Warp, block: Block, lane: number, actions: Actions): Sketch {
	const focused = lane >= 0;
	const lanes: Sketch[] = [];
	for (let l = 0; l < 32; l++) {
		const [kind, word] = laneState(w, l), on = lane === l;
		lanes.push(v('button', { type: 'button', className: `lane ${kind}${on ? ' focus' : ''}`, tabindex: on ? 0 : -1,
			title: `lane ${l}: ${word}`, 'aria-label': `warp ${w.index}, lane ${l}: ${word}`, onclick: () => actions.focus(block.index, w.index, l) }));
	}
	return v('div', { className: `warp${focused ? ' focus' : ''}`, role: 'listitem' },
		v('button', { type: 'button', className: 'warp-name', 'aria-pressed': String(focused), onclick: () => actions.focus(block.index, w.index, 0) }, `warp ${w.index}`),
		v('div', { className: 'lanes', role: 'group', 'aria-label': `lanes of warp ${w.index}`, onkeydown: (e: KeyboardEvent) => {
			const d = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
			if (!d) return;
			e.preventDefault();
			const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('.lane:not(.none)')];
			all[all.indexOf(e.target as HTMLElement) + d]?.focus();
		} }, ...lanes),
		v('div', { className: 'splits' }, describeSplits(w)));
}

/* --- Reconvergence ---------------------------------------------------------------------------------- */

// 32 cells: the lanes of `mask`, and those of `missing` dashed.
function strip(mask: number, missing = 0, kind = 'active'): Sketch {
	const cells: Sketch[] = [];
	for (let l = 0; l < 32; l++) cells.push(v('i', { className: (mask >>> l) & 1 ? kind : (missing >>> l) & 1 ? 'missing' : '' }));
	return v('span', { className: 'strip', 'aria-hidden': 'true' }, ...cells);
}

function line(n: number | undefined, actions: Actions): Part {
	return n ? v('button', { type: 'button', className: 'to-line', onclick: () => actions.line(n) }, `line ${n}`) : 'the end';
}

function leaf(s: Split, actions: Actions): Sketch {
	const kind = s.state === 'ready' ? (s.next ? 'active' : 'ready') : 'waiting';
	const how = s.state === 'ready' ? (s.next ? 'next, at ' : 'ready, at ') : `waiting ${waits(s)}, `;
	return v('li', null, strip(s.mask, 0, kind), v('span', { className: 'node' }, `${lanesWord(s.mask)}: ${how}`, line(s.line, actions)));
}

function joinNode(w: Warp, number: number, actions: Actions): Sketch {
	const j = w.joins![number], missing = j.expected & ~j.arrived & w.live;
	return v('li', null, strip(j.arrived, missing, 'waiting'),
		v('span', { className: 'node' }, `${lanesWord(j.expected & w.live)}: ${j.call ? 'return' : 'meet'} at `, line(j.line, actions),
			`: ${j.arrived ? `${lanesWord(j.arrived)} there` : 'none there yet'}, ${missing ? `${lanesWord(missing)} awaited` : 'none awaited'}`),
		branches(w, number, actions));
}

function branches(w: Warp, parent: number, actions: Actions): Sketch {
	const under = (j: Join | Split, of: number | undefined): boolean => (of ?? -1) === parent && j !== undefined;
	return v('ul', null,
		(w.joins ?? []).map((j, k) => (under(j, j.parent) ? joinNode(w, k, actions) : null)),
		w.splits.filter((s) => s.state !== 'reconvergence' && under(s, s.join)).map((s) => leaf(s, actions)));
}

// A listing's stack: the lowest entry is outermost.
function stack(w: Warp, actions: Actions): Part {
	if (!w.stack?.length) return null;
	return v('ol', { className: 'stack', 'aria-label': `Reconvergence stack of warp ${w.index}, the topmost entry first` },
		w.stack.map((e) => v('li', null, strip(e.mask, 0, 'waiting'), v('span', { className: 'node' },
			`${e.kind}: lanes ${laneRanges(e.mask)} go on at `, line(e.line, actions)))));
}

const parted = (w: Warp): boolean => w.live !== 0 && (w.splits.length > 1 || Boolean(w.joins?.length) || Boolean(w.stack?.length));

function drawTrees(b: Block, state: State, actions: Actions): Part {
	const all = b.warps.filter(parted);
	all.sort((x, y) => Number(y.index === state.focus?.warp) - Number(x.index === state.focus?.warp) || x.index - y.index);
	if (!all.length) return null;
	return v('section', { 'aria-label': 'Reconvergence' }, v('h2', null, 'Splits, and where they meet again'),
		all.slice(0, TREES_SHOWN).map((w) => v('div', { className: 'tree' }, v('div', null, v('b', null, `warp ${w.index}`), ` lanes ${laneRanges(w.live)}`),
			branches(w, -1, actions), stack(w, actions))),
		all.length > TREES_SHOWN && v('p', { className: 'dim' }, `and ${all.length - TREES_SHOWN} more warps whose lanes have parted`));
}

/* --- Barriers and copies ---------------------------------------------------------------------------- */

// "2, 5 (lanes 0–3)" for warps of which some or all lanes are meant.
function warpsOf(b: Block, mask: (w: Warp) => number): string {
	const whole: number[] = [], parts: string[] = [];
	for (const w of b.warps) {
		const m = mask(w);
		if (!m) continue;
		if (m === w.live) whole.push(w.index);
		else parts.push(`warp ${w.index} (lanes ${laneRanges(m)})`);
	}
	const bits = whole.reduce((m, k) => m | (1 << k), 0);
	return [whole.length ? `${whole.length === 1 ? 'warp' : 'warps'} ${laneRanges(bits)}` : '', ...parts].filter(Boolean).join(', ');
}

function drawBarrier(at: Barrier, b: Block): Sketch {
	const there = (w: Warp) => w.splits.filter((s) => s.state === 'barrier' && s.barrier === at.number).reduce((m, s) => m | s.mask, 0);
	const come = warpsOf(b, there), awaited = warpsOf(b, (w) => w.live & ~there(w));
	const all = b.warps.reduce((n, w) => n + bits(w.live), 0);
	return v('div', { className: 'barrier' }, v('b', null, `barrier ${at.number} `),
		v('meter', { min: 0, max: at.expected, value: at.arrived, 'aria-label': `barrier ${at.number}: threads that have come` }),
		` ${grouped(at.arrived)} of ${grouped(at.expected)} threads have come; completed ${at.completed === 1 ? 'once' : `${grouped(at.completed)} times`}`,
		at.arrived > 0 && v('div', { className: 'who-list' }, `Here: ${come || 'none waits'}${at.arrived > 0 && !come ? ' (they have arrived and gone on)' : ''}. `,
			at.arrived < at.expected && (at.expected < all ? `Awaited: ${grouped(at.expected - at.arrived)} threads of ${awaited}.` : `Awaited: ${awaited}.`)));
}

function bits(mask: number): number {
	let n = 0;
	for (let m = mask >>> 0; m; m &= m - 1) n++;
	return n;
}

const lanesWord = (mask: number): string => `${bits(mask) === 1 ? 'lane' : 'lanes'} ${laneRanges(mask)}`;
const warpWord = (mask: number): string => `${bits(mask) === 1 ? 'warp' : 'warps'} ${laneRanges(mask)}`;

function drawMbarrier(at: Mbarrier): Sketch {
	const come = at.expected - at.pending;
	return v('div', { className: 'barrier' }, v('b', null, `mbarrier 0x${at.address.toString(16)} `),
		v('meter', { min: 0, max: Math.max(1, at.expected), value: come, 'aria-label': `mbarrier at 0x${at.address.toString(16)}: arrivals` }),
		` ${grouped(come)} of ${grouped(at.expected)} arrivals${at.bytes ? `, ${grouped(at.bytes)} bytes still to come` : ''}; completed ${at.completed === 1 ? 'once' : `${grouped(at.completed)} times`}`,
		v('div', { className: 'who-list' },
			`Here: ${[at.came ? warpWord(at.came) : '', at.others ? 'warps of other blocks' : ''].filter(Boolean).join(', ') || 'none'}. `,
			`Awaited: ${[at.pending ? `${grouped(at.pending)} ${at.pending === 1 ? 'arrival' : 'arrivals'}` : '', at.bytes ? `${grouped(at.bytes)} bytes` : ''].filter(Boolean).join(' and ') || 'nothing'}. `,
			at.waiting !== 0 && `Waiting for it: ${warpWord(at.waiting)}.`));
}

const endOf = (c: Copy): string => c.mbarrier !== undefined ? `the mbarrier at 0x${c.mbarrier.toString(16)} tells its end`
	: c.kind === 'mbarrier' ? 'no mbarrier counts it yet' : c.committed ? 'its group is closed, and not waited for' : 'its group is open';
const kinds: Record<string, string> = { 'cp.async': 'cp.async', bulk: 'bulk copy', mbarrier: 'copy with mbarrier', wgmma: 'wgmma' };

function drawCopies(b: Block, actions: Actions): Part {
	if (!b.copies?.length) return null;
	const rows = new Map<string, { copy: Copy; warps: number; lanes: number; bytes: number; count: number }>();
	for (const c of b.copies) {
		const key = `${c.line}:${c.kind}:${endOf(c)}`, row = rows.get(key) ?? { copy: c, warps: 0, lanes: 0, bytes: 0, count: 0 };
		row.warps |= 1 << c.warp;
		row.lanes |= c.lanes | c.reading;
		row.bytes += c.globalBytes;
		row.count++;
		rows.set(key, row);
	}
	return v('section', { 'aria-label': 'Asynchronous operations' }, v('h2', null, 'Under way, not waited for yet'),
		[...rows.values()].map((r) => v('div', { className: 'copy' }, v('b', null, kinds[r.copy.kind] ?? r.copy.kind), ' of ', line(r.copy.line, actions),
			`: ${warpWord(r.warps)}, lanes ${laneRanges(r.lanes)}${r.count > 1 ? `, ${grouped(r.count)} times` : ''}${r.bytes ? `, ${grouped(r.bytes)} bytes of global memory` : ''}; ${endOf(r.copy)}`)));
}

/* --- The view --------------------------------------------------------------------------------------- */

let keptGrid: { from: string; sketch: Sketch } | null = null;

function drawGrid(state: State, block: Block, actions: Actions): Sketch {
	const blocks = state.blocks!.map((b) => [b.index, b.warps.some((w) => w.live)]);
	const from = JSON.stringify([state.launch!.grid, block.index, blocks]);
	if (keptGrid?.from !== from) keptGrid = { from, sketch: sketchGrid(state, block, actions) };
	return keptGrid.sketch;
}

function sketchGrid(state: State, block: Block, actions: Actions): Sketch {
	const [gx, gy, gz] = state.launch!.grid;
	const all = gx * gy * gz, most = Math.max(...state.blocks!.map((b) => b.index));
	const resident = new Map(state.blocks!.map((b) => [b.index, b]));
	const cells: Sketch[] = [];
	// The blocks around the focused one, if there are too many for all.
	const first = Math.max(0, Math.min(all - BLOCKS_SHOWN, block.index - BLOCKS_SHOWN / 2));
	const last = Math.min(all, first + BLOCKS_SHOWN);
	for (let k = first; k < last; k++) {
		const r = resident.get(k), ended = !r && k < most;
		const live = r?.warps.some((w) => w.live);
		const kind = r ? (live ? 'running' : 'ended') : ended ? 'ended' : 'waiting';
		const name = `block (${k % gx}, ${Math.floor(k / gx) % gy}, ${Math.floor(k / gx / gy)}): ${r ? (live ? 'resident' : 'ended') : ended ? 'ended' : 'not started'}`;
		cells.push(v('button', { type: 'button', className: `block ${kind}${k === block.index ? ' focus' : ''}`, title: name, 'aria-label': name,
			disabled: !r, onclick: () => actions.focus(k, 0, 0) }));
	}
	return v('section', { 'aria-label': 'Grid' },
		v('h2', null, `Grid of ${grouped(all)} ${all === 1 ? 'block' : 'blocks'}`),
		v('div', { className: 'grid' + (gy > 1 && gx <= 32 && all <= BLOCKS_SHOWN ? ' by-x' : ''), style: { '--columns': String(gx) } }, ...cells),
		all > BLOCKS_SHOWN && v('p', { className: 'dim' }, `blocks ${grouped(first)} to ${grouped(last - 1)} are shown`));
}

export function drawWarps(to: HTMLElement, state: State, actions: Actions): void {
	const focus = state.focus, blocks = state.blocks ?? [];
	const block = blocks.find((b) => b.index === focus?.block) ?? blocks[0];
	if (!block || !focus) return draw(to, v('p', { className: 'dim' }, 'No block is resident at this moment.'));
	const barriers = [...block.barriers.map((at) => drawBarrier(at, block)), ...(block.mbarriers ?? []).map(drawMbarrier)];
	draw(to, drawGrid(state, block, actions),
		v('h2', null, `Block (${block.at.join(', ')}): ${grouped(block.threads)} threads in ${block.warps.length} ${block.warps.length === 1 ? 'warp' : 'warps'}`),
		v('div', { className: 'warps', role: 'list', 'aria-label': 'Warps of the block' }, ...block.warps.map((w) => drawWarp(w, block, state, actions))),
		v('p', { className: 'legend' }, ...([['active', 'active'], ['ready', 'ready, not next'], ['waiting', 'waiting'], ['exited', 'exited']] as const)
			.map(([c, t]) => v('span', null, v('span', { className: `lane ${c}` }), ` ${t}`))),
		drawTrees(block, state, actions),
		barriers.length > 0 && v('section', { 'aria-label': 'Barriers' }, v('h2', null, 'Barriers'), ...barriers),
		drawCopies(block, actions));
}
