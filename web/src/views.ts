// SPDX-License-Identifier: Apache-2.0
// What a moment of the launch looks like: blocks, warps and lanes, registers, the memory access, memory, matrices.
import { h, replace, laneRanges, grouped } from './dom';
import type { Access, Block, Register, State, Variable, Warp } from './engine';
import { bytesOf, element, numberOf, shown, type Format } from './values';

export interface Actions {
	focus(block: number, warp: number, lane: number): void;
	whoWrote(what: string): void;
	line(line: number): void;
}

/* --- Lanes ------------------------------------------------------------------------------------------ */

// What a lane does now: a class and a word; shapes differ as well as colours (style.css).
function laneState(w: Warp, lane: number): [string, string] {
	const bit = 1 << lane;
	if (!(w.exists & bit)) return ['none', 'does not exist'];
	if (!(w.live & bit)) return ['exited', 'has exited'];
	const s = w.splits.find((p) => p.mask & bit);
	if (!s) return ['exited', 'has ended'];
	const at = s.line ? `, line ${s.line}` : '';
	if (s.state === 'ready') return s.next ? ['active', `active${at}`] : ['ready', `ready, but not next${at}`];
	const why = s.state === 'barrier' ? `waits at barrier ${s.barrier}` : s.state === 'reconvergence' ? `waits to reconverge with lanes ${laneRanges(s.waitsFor ?? 0)}`
		: s.state === 'warp' ? `waits for lanes ${laneRanges(s.waitsFor ?? 0)}` : `waits (${s.state})`;
	return ['waiting', why + at];
}

function describeSplits(w: Warp): string {
	if (!w.live) return `ended after ${grouped(w.executed)} instructions`;
	return w.splits.map((s) => {
		const who = s.mask === w.exists ? 'all lanes' : `lanes ${laneRanges(s.mask)}`;
		const how = s.state === 'ready' ? (s.next ? 'next' : 'ready') : s.state === 'barrier' ? `at barrier ${s.barrier}`
			: s.waitsFor !== undefined ? `wait for ${laneRanges(s.waitsFor)}` : `wait (${s.state})`;
		return `${who}${s.line ? ` at line ${s.line}` : ''}: ${how}`;
	}).join('; ');
}

export function drawWarps(to: HTMLElement, state: State, actions: Actions): void {
	const focus = state.focus, blocks = state.blocks ?? [];
	const block = blocks.find((b) => b.index === focus?.block) ?? blocks[0];
	if (!block || !focus) return replace(to, h('p', { className: 'dim' }, 'No block is resident at this moment.'));
	replace(to, drawGrid(state, block, actions),
		h('h3', null, `Block (${block.at.join(', ')}): ${block.threads} threads in ${block.warps.length} ${block.warps.length === 1 ? 'warp' : 'warps'}`),
		h('div', { className: 'warps', role: 'list', 'aria-label': 'Warps of the block' }, ...block.warps.map((w) => drawWarp(w, block, state, actions))),
		drawBarriers(block),
		h('p', { className: 'legend' }, ...([['active', 'active'], ['ready', 'ready, not next'], ['waiting', 'waiting'], ['exited', 'exited']] as const)
			.flatMap(([c, t]) => [h('span', { className: `lane ${c}` }), ` ${t}  `])));
}

function drawGrid(state: State, block: Block, actions: Actions): HTMLElement {
	const [gx, gy, gz] = state.launch!.grid;
	const all = gx * gy * gz, most = Math.max(...state.blocks!.map((b) => b.index));
	const resident = new Map(state.blocks!.map((b) => [b.index, b]));
	const cells: HTMLElement[] = [];
	for (let k = 0; k < Math.min(all, 512); k++) {
		const r = resident.get(k), ended = !r && k < most;
		const live = r?.warps.some((w) => w.live);
		const kind = r ? (live ? 'running' : 'ended') : ended ? 'ended' : 'waiting';
		const name = `block (${k % gx}, ${Math.floor(k / gx) % gy}, ${Math.floor(k / gx / gy)}): ${r ? (live ? 'resident' : 'ended') : ended ? 'ended' : 'not started'}`;
		cells.push(h('button', { type: 'button', className: `block ${kind}${k === block.index ? ' focus' : ''}`, title: name, 'aria-label': name,
			disabled: !r, onclick: () => actions.focus(k, 0, 0) }));
	}
	return h('section', { 'aria-label': 'Grid' },
		h('h3', null, `Grid of ${grouped(all)} ${all === 1 ? 'block' : 'blocks'}`),
		h('div', { className: 'grid' + (gy > 1 && gx <= 32 ? ' by-x' : ''), style: { '--columns': String(gx) } }, ...cells),
		all > 512 && h('p', { className: 'dim' }, `and ${grouped(all - 512)} more`));
}

