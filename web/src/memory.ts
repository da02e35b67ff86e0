// SPDX-License-Identifier: Apache-2.0
// Memory: the access about to be executed, by banks or by lines and sectors, and what stands in buffers and variables.
import { draw, v, type Sketch } from './dom';
import type { Access, Variable } from './engine';
import { bytesOf, element } from './values';
import type { Actions } from './warps';

const ROWS_SHOWN = 64;
const hue = (k: number): string => String((k * 137.5 + 200) % 360);
const counted = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

// A word: the lanes that touch it, and the wavefront or transaction that serves them.
interface Touched { lanes: number[]; turn: number }

const offsetOf = (a: Access, address: number): number => (a.space === 'shared' ? address % 2 ** 24 : address);

function collect(a: Access, word: number): Map<number, Touched> {
	const cells = new Map<number, Touched>();
	a.addresses.forEach((address, lane) => {
		if (address === null) return;
		const first = Math.floor(offsetOf(a, address) / word), last = Math.floor((offsetOf(a, address) + Math.max(1, a.width) - 1) / word);
		const turn = (a.wavefront ?? a.transaction)?.[lane] ?? 0;
		for (let at = first; at <= last; at++) {
			const cell = cells.get(at);
			if (cell) cell.lanes.push(lane);
			else cells.set(at, { lanes: [lane], turn });
		}
	});
	return cells;
}

function lanesText(lanes: number[]): string {
	return lanes.length > 2 ? `${lanes[0]}…${lanes[lanes.length - 1]}` : lanes.join(' ');
}

function cellOf(c: Touched | undefined, what: string, unit: string): Sketch {
	if (!c) return v('td', { className: 'empty' });
	return v('td', { className: 'touched', style: { '--hue': hue(c.turn) }, title: `${what}: lanes ${c.lanes.join(', ')}; ${unit} ${c.turn}` },
		v('b', null, lanesText(c.lanes)), v('i', null, c.turn));
}

function table(label: string, className: string, head: Sketch, rows: Sketch[]): Sketch {
	return v('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
		v('table', { className }, v('thead', null, head), v('tbody', null, rows)));
}

function drawShared(a: Access): Sketch {
	const banks = a.banks || 32, word = a.bankBytes || 4, cells = collect(a, word);
	const rows = [...new Set([...cells.keys()].map((k) => Math.floor(k / banks)))].sort((x, y) => x - y);
	const turns = new Set((a.wavefront ?? []).filter((x) => x !== null)).size;
	const load = Array.from({ length: banks }, (_, b) => [...cells.keys()].filter((k) => k % banks === b).length);
	return v('div', null,
		v('p', { className: a.excess ? 'verdict bad' : 'verdict good' },
			`${counted(turns, 'wavefront')}: ${a.excess ? 'bank conflict' : 'no bank conflict'}`,
			banks < 32 && `, ${banks} banks, half-warps apart`, word > 4 && `, banks of ${word} bytes`),
		table('Shared memory: banks across, rows of words down', `banks of-${banks}`,
			v('tr', null, v('th', { scope: 'col' }, 'bank'), load.map((n, b) => v('th', { scope: 'col', className: n > 1 ? 'crowded' : '', title: `bank ${b}: ${counted(n, 'word')}` }, b))),
			rows.slice(0, ROWS_SHOWN).map((r) => v('tr', null,
				v('th', { scope: 'row' }, '0x' + (r * banks * word).toString(16)),
				Array.from({ length: banks }, (_, b) => cellOf(cells.get(r * banks + b), `word 0x${((r * banks + b) * word).toString(16)}, bank ${b}`, 'wavefront'))))),
		rows.length > ROWS_SHOWN && v('p', { className: 'dim' }, `and ${rows.length - ROWS_SHOWN} rows more`));
}

function verdictOfGlobal(a: Access, cells: Map<number, Touched>, lines: number): string {
	const turns = new Set((a.transaction ?? []).filter((x) => x !== null)).size;
	const sectors = new Set([...cells.keys()].map((k) => Math.floor(k / 8))).size;
	switch (a.rule) {
		case 'in order': return `${counted(turns, 'transaction')}: each half-warp has one if lane k wants word k, else one for each lane`;
		case 'segments': return `${counted(turns, 'segment')} of 32, 64 or 128 bytes, for each half-warp its own`;
		case 'lines': return `${counted(sectors, 'segment')} of 32 bytes in ${counted(lines, 'line')} of 128 bytes, ${counted(turns, 'transaction')}`;
		default: return `${counted(sectors, 'sector')} of 32 bytes in ${counted(lines, 'line')} of 128 bytes, ${counted(turns, 'transaction')}`;
	}
}

