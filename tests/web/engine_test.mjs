// SPDX-License-Identifier: Apache-2.0
// engine_test.mjs ENGINE PTXSIM: the engine as WebAssembly against the program: samples' bytes, counts, positions and
// registers, and the lessons' questions. Ends with the totals.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { loadEngine } from './engine.mjs';
import { readLessons } from './lessons.mjs';

const [folder, ptxsim] = process.argv.slice(2);
const samples = path.resolve(import.meta.dirname, '../../samples');
const program = path.resolve(ptxsim);
let passed = 0, failed = 0;

function check(name, good, why = '') {
	if (good) passed++;
	else {
		failed++;
		console.log(`FAIL ${name}: ${why}`);
	}
}

// Where two values differ first; '' if nowhere. How long it took, and on how many threads, is left out.
const timing = new Set(['seconds', 'jobs', 'threads_used', 'host_threads', 'instructions_per_second']);
function difference(a, b, at = '') {
	if (typeof a !== typeof b || a === null || b === null || typeof a !== 'object')
		return a === b || (typeof a === 'number' && Math.abs(a - b) <= 1e-9 * Math.abs(a)) ? '' : `${at}: ${JSON.stringify(a)?.slice(0, 80)} and ${JSON.stringify(b)?.slice(0, 80)}`;
	for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) {
		if (timing.has(k)) continue;
		const d = difference(a[k], b[k], `${at}/${k}`);
		if (d) return d;
	}
	return '';
}

const engine = await loadEngine(folder);
const files = fs.readdirSync(samples).filter((f) => /\.(ptx|sass)$/.test(f)).sort();

for (const f of files) {
	const text = fs.readFileSync(path.join(samples, f));
	engine.write(f, text);
	const r = engine.ask({ run: { files: [f], args: [], report: 'json' } });
	check(`${f}: expectations`, r.good && r.checks.every((c) => c.passed) && r.launches.every((l) => !l.faults.length),
		JSON.stringify(r.diagnostics) + JSON.stringify(r.checks?.filter((c) => !c.passed)) + r.printed);
	const native = spawnSync(program, ['run', '--jobs', '1', '--report', 'json', f], { cwd: samples, encoding: 'utf8', maxBuffer: 1 << 28 });
	check(`${f}: counts`, native.status === 0 && !difference(JSON.parse(native.stdout), r.report), native.status ? native.stderr : difference(JSON.parse(native.stdout), r.report));
}

// The debugger's answers at some moments of each sample: the same words.
const walk = ['goto 7', 'info registers', 'info warps', 'goto 61', 'access', 'divergence', 'step', 'step', 'reverse-step', 'info position', 'continue', 'info output', 'goto 3', 'info registers'];
for (const f of files) {
	// Some commands have nothing to show in some samples, which makes the program's status 1.
	const native = spawnSync(program, ['debug', '-batch', '-ex', 'continue', ...walk.flatMap((w) => ['-ex', w]), f], { cwd: samples, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).stdout;
	engine.close();
	let said = '';
	engine.request('initialize');
	engine.request('launch', { program: f, sourceLevel: 'text', stopOnEntry: true });
	engine.request('configurationDone');
	for (const w of walk) said += engine.command(w);
	// The program says what its commands were, and where it stands at first.
	const registers = (s) => s.split('\n').filter((l) => /^\s*%|^\*? +\d+  live/.test(l)).join('\n');
	check(`${f}: moments`, registers(native) === registers(said) && registers(said).length > 0, 'the debugger says something else than the program');
}

// What lines have cost is exact at any moment, within straight pieces of code, too: together as many as were executed.
engine.write('machine.cubin', fs.readFileSync(path.join(samples, '../tests/debug/machine.cubin')));
engine.write('machine.cubin.launch', fs.readFileSync(path.join(samples, '../tests/debug/machine.cubin.launch')));
for (const f of [...files, 'machine.cubin']) {
	engine.close();
	engine.request('initialize');
	engine.request('launch', { program: f, sourceLevel: 'text', stopOnEntry: true, counters: true });
	engine.request('configurationDone');
	let wrong = '';
	for (const at of [1, 2, 3, 7, 19, 33, 34, 35, 61, 128, 300, 517, 5, 0]) {
		engine.command(`goto ${at}`);
		const { state, position } = engine.request('ptxsim_state');
		if (state !== 'stopped') continue;
		const sum = engine.request('ptxsim_lines').lines.reduce((n, l) => n + (l['launch.instructions'] ?? 0), 0);
		if (sum !== position) wrong ||= `${sum} after ${position} instructions`;
	}
	check(`${f}: counts at moments`, !wrong, wrong);
}

// A module keeps what one text did wrong to itself.
engine.close();
const wrong = engine.ask({ check: { name: 'x.ptx', text: '.version 7.0\n.target sm_70\n.entry k() { add.s32 %r1, %r2; }\n' } });
check('errors have places', wrong.diagnostics.length === 2 && wrong.diagnostics[0].line === 3 && wrong.diagnostics[0].column === 22, JSON.stringify(wrong));
check('no such file', engine.ask({ run: { files: ['none.ptx'], args: [] } }).good === false);
check('no such option', engine.ask({ run: { files: [files[0]], args: ['--nonsense', '1'] } }).good === false);
check('options with their value behind =', engine.ask({ run: { files: ['banks.ptx'], args: ['--arch=sm_70', '--check'] } }).good === true);
check('not JSON', engine.ask('x').error !== undefined);
engine.write('loop.ptx', Buffer.from('//@ launch k() grid=1 block=32\n.version 7.0\n.target sm_70\n.visible .entry k() {\nL: bra L;\n}\n'));
const loop = engine.ask({ run: { files: ['loop.ptx'], args: ['--limit', '100000'] } });
check('a loop without end ends', loop.launches?.[0]?.faults.length === 1, JSON.stringify(loop));
engine.write('much.ptx', Buffer.from('//@ let n = 1 << 30\n//@ buffer a u32[n] const 0\n//@ launch k(a) grid=1 block=32\n.version 7.0\n.target sm_70\n.visible .entry k(.param .u64 a) { ret; }\n'));
check('memory has a limit', engine.ask({ run: { files: ['much.ptx'], args: [] } }).good !== true);

for (const lesson of await readLessons()) {
	const run = (text) => {
		engine.write('lesson.ptx', Buffer.from(text));
		const r = engine.ask({ run: { files: ['lesson.ptx'], args: [], report: 'json' } });
		return r.good && r.checks.every((c) => c.passed) && r.launches.every((l) => !l.faults.length);
	};
	check(`${lesson.file}: two questions`, lesson.questions.length === 2);
	lesson.questions.forEach((q, k) => {
		check(`${lesson.file}: question ${k + 1} is open at first`, !run(q.before));
		check(`${lesson.file}: question ${k + 1} has its solution`, run(q.after));
	});
}

// A million elements, and how many thread instructions a second that makes.
engine.write('saxpy.ptx', Buffer.from(fs.readFileSync(path.join(samples, 'saxpy.ptx'), 'utf8').replace(/let n = \d+/, 'let n = 1048576')));
const t = performance.now(), large = engine.ask({ run: { files: ['saxpy.ptx'], args: [] } });
const ran = large.launches[0];
console.log(`saxpy: ${ran.threadInstructions} thread instructions in ${(ran.seconds * 1000).toFixed(1)} ms, ${(ran.threadInstructions / ran.seconds / 1e6).toFixed(0)} M a second; with buffers and expectations ${(performance.now() - t).toFixed(0)} ms`);
check('saxpy of a million', large.good && large.checks.every((c) => c.passed));

console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