function drawWarp(w: Warp, block: Block, state: State, actions: Actions): HTMLElement {
	const f = state.focus!, focused = f.warp === w.index && f.block === block.index;
	const lanes: HTMLElement[] = [];
	for (let l = 0; l < 32; l++) {
		const [kind, word] = laneState(w, l);
		lanes.push(h('button', { type: 'button', className: `lane ${kind}${focused && f.lane === l ? ' focus' : ''}`, tabindex: focused ? 0 : -1,
			title: `lane ${l}: ${word}`, 'aria-label': `warp ${w.index}, lane ${l}: ${word}`, onclick: () => actions.focus(block.index, w.index, l) }));
	}
	return h('div', { className: `warp${focused ? ' focus' : ''}`, role: 'listitem' },
		h('button', { type: 'button', className: 'warp-name', 'aria-pressed': focused, onclick: () => actions.focus(block.index, w.index, 0) }, `warp ${w.index}`),
		h('div', { className: 'lanes' }, ...lanes),
		h('div', { className: 'splits' }, describeSplits(w)));
}

function drawBarriers(b: Block): HTMLElement | null {
	if (!b.barriers.length) return null;
	return h('section', { 'aria-label': 'Barriers' }, h('h3', null, 'Barriers'),
		...b.barriers.map((at) => h('div', { className: 'barrier' }, `barrier ${at.number}: `,
			h('meter', { min: 0, max: at.expected, value: at.arrived, 'aria-label': `barrier ${at.number}` }),
			` ${at.arrived} of ${at.expected} threads have come, completed ${grouped(at.completed)} times`)));
}

/* --- Registers -------------------------------------------------------------------------------------- */

export function drawRegisters(to: HTMLElement, list: Register[], before: Map<string, string[]>, state: State, format: Format, filter: string, actions: Actions): void {
	const f = state.focus;
	const warp = state.blocks?.find((b) => b.index === f?.block)?.warps[f?.warp ?? 0];
	const text = f?.instruction ?? '';
	const named = new Set([...text.matchAll(/%[A-Za-z_]\w*/g)].map((m) => m[0]));
	const wanted = list.filter((r) => !filter || r.name.includes(filter));
	wanted.sort((a, b) => Number(named.has(b.name)) - Number(named.has(a.name)));
	const active = warp?.splits.find((s) => s.next)?.mask ?? 0;
	const head = h('tr', null, h('th', { scope: 'col' }, 'lane'), ...Array.from({ length: 32 }, (_, l) =>
		h('th', { scope: 'col', className: f?.lane === l ? 'focus' : '' }, l)));
	const rows = wanted.map((r) => {
		const old = before.get(r.name);
		const numbers = format === 'heat' ? r.lanes.map((x) => numberOf(x, r.type)) : [];
		const finite = numbers.filter(Number.isFinite);
		const low = Math.min(...finite), high = Math.max(...finite);
		return h('tr', { className: named.has(r.name) ? 'named' : '' },
			h('th', { scope: 'row' }, h('button', { type: 'button', className: 'who', title: `Who wrote ${r.name}? Goes back to the instruction that did.`,
				onclick: () => actions.whoWrote(r.name) }, r.name), h('span', { className: 'type' }, `.${r.type}`)),
			...r.lanes.map((x, l) => {
				const changed = old && old[l] !== x;
				const style = format === 'heat' ? { '--heat': String(high > low && Number.isFinite(numbers[l]) ? (numbers[l] - low) / (high - low) : 0.5) } : undefined;
				const value = shown(x, r.type, format === 'heat' ? 'auto' : format);
				return h('td', { className: (changed ? 'changed ' : '') + ((active >>> l) & 1 ? '' : 'off ') + (f?.lane === l ? 'focus ' : '') + (format === 'heat' ? 'heat' : ''),
					style, title: `${r.name}, lane ${l}: ${value} (0x${x})${changed ? ', changed' : ''}` }, format === 'heat' ? '' : value);
			}));
	});
	const at = to.querySelector('.scroll'), left = at?.scrollLeft ?? 0, top = at?.scrollTop ?? 0;
	const scroll = h('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Registers of the warp, a row for each' },
		h('table', { className: 'registers' }, h('thead', null, head), h('tbody', null, ...rows)));
	replace(to, scroll);
	scroll.scrollLeft = left;
	scroll.scrollTop = top;
}

