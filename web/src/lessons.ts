// SPDX-License-Identifier: Apache-2.0
// Guided pages: text, kernels that go into the editor, and questions that are answered by changing the kernel: what the
// reader has made is run with the question's expectations added.
import { h, replace } from './dom';
import { markdown } from './markdown';

export interface Lesson { name: string; title: string; text: string }
export interface Host {
	load(name: string, text: string, about: string): void;
	text(): string;
	run(name: string, text: string): Promise<{ good: boolean; why: string }>;
	sample(name: string): void;
	view(tab: string): void;
}

export interface Question { words: string; expects: string[]; hint: string; solution: [string, string][] }

export function readQuestion(body: string): Question {
	const q: Question = { words: '', expects: [], hint: '', solution: [] };
	for (const line of body.split('\n')) {
		if (line.startsWith('expect ')) q.expects.push(line);
		else if (line.startsWith('hint: ')) q.hint = line.slice(6);
		else if (line.startsWith('replace: ')) {
			const m = /^(.*?) =>(?: (.*))?$/.exec(line.slice(9));
			const plain = (s: string) => s.replace(/\\n/g, '\n').replace(/\\t/g, '\t');
			if (m) q.solution.push([plain(m[1]), plain(m[2] ?? '')]);
		} else q.words += line + ' ';
	}
	return q;
}

// The kernel's text with the question's expectations behind its own //@ lines.
export function asked(text: string, q: Question): string {
	const lines = text.split('\n');
	let last = -1;
	lines.forEach((l, k) => { if (l.startsWith('//@')) last = k; });
	lines.splice(last + 1, 0, ...q.expects.map((e) => `//@ ${e}`));
	return lines.join('\n');
}

export function solved(text: string, q: Question): string {
	return q.solution.reduce((t, [a, b]) => t.replace(a, () => b), text);
}

export function showLesson(to: HTMLElement, all: Lesson[], at: number, host: Host, go: (at: number) => void): void {
	const lesson = all[at];
	let kernel = '', questions = 0;
	const nodes = markdown(lesson.text, (word, body) => {
		if (word.startsWith('kernel')) {
			const name = word.split(/\s+/)[1] ?? `${lesson.name}.ptx`;
			const first = !kernel;
			kernel ||= body;
			if (first) host.load(name, body, '');
			return h('p', { className: 'live' }, h('button', { type: 'button', onclick: () => host.load(name, body, '') },
				first ? 'Put the kernel into the editor again' : 'Put this kernel into the editor'), h('span', { className: 'dim' }, ` ${name}`));
		}
		if (word === 'sample') {
			const name = body.trim() || lesson.name;
			return h('p', { className: 'live' }, h('button', { type: 'button', onclick: () => host.sample(name) }, `Put the sample ${name} into the editor`));
		}
		if (word === 'view') return h('p', { className: 'live' }, h('button', { type: 'button', onclick: () => host.view(body.trim()) }, `Show: ${body.trim()}`));
		if (word === 'question') return drawQuestion(readQuestion(body), ++questions, lesson, host);
		return h('pre', null, h('code', null, body));
	});
	replace(to, h('div', { className: 'lesson-head' }, h('span', { className: 'dim' }, `Lesson ${at + 1} of ${all.length}`),
		h('button', { type: 'button', title: 'Close the lesson', 'aria-label': 'Close the lesson', onclick: () => go(-1) }, '✕')), ...nodes,
		h('p', { className: 'lesson-foot' }, at > 0 && h('button', { type: 'button', onclick: () => go(at - 1) }, '← Before'),
			at + 1 < all.length && h('button', { type: 'button', className: 'primary', onclick: () => go(at + 1) }, `Next: ${all[at + 1].title} →`)));
	to.scrollTop = 0;
}

function drawQuestion(q: Question, number: number, lesson: Lesson, host: Host): HTMLElement {
	const key = `lesson:${lesson.name}:${number}`;
	const verdict = h('p', { role: 'status', className: 'verdict' }, localStorage.getItem(key) && h('span', { className: 'dim' }, '✓ Answered before'));
	const check = async () => {
		replace(verdict, 'Running …');
		const r = await host.run(`${lesson.name}.ptx`, asked(host.text(), q));
		verdict.className = `verdict ${r.good ? 'good' : 'bad'}`;
		replace(verdict, r.good ? '✓ Right.' : `✗ Not yet. ${r.why}`);
		if (r.good) localStorage.setItem(key, '1');
	};
	const solve = () => host.load(`${lesson.name}.ptx`, solved(host.text(), q), '');
	return h('div', { className: 'question' }, h('h3', null, `Question ${number}`), h('p', null, q.words.trim()),
		h('p', null, h('button', { type: 'button', className: 'primary', onclick: check }, 'Check my kernel'),
			q.hint && h('details', null, h('summary', null, 'Hint'), q.hint),
			q.solution.length > 0 && h('details', null, h('summary', null, 'Solution'), h('button', { type: 'button', onclick: solve }, 'Change the kernel for me'))),
		verdict);
}
