// SPDX-License-Identifier: Apache-2.0
// The kernels and questions of docs/lessons, as the page reads them: its own code, bundled for Node.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';

const top = path.resolve(import.meta.dirname, '../..');
const require = createRequire(path.join(top, 'web/package.json'));

export async function readLessons() {
	const { build } = require('esbuild');
	const out = await build({ entryPoints: [path.join(top, 'web/src/lessons.ts')], bundle: true, format: 'esm', write: false });
	const { readQuestion, asked, solved } = await import('data:text/javascript;base64,' + Buffer.from(out.outputFiles[0].contents).toString('base64'));
	const folder = path.join(top, 'docs/lessons');
	return fs.readdirSync(folder).filter((f) => /^\d.*\.md$/.test(f)).sort().map((file) => {
		const text = fs.readFileSync(path.join(folder, file), 'utf8'), questions = [];
		let kernel = '', kernels = [];
		for (const m of text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)) {
			if (m[1] === 'kernel') kernels.push((kernel = m[3]));
			if (m[1] !== 'question') continue;
			const q = readQuestion(m[3]);
			questions.push({ kernel, solution: solved(kernel, q), before: asked(kernel, q), after: asked(solved(kernel, q), q) });
		}
		return { file, kernels, questions };
	});
}
