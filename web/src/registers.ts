// SPDX-License-Identifier: Apache-2.0
// The registers of a warp as rows of 32 cells, and the operands of matrix instructions as matrices.
import { draw, v } from './dom';
import type { Register, State } from './engine';
import { numberOf, shown, type Format } from './values';
import type { Actions } from './warps';

const hue = (k: number): string => String((k * 137.5 + 200) % 360);

/* --- Registers -------------------------------------------------------------------------------------- */

export function drawRegisters(to: HTMLElement, list: Register[], before: Map<string, string[]>, state: State, format: Format, filter: string, actions: Actions): void {
	const f = state.focus;
	const warp = state.blocks?.find((b) => b.index === f?.block)?.warps[f?.warp ?? 0];
	const text = f?.instruction ?? '';
	const named = new Set([...text.matchAll(/%[A-Za-z_]\w*|\bU?[RP]\d+\b/g)].map((m) => m[0]));
	const wanted = list.filter((r) => !filter || r.name.includes(filter));
	wanted.sort((a, b) => Number(named.has(b.name)) - Number(named.has(a.name)));
	const active = warp?.splits.find((s) => s.next)?.mask ?? 0;
	const head = v('tr', null, v('th', { scope: 'col' }, 'lane'), ...Array.from({ length: 32 }, (_, l) =>
		v('th', { scope: 'col', className: f?.lane === l ? 'focus' : '' }, l)));
	const rows = wanted.map((r) => {
		const old = before.get(r.name);
		const numbers = format === 'heat' ? r.lanes.map((x) => numberOf(x, r.type)) : [];
		const finite = numbers.filter(Number.isFinite);
		const low = Math.min(...finite), high = Math.max(...finite);
		return v('tr', { className: named.has(r.name) ? 'named' : '' },
			v('th', { scope: 'row' }, v('button', { type: 'button', className: 'who', title: `Who wrote ${r.name}? Goes back to the instruction that did.`,
				onclick: () => actions.whoWrote(r.name) }, r.name), v('span', { className: 'type' }, `.${r.type}`)),
			...r.lanes.map((x, l) => {
				const changed = old && old[l] !== x;
				const style = format === 'heat' ? { '--heat': String(high > low && Number.isFinite(numbers[l]) ? (numbers[l] - low) / (high - low) : 0.5) } : undefined;
				const value = shown(x, r.type, format === 'heat' ? 'auto' : format);
				return v('td', { className: (changed ? 'changed ' : '') + ((active >>> l) & 1 ? '' : 'off ') + (f?.lane === l ? 'focus ' : '') + (format === 'heat' ? 'heat' : ''),
					style, title: `${r.name}, lane ${l}: ${value} (0x${x})${changed ? ', changed' : ''}` }, format === 'heat' ? '' : value);
			}));
	});
	draw(to, v('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Registers of the warp, a row for each' },
		v('table', { className: 'registers' }, v('thead', null, head), v('tbody', null, ...rows))));
}

/* --- Matrices --------------------------------------------------------------------------------------- */

type Cell = [part: number, row: number, column: number, lane: number, reg: number, text: string];

export function drawMatrix(to: HTMLElement, title: string, cells: Cell[], lane: number): void {
	const parts = [...new Set(cells.map((c) => c[0]))];
	draw(to, v('p', null, v('b', null, title), ` lane ${lane} holds the outlined elements`), ...parts.map((part) => {
		const of = cells.filter((c) => c[0] === part);
		const rows = Math.max(...of.map((c) => c[1])) + 1, columns = Math.max(...of.map((c) => c[2])) + 1;
		const at = new Map(of.map((c) => [c[1] * columns + c[2], c]));
		return v('div', { className: 'scroll', tabindex: 0, role: 'region', 'aria-label': title }, v('table', { className: 'matrix' }, v('tbody', null,
			...Array.from({ length: Math.min(rows, 64) }, (_, r) => v('tr', null, ...Array.from({ length: Math.min(columns, 256) }, (_, c) => {
				const e = at.get(r * columns + c);
				return v('td', { className: e && e[3] === lane ? 'mine' : '', style: { '--hue': hue(e ? e[3] : 0) },
					title: e ? `row ${r}, column ${c}: ${e[5]}, in lane ${e[3]}, register ${e[4]}` : '' }, e ? e[5] : '');
			}))))));
	}));
}
