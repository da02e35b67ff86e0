// SPDX-License-Identifier: Apache-2.0
// The little of Markdown that lessons use, as elements: headings, paragraphs, lists, `code`, **bold**, *emphasis*, and
// fenced blocks, which the caller makes.
import { h } from './dom';

function inline(text: string): Node[] {
	return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)/).filter(Boolean).map((p) =>
		p[0] === '`' && p.length > 1 ? h('code', null, p.slice(1, -1)) : p.startsWith('**') && p.length > 4 ? h('b', null, p.slice(2, -2))
			: p[0] === '*' && p.length > 2 ? h('em', null, p.slice(1, -1)) : document.createTextNode(p));
}

export function markdown(text: string, fence: (word: string, body: string) => Node | null): Node[] {
	const out: Node[] = [];
	const lines = text.split('\n');
	for (let k = 0; k < lines.length; ) {
		const line = lines[k];
		const open = /^```(.*)$/.exec(line);
		if (open) {
			const body: string[] = [];
			for (k++; k < lines.length && !lines[k].startsWith('```'); k++) body.push(lines[k]);
			k++;
			const made = fence(open[1].trim(), body.join('\n') + '\n');
			if (made) out.push(made);
		} else if (/^#+ /.test(line)) {
			const level = line.indexOf(' ');
			out.push(h(level === 1 ? 'h2' : 'h3', null, ...inline(line.slice(level + 1)) as never[]));
			k++;
		} else if (line.startsWith('- ')) {
			const list = h('ul');
			for (; k < lines.length && lines[k].startsWith('- '); k++) {
				let item = lines[k].slice(2);
				while (lines[k + 1]?.startsWith('  ')) item += ' ' + lines[++k].trim();
				list.append(h('li', null, ...inline(item) as never[]));
			}
			out.push(list);
		} else if (line.startsWith('<!--')) {
			while (k < lines.length && !lines[k].includes('-->')) k++;
			k++;
		} else if (line.trim()) {
			let p = line;
			for (k++; k < lines.length && lines[k].trim() && !/^(```|#|- |<!--)/.test(lines[k]); k++) p += ' ' + lines[k];
			out.push(h('p', null, ...inline(p) as never[]));
		} else k++;
	}
	return out;
}
