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
	drawn.delete(e);
	e.replaceChildren();
	append(e, children);
}

/* --- Sketches: what is to be seen, of which only the differences are made ------------------------------- */

export interface Sketch { tag: string; props: Props; children: (Sketch | string)[] }
export type Part = Sketch | string | number | null | undefined | false | Part[];

export function v(tag: keyof HTMLElementTagNameMap, props?: Props | null, ...parts: Part[]): Sketch {
	const children: (Sketch | string)[] = [];
	collect(parts, children);
	return { tag, props: props ?? {}, children };
}

function collect(parts: Part[], to: (Sketch | string)[]): void {
	for (const p of parts)
		if (Array.isArray(p)) collect(p, to);
		else if (typeof p === 'object' && p) to.push(p);
		else if (p !== null && p !== undefined && p !== false) to.push(String(p));
}

// What draw() has made of an element's content.
const drawn = new WeakMap<Element, (Sketch | string)[]>();

// Makes the parts the element's content. What stays as it is stays: the focus, too, and how far a region is scrolled.
export function draw(e: Element, ...parts: Part[]): void {
	const now: (Sketch | string)[] = [];
	collect(parts, now);
	const old = drawn.get(e);
	if (!old) e.replaceChildren();
	patch(e, old ?? [], now);
	drawn.set(e, now);
}

function patch(e: Element, old: (Sketch | string)[], now: (Sketch | string)[]): void {
	let node = e.firstChild;
	for (let k = 0; k < Math.max(old.length, now.length); k++) {
		const next: ChildNode | null = node?.nextSibling ?? null;
		const a = old[k], b = now[k];
		if (b === undefined) node!.remove();
		else if (a === b) { /* kept from last time */ }
		else if (a === undefined) e.append(make(b));
		else if (typeof a === 'string' && typeof b === 'string') { if (a !== b) (node as Text).data = b; }
		else if (typeof a === 'object' && typeof b === 'object' && a.tag === b.tag) {
			alter(node as HTMLElement, a.props, b.props);
			patch(node as HTMLElement, a.children, b.children);
		} else node!.replaceWith(make(b));
		node = next;
	}
}

function make(s: Sketch | string): Node {
	if (typeof s === 'string') return document.createTextNode(s);
	const e = document.createElement(s.tag);
	alter(e, {}, s.props);
	for (const c of s.children) e.append(make(c));
	return e;
}

function alter(e: HTMLElement, old: Props, now: Props): void {
	for (const k in now) {
		const a = old[k], b = now[k];
		if (k.startsWith('on')) (e as unknown as Props)[k] = b;
		else if (k === 'style' && b) {
			for (const [name, value] of Object.entries(b as Record<string, string>))
				if ((a as Record<string, string> | undefined)?.[name] !== value) e.style.setProperty(name, value);
		} else if (a !== b) {
			if (b === null || b === undefined || b === false) e.removeAttribute(attribute(k));
			else e.setAttribute(attribute(k), b === true ? '' : String(b));
		}
	}
	for (const k in old)
		if (!(k in now) || (k === 'style' && !now[k])) {
			if (k.startsWith('on')) (e as unknown as Props)[k] = null;
			else e.removeAttribute(attribute(k));
		}
}

const attribute = (name: string): string => (name === 'className' ? 'class' : name);

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