/* --- The access ------------------------------------------------------------------------------------- */

const hue = (k: number): string => String((k * 137.5 + 200) % 360);

// By word: the lanes that touch it, and the wavefront or transaction that serves them.
function collect(a: Access, word: number): Map<number, { lanes: number[]; turn: number }> {
	const cells = new Map<number, { lanes: number[]; turn: number }>();
	a.addresses.forEach((address, lane) => {
		if (address === null) return;
		const at = Math.floor(address / word), cell = cells.get(at);
		const turn = (a.wavefront ?? a.transaction)?.[lane] ?? 0;
		if (cell) cell.lanes.push(lane);
		else cells.set(at, { lanes: [lane], turn });
	});
	return cells;
}

function cellOf(c: { lanes: number[]; turn: number } | undefined, what: string, unit: string): HTMLElement {
	if (!c) return h('td', { className: 'empty' });
	const lanes = c.lanes.length > 2 ? `${c.lanes[0]}…${c.lanes[c.lanes.length - 1]}` : c.lanes.join(' ');
	return h('td', { className: 'touched', style: { '--hue': hue(c.turn) }, title: `${what}: lanes ${c.lanes.join(', ')}; ${unit} ${c.turn}` },
		h('b', null, lanes), h('i', null, c.turn));
}

function drawShared(a: Access): HTMLElement {
	const banks = 32, cells = collect(a, 4);
	const rows = [...new Set([...cells.keys()].map((k) => Math.floor(k / banks)))].sort((x, y) => x - y);
	const turns = Math.max(0, ...(a.wavefront ?? []).map((x) => x ?? 0)) + 1;
	const load = Array.from({ length: banks }, (_, b) => [...cells].filter(([k]) => k % banks === b).length);
	return h('div', null,
		h('p', { className: turns > 1 && a.excess ? 'verdict bad' : 'verdict good' },
			`${turns} ${turns === 1 ? 'wavefront' : 'wavefronts'}: ${turns === 1 || !a.excess ? 'no bank conflict' : 'bank conflict'}`),
		h('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Shared memory: banks across, rows of words down' },
			h('table', { className: 'banks' },
				h('thead', null, h('tr', null, h('th', null, 'bank'), ...load.map((n, b) => h('th', { scope: 'col', className: n > 1 ? 'crowded' : '', title: `bank ${b}: ${n} words` }, b)))),
				h('tbody', null, ...rows.slice(0, 64).map((r) => h('tr', null,
					h('th', { scope: 'row' }, '0x' + (r * banks * 4).toString(16)),
					...Array.from({ length: banks }, (_, b) => cellOf(cells.get(r * banks + b), `word 0x${((r * banks + b) * 4).toString(16)}, bank ${b}`, 'wavefront'))))))),
		rows.length > 64 && h('p', { className: 'dim' }, `and ${rows.length - 64} rows more`));
}