function drawGlobal(a: Access): Sketch {
	const cells = collect(a, 4);
	const lines = [...new Set([...cells.keys()].map((k) => Math.floor(k / 32)))].sort((x, y) => x - y);
	const part = a.rule === 'sectors' ? 'sector' : '32 bytes';
	return v('div', null,
		v('p', { className: a.excess ? 'verdict bad' : 'verdict good' }, verdictOfGlobal(a, cells, lines.length)),
		table('Global memory: lines of 128 bytes down, sectors of eight words across', 'banks sectors',
			v('tr', null, v('th', { scope: 'col' }, 'line'), [0, 1, 2, 3].map((s) => v('th', { colspan: 8, scope: 'colgroup' }, a.rule === 'sectors' ? `${part} ${s}` : `bytes ${32 * s} to ${32 * s + 31}`))),
			lines.slice(0, ROWS_SHOWN).map((r) => v('tr', null,
				v('th', { scope: 'row' }, '…' + ((r * 128) % 0x1000000).toString(16).padStart(6, '0')),
				Array.from({ length: 32 }, (_, b) => cellOf(cells.get(r * 32 + b), `word ${b}`, 'transaction'))))),
		lines.length > ROWS_SHOWN && v('p', { className: 'dim' }, `and ${lines.length - ROWS_SHOWN} lines more`));
}

// Local memory is interleaved: a word of each of the 32 lanes makes a line. Constants are broadcast, one address a request.
function drawOther(a: Access): Sketch {
	const addresses = [...new Set(a.addresses.filter((x) => x !== null))];
	return v('div', null, v('p', { className: a.excess ? 'verdict bad' : 'verdict good' },
		a.space === 'const' ? `${counted(a.cost, 'request')}: a request serves the lanes that read one address` : `${counted(a.cost, 'sector')} of 32 bytes of local memory`),
		table(`${a.space === 'const' ? 'Constant' : 'Local'} memory: the address of each lane`, 'memory', v('tr', null, v('th', { scope: 'col' }, 'address'), v('th', { scope: 'col' }, 'lanes')),
			addresses.slice(0, ROWS_SHOWN).map((x) => v('tr', null, v('th', { scope: 'row' }, '0x' + x!.toString(16)),
				v('td', null, a.addresses.map((y, l) => (y === x ? l : -1)).filter((l) => l >= 0).join(', '))))));
}

export function drawAccess(to: HTMLElement, a: Access | null, message: string, which: string, own: boolean): void {
	if (!a) return draw(to, v('p', { className: 'dim' }, message));
	draw(to, v('p', null, v('span', { className: 'dim' }, which + ' '), v('code', null, a.instruction), ` line ${a.line}`),
		a.space === 'shared' ? drawShared(a) : a.space === 'global' ? drawGlobal(a) : drawOther(a),
		own && a.cause && v('p', null, v('b', null, 'Why: '), a.cause, a.remedy && `. ${a.remedy}: ${a.cost_then} instead of ${a.cost}`));
}

/* --- What stands there ---------------------------------------------------------------------------------- */

// `first`: the number of the first element shown. Words that the access about to be executed touches show its lanes.
export function drawMemory(to: HTMLElement, place: Variable, bytes: Uint8Array, before: Uint8Array | null, first: number, a: Access | null, actions: Actions): void {
	const size = bytesOf(place.type), banks = a?.space === 'shared' ? a.banks : 32;
	const shared = place.space === 'shared' && size <= 4 * banks;
	const columns = shared ? Math.max(1, Math.floor((banks * 4) / size)) : 8;
	const count = Math.floor(bytes.length / size), rows: Sketch[] = [];
	const touched = a && a.space === place.space ? collect(a, size) : new Map<number, Touched>();
	const base = Math.floor((place.space === 'shared' ? place.address % 2 ** 24 : place.address) / size);
	for (let k = 0; k < count; k += columns) {
		const cells: Sketch[] = [];
		for (let c = 0; c < columns && k + c < count; c++) {
			const at = (k + c) * size, index = first + k + c, by = touched.get(base + index);
			let changed = false;
			for (let b = 0; before && b < size; b++) changed ||= before[at + b] !== bytes[at + b];
			const value = element(bytes, at, place.type), lanes = by ? ` Lanes ${by.lanes.join(', ')} touch it: ${shared ? 'wavefront' : 'transaction'} ${by.turn}.` : '';
			cells.push(v('td', { className: (changed ? 'changed ' : '') + (by ? 'touched' : ''), style: by ? { '--hue': hue(by.turn) } : undefined },
				v('button', { type: 'button', title: `${place.name}[${index}] = ${value}.${lanes} Who wrote it?`, onclick: () => actions.whoWrote(place.name === 'shared' ? `shared[0x${(index * size).toString(16)}]` : `${place.name}[${index}]`) }, value),
				by && v('i', null, lanesText(by.lanes))));
		}
		rows.push(v('tr', null, v('th', { scope: 'row' }, `[${first + k}]`), ...cells));
	}
	const head = v('tr', null, v('th', { scope: 'col' }, shared ? 'bank' : 'index'), Array.from({ length: Math.min(columns, count) }, (_, c) =>
		v('th', { scope: 'col' }, shared ? Math.floor((c * size) / 4) : `+${c}`)));
	draw(to, table(`Memory: ${place.name}`, 'memory', head, rows));
}
