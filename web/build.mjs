// SPDX-License-Identifier: Apache-2.0
// Puts the page together: node build.mjs ENGINE PTXSIM TO
// ENGINE: the folder with the compiled engine (engine, engine.wasm); PTXSIM: the program, which tells its instructions and
// what a report looks like; TO: the folder to fill. Run by ./dev web.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { section } from './manual.mjs';

const [engine, ptxsim, to] = process.argv.slice(2);
const here = import.meta.dirname, top = path.dirname(here);
fs.mkdirSync(to, { recursive: true });

// Titles and what is said of a sample: its first comment, up to two sentences.
function sample(file) {
	const text = fs.readFileSync(path.join(top, 'samples', file), 'utf8');
	const comment = [];
	for (const line of text.split('\n')) {
		const m = /^(?:\/\/|#)(?!@) ?(.*)/.exec(line);
		if (m && !m[1].startsWith('SPDX')) {
			if (m[1].trim()) comment.push(m[1].trim());
			else if (comment.length) break;
		} else if (!m && comment.length) break;
	}
	const words = comment.join(' '), colon = words.indexOf(':');
	const title = colon > 0 && colon < 48 ? words.slice(0, colon) : file.replace(/\.\w+$/, '').replace(/_/g, ' ');
	const rest = colon > 0 && colon < 48 ? words.slice(colon + 1).trim() : words;
	const about = (rest.match(/[^.]+(\.(?=\s|$)|[^.]$|\.(?=\S)[^.]*)*/g) ?? [rest]).slice(0, 2).join('').trim();
	return { name: file, title: title[0].toUpperCase() + title.slice(1), about: about[0] ? about[0].toUpperCase() + about.slice(1) : '', text };
}
const samples = fs.readdirSync(path.join(top, 'samples')).filter((f) => /\.(ptx|sass)$/.test(f)).map(sample)
	.sort((a, b) => a.title.localeCompare(b.title));
fs.writeFileSync(path.join(to, 'samples.json'), JSON.stringify(samples));

const lessons = fs.readdirSync(path.join(top, 'docs/lessons')).filter((f) => /^\d.*\.md$/.test(f)).sort().map((f) => {
	const text = fs.readFileSync(path.join(top, 'docs/lessons', f), 'utf8');
	return { name: f.replace(/^\d+-|\.md$/g, ''), title: /^# (.*)/m.exec(text)?.[1] ?? f, text };
});
fs.writeFileSync(path.join(to, 'lessons.json'), JSON.stringify(lessons));

const rows = JSON.parse(execFileSync(ptxsim, ['isa', '--json'], { maxBuffer: 1 << 26, encoding: 'utf8' }));
const known = rows.map((r) => ({ form: r.form, operands: r.operands, ptx: r.ptx, sm: r.sm, doc: r.doc, family: r.family, section: section(r.family, r.form) }));
const unknown = rows.filter((r) => section(r.family, r.form) === r.family);
if (unknown.length) throw new Error(`manual.mjs does not name the section of '${unknown[0].family}'`);

// Of listings: a heading, then by instruction two lines, its form and operands, and what is known of it.
let heading = '', form = null;
const machine = [];
for (const line of execFileSync(ptxsim, ['isa', '--sass'], { maxBuffer: 1 << 26, encoding: 'utf8' }).split('\n')) {
	const about = /^ {6}(sm_\d+)(?: to (sm_\d+))?[^,]*, [^.]*\. (.*)$/.exec(line);
	if (/^SASS: /.test(line)) heading = line;
	else if (about && form) machine.push({ form: form[1], operands: form[2], from: about[1], to: about[2] ?? about[1], doc: about[3], family: heading });
	else form = /^ {2}(\S+) *(.*)$/.exec(line) ?? form;
}
fs.writeFileSync(path.join(to, 'isa.json'), JSON.stringify({ ptx: known, sass: machine }));

// The report's page has its scripts within: they may run by their digests, and no other script may.
const report = execFileSync(ptxsim, ['run', '--report', 'html', path.join(top, 'samples/vecadd.ptx')], { maxBuffer: 1 << 26, encoding: 'utf8' });
const digests = [...report.matchAll(/<script>([\s\S]*?)<\/script>/g)].map((m) => `'sha256-${createHash('sha256').update(m[1]).digest('base64')}'`);
const page = fs.readFileSync(path.join(here, 'index.html'), 'utf8').replace('<!--report-scripts-->', digests.join(' '));
fs.writeFileSync(path.join(to, 'index.html'), page);

for (const f of ['style.css', 'icon.svg']) fs.copyFileSync(path.join(here, f), path.join(to, f));
fs.copyFileSync(path.join(engine, 'engine'), path.join(to, 'engine.js'));
fs.copyFileSync(path.join(engine, 'engine.wasm'), path.join(to, 'engine.wasm'));
const common = { bundle: true, minify: true, target: 'es2022', outdir: to, legalComments: 'none', logLevel: 'warning' };
await build({ ...common, entryPoints: [path.join(here, 'src/main.ts')], format: 'esm' });
await build({ ...common, entryPoints: [path.join(here, 'src/engine.worker.ts')], format: 'iife' });