function drawGlobal(a: Access): HTMLElement {
	const cells = collect(a, 4);
	const lines = [...new Set([...cells.keys()].map((k) => Math.floor(k / 32)))].sort((x, y) => x - y);
	const sectors = new Set([...cells.keys()].map((k) => Math.floor(k / 8))).size;
	const turns = new Set((a.transaction ?? []).filter((x) => x !== null)).size;
	return h('div', null,
		h('p', { className: a.excess ? 'verdict bad' : 'verdict good' },
			`${sectors} ${sectors === 1 ? 'sector' : 'sectors'} of 32 bytes in ${lines.length} ${lines.length === 1 ? 'line' : 'lines'} of 128 bytes, ${turns} ${turns === 1 ? 'transaction' : 'transactions'}`),
		h('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Global memory: lines down, sectors of eight words across' },
			h('table', { className: 'banks sectors' },
				h('thead', null, h('tr', null, h('th', null, 'line'), ...[0, 1, 2, 3].map((s) => h('th', { colspan: 8, scope: 'colgroup' }, `sector ${s}`)))),
				h('tbody', null, ...lines.slice(0, 64).map((r) => h('tr', null,
					h('th', { scope: 'row' }, '…' + ((r * 128) % 0x1000000).toString(16).padStart(6, '0')),
					...Array.from({ length: 32 }, (_, b) => cellOf(cells.get(r * 32 + b), `word ${b}`, 'transaction'))))))),
		lines.length > 64 && h('p', { className: 'dim' }, `and ${lines.length - 64} lines more`));
}

export function drawAccess(to: HTMLElement, a: Access | null, message: string, which: string, own: boolean): void {
	if (!a) return replace(to, h('p', { className: 'dim' }, message));
	replace(to, h('p', null, h('span', { className: 'dim' }, which + ' '), h('code', null, a.instruction), ` line ${a.line}`),
		a.space === 'shared' ? drawShared(a) : a.space === 'global' ? drawGlobal(a) : h('p', null, `${a.space} memory: cost ${a.cost}`),
		own && a.cause && h('p', null, h('b', null, 'Why: '), a.cause, a.remedy && `. ${a.remedy}: ${a.cost_then} instead of ${a.cost}`));
}

/* --- Memory ----------------------------------------------------------------------------------------- */

export function drawMemory(to: HTMLElement, v: Variable, bytes: Uint8Array, before: Uint8Array | null, first: number, actions: Actions): void {
	const size = bytesOf(v.type), columns = v.space === 'shared' ? 32 / Math.max(1, size / 4) : 8;
	const count = Math.floor(bytes.length / size), rows: HTMLElement[] = [];
	for (let k = 0; k < count; k += columns) {
		const cells: HTMLElement[] = [];
		for (let c = 0; c < columns && k + c < count; c++) {
			const at = (k + c) * size, index = first + k + c;
			let changed = false;
			for (let b = 0; before && b < size; b++) changed ||= before[at + b] !== bytes[at + b];
			const value = element(bytes, at, v.type);
			cells.push(h('td', { className: changed ? 'changed' : '' }, h('button', { type: 'button', title: `${v.name}[${index}] = ${value}. Who wrote it?`,
				onclick: () => actions.whoWrote(`${v.name}[${index}]`) }, value)));
		}
		rows.push(h('tr', null, h('th', { scope: 'row' }, `[${first + k}]`), ...cells));
	}
	replace(to, h('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Memory: ${v.name}` },
		h('table', { className: 'memory' }, h('tbody', null, ...rows))));
}

/* --- Matrices --------------------------------------------------------------------------------------- */

type Cell = [part: number, row: number, column: number, lane: number, reg: number, text: string];

export function drawMatrix(to: HTMLElement, title: string, cells: Cell[], lane: number): void {
	const parts = [...new Set(cells.map((c) => c[0]))];
	replace(to, h('p', null, h('b', null, title), ` lane ${lane} holds the outlined elements`), ...parts.map((part) => {
		const of = cells.filter((c) => c[0] === part);
		const rows = Math.max(...of.map((c) => c[1])) + 1, columns = Math.max(...of.map((c) => c[2])) + 1;
		const at = new Map(of.map((c) => [c[1] * columns + c[2], c]));
		return h('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': title }, h('table', { className: 'matrix' }, h('tbody', null,
			...Array.from({ length: Math.min(rows, 64) }, (_, r) => h('tr', null, ...Array.from({ length: Math.min(columns, 256) }, (_, c) => {
				const e = at.get(r * columns + c);
				return h('td', { className: e && e[3] === lane ? 'mine' : '', style: { '--hue': hue(e ? e[3] : 0) },
					title: e ? `row ${r}, column ${c}: ${e[5]}, in lane ${e[3]}, register ${e[4]}` : '' }, e ? e[5] : '');
			}))))));
	}));
}
