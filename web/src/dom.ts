// SPDX-License-Identifier: Apache-2.0
// Making elements. All text goes in as text: nothing here, or anywhere in the page, reads markup from a string.

type Child = Node | string | number | null | undefined | false;
type Props = Record<string, unknown>;

function setProperty(e: Element, name: string, value: unknown): void {
	if (value === null || value === undefined || value === false) return;
	if (name.startsWith('on') && typeof value === 'function') e.addEventListener(name.slice(2), value as EventListener);
	else if (name === 'style' && typeof value === 'object')
		for (const [k, v] of Object.entries(value as Record<string, string>)) (e as HTMLElement).style.setProperty(k, v);
	else e.setAttribute(name === 'className' ? 'class' : name, value === true ? '' : String(value));
}

export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props?: Props | null, ...children: Child[]): HTMLElementTagNameMap[K] {
	const e = document.createElement(tag);
	for (const [k, v] of Object.entries(props ?? {})) setProperty(e, k, v);
	append(e, children);
	return e;
}

export function append(e: Element, children: Child[]): void {
	for (const c of children) if (c !== null && c !== undefined && c !== false) e.append(c instanceof Node ? c : String(c));
}

export function replace(e: Element, ...children: Child[]): void {
	e.replaceChildren();
	append(e, children);
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
	const e = document.getElementById(id);
	if (!e) throw new Error(`the page has no element "${id}"`);
	return e as T;
}

// "0-15, 20" for a mask of 32 lanes.
export function laneRanges(mask: number): string {
	const parts: string[] = [];
	for (let k = 0; k < 32; k++) {
		if (!((mask >>> k) & 1)) continue;
		let end = k;
		while (end < 31 && (mask >>> (end + 1)) & 1) end++;
		parts.push(end > k ? `${k}–${end}` : `${k}`);
		k = end;
	}
	return parts.join(', ') || 'none';
}

export const grouped = (n: number): string => n.toLocaleString('en-US');
