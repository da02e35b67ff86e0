// SPDX-License-Identifier: Apache-2.0
// The page: what is loaded, run and stepped, and which view of it is shown.
import { append, byId, draw, grouped, h, replace, v } from './dom';
import { Editor, type Cost, type Found } from './editor';
import { Engine, Session, Stopped, type Access, type Answer, type Register, type State, type Variable } from './engine';
import { loadRows } from './language';
import { showLesson, type Lesson } from './lessons';
import { fromFragment, toFragment } from './share';
import { bytesOf, type Format } from './values';
import { drawAccess, drawMemory } from './memory';
import { drawMatrix, drawRegisters } from './registers';
import { drawWarps, type Actions } from './warps';

interface Sample { name: string; title: string; about: string; text: string }
type Tab = 'Warps' | 'Registers' | 'Access' | 'Memory' | 'Matrix' | 'Results' | 'Report';
const tabs: Tab[] = ['Warps', 'Registers', 'Access', 'Memory', 'Matrix', 'Results', 'Report'];

const LIMIT = 20_000_000; // warp instructions of a launch, unless the options say otherwise
const SPACING = 16_384; // warp instructions between checkpoints: what dragging has to run again at most
const AHEAD = 4_000_000; // launches up to this long are run through once, so that there are checkpoints everywhere
const STOPPABLE = 80; // ms from which on Stop can be pressed
const PAGE_BYTES = 1024; // of memory shown at once

const engine = new Engine();
const session = new Session(engine);
const editor = new Editor(byId('editor'));
const listing = new Editor(byId('code'), true);
const status = byId('status'), panel = byId('panel'), slider = byId<HTMLInputElement>('when');

let samples: Sample[] = [], lessons: Lesson[] = [];
let name = 'kernel.ptx';
let image: Uint8Array | null = null; // machine code that was opened: the editor has its launches
let tab: Tab = 'Warps';
let state: State | null = null;
let registers: Register[] = [];
let before = new Map<string, string[]>(), beforeKey = '';
let access: Access | null = null, accessMessage = '', accessWhich = '';
let variables: Variable[] = [];
let totals: number[] = [];
let result: any = null;
let live = false; // a session stands at a moment of this very text
let format: Format = 'auto', filter = '', arch = '', operand = 'D', variable = '', offset = 0;
let shownMemory: { key: string; bytes: Uint8Array } | null = null;
let playing = 0;

const say = (text: string, bad = false): void => {
	replace(status, text);
	status.className = bad ? 'bad' : '';
};

// Where the launch stands is shown: in the kernel's text, or in the listing of machine code.
const code = (): Editor => (image ? listing : editor);

const path = (): string => '/' + name.replace(/[^\w.-]/g, '_');

function words(text: string): string[] {
	return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((m) => m[1] ?? m[2] ?? m[3]);
}
function options(): string[] {
	const list = words(byId<HTMLInputElement>('options').value);
	return valueOf(list, '--limit') ? list : [...list, '--limit', String(LIMIT)];
}

// What an option is given, behind it or behind '='.
function valueOf(list: string[], option: string): string | undefined {
	const at = list.findIndex((w) => w === option || w.startsWith(`${option}=`));
	return at < 0 ? undefined : list[at] === option ? list[at + 1] : list[at].slice(option.length + 1);
}

/* --- Checking and running ------------------------------------------------------------------------------- */

// Work that ends in the panel: until it is drawn, screen readers (and tests) wait.
let drawing = 0;
async function drawn(work: Promise<unknown>): Promise<void> {
	panel.setAttribute('aria-busy', String(++drawing > 0));
	try {
		await work;
	} catch (e) {
		if (!(e instanceof Stopped)) say((e as Error).message, true); // Stop ends what was asked: whoever waited for it need not be told
	}
	panel.setAttribute('aria-busy', String(--drawing > 0));
}
const quietly = (work: Promise<unknown>): void => void drawn(work);

let checkTimer = 0;
function checkSoon(): void {
	clearTimeout(checkTimer);
	checkTimer = window.setTimeout(() => quietly(check()), 300);
}

async function check(): Promise<boolean> {
	if (image) return true;
	const wanted = valueOf(options(), '--arch');
	const body = await engine.ask({ check: { name, text: editor.text, ...(wanted ? { arch: wanted } : {}) } });
	const found: Found[] = body.diagnostics ?? [];
	editor.show(found);
	showProblems(found);
	return !found.some((f) => f.severity === 'error');
}

function showProblems(found: Found[]): void {
	replace(byId('problems'), ...found.slice(0, 20).map((f) => h('button', { type: 'button', className: `problem ${f.severity}`, onclick: () => {
		const l = editor.view.state.doc.line(Math.min(Math.max(1, f.line), editor.view.state.doc.lines));
		editor.view.dispatch({ selection: { anchor: Math.min(l.from + Math.max(0, f.column - 1), l.to) }, scrollIntoView: true });
		editor.view.focus();
	} }, h('b', null, `${f.line}:${f.column} ${f.severity}`), ` ${f.message}${f.hint ? ` (${f.hint})` : ''}`)));
}

function stale(): void {
	if (!live) return;
	live = false;
	pause();
	code().stand(0, [], false);
	say('Edited: run again to step through this text.');
	enable();
}

async function runText(file: string, text: string, report: string | null): Promise<any> {
	await engine.write(image ? `${file}.launch` : file, text);
	if (image) await engine.write(file, image);
	return engine.ask({ run: { files: [file], args: options(), ...(report ? { report } : {}) } });
}

function sums(): string {
	const failed = (result?.checks ?? []).filter((c: any) => !c.passed).length, all = (result?.checks ?? []).length;
	const faults = (result?.launches ?? []).reduce((n: number, l: any) => n + l.faults.length, 0);
	if (faults) return `${faults} ${faults === 1 ? 'fault' : 'faults'}: see Results.`;
	return all ? (failed ? `${failed} of ${all} expectations do not hold.` : `${all} of ${all} expectations hold.`) : 'Done.';
}

// One run after the other: each has the engine's one session to itself until it stands at the launch's start.
let running: Promise<void> = Promise.resolve();
const run = (): Promise<void> => (running = drawn(running.then(runNow)));

async function runNow(): Promise<void> {
	pause();
	live = false;
	try {
		if (!(await check())) return say('There are errors.', true);
		say('Running …');
		result = await runText(path(), editor.text, 'json');
		if (!result.good) {
			const found: Found[] = result.diagnostics ?? [];
			editor.show(found);
			showProblems(found);
			showTab('Results');
			return say(result.printed?.split('\n')[0] || 'It cannot be run: see the errors.', true);
		}
		totals = result.launches.map((l: any) => l.instructions);
		const list = byId<HTMLSelectElement>('launch');
		replace(list, ...result.launches.map((l: any, k: number) => h('option', { value: k + 1 }, `${k + 1}: ${l.kernel}`)));
		await begin();
		const n = result.launches.reduce((s: number, l: any) => s + l.threadInstructions, 0), t = result.launches.reduce((s: number, l: any) => s + l.seconds, 0);
		const bad = result.launches.some((l: any) => l.faults.length) || result.checks.some((c: any) => !c.passed);
		say(`${sums()} ${grouped(n)} thread instructions in ${(t * 1000).toFixed(t < 0.01 ? 1 : 0)} ms.`, bad);
		if (bad) showTab('Results');
	} catch (e) {
		if (!(e instanceof Stopped)) say((e as Error).message, true);
	}
	enable();
}

async function begin(): Promise<void> {
	await session.launch(path(), options(), SPACING);
	before = new Map();
	shownMemory = null;
	const total = totals[0] ?? 0;
	if (total > SPACING && total <= AHEAD) await session.batch([cmd(`goto ${total}`), cmd('goto start')]);
	if (image) await list();
	variables = (await session.request('ptxsim_memory')).variables;
	panel.replaceChildren(); // its controls may name what is gone
	live = true;
	await inTurn(async () => {
		await setBreakpoints();
		await refresh();
	});
}

// Machine code has no text of its own: the debugger's listing is shown. Its breakpoints stay as long as it does.
async function list(): Promise<void> {
	const [a] = await session.batch([{ command: 'ptxsim_text' }]), text = a.success ? (a.body.lines as string[]).map((l) => l.replace(/^\s+/, '  ').replace(/(\*\/)\s+/, '$1  ')).join('\n') : '';
	if (listing.text !== text) listing.text = text;
	byId('code').hidden = !text;
}

const cmd = (line: string) => ({ command: 'evaluate', arguments: { expression: line, context: 'repl' } });

/* --- Time ----------------------------------------------------------------------------------------------- */

const moves: Record<string, Motion> = {
	start: 'goto start', step: 'step', back: 'reverse-step', line: 'step-line', 'back-line': 'reverse-step-line',
	continue: 'continue', 'back-continue': 'reverse-continue', barrier: 'to-barrier', 'back-barrier': 'reverse-barrier', block: 'step-block', warp: 'to-warp', 'back-warp': 'reverse-warp',
	any: () => `goto ${(state?.position ?? 0) + 1}`, 'back-any': () => `goto ${Math.max(0, (state?.position ?? 0) - 1)}`,
	end: () => `goto ${total()}`,
};

const total = (): number => Math.max(totals[(state?.launch?.number ?? 1) - 1] ?? 0, state?.furthest ?? 0);

// A motion: commands of the console, or what finds them once those before it are done.
type Motion = string | (() => string);
let moving = false;
let waiting: { make: () => Promise<void>; skippable: boolean }[] = [];

// Whatever moves the session, one at a time, in the order asked. A slider that is dragged and a key that is held down ask
// for more than can be drawn: theirs are skippable, and of those in a row that wait, only the last is made.
async function inTurn(make: () => Promise<void>, skippable = false): Promise<void> {
	if (!live) return;
	if (skippable && waiting.at(-1)?.skippable) waiting.pop();
	waiting.push({ make, skippable });
	if (moving) return;
	moving = true;
	await drawn(makeAll());
}

async function makeAll(): Promise<void> {
	try {
		for (let next = waiting.shift(); next && live; next = waiting.shift()) await next.make();
	} catch (e) {
		pause();
		throw e;
	} finally {
		waiting = [];
		moving = false;
	}
}

const move = (motion: Motion, skippable = false): Promise<void> =>
	inTurn(() => refresh(typeof motion === 'string' ? motion : motion()), skippable);

// The moment as it is, after a command of the console.
async function refresh(line?: string): Promise<void> {
	const commands = line ? line.split('\n') : [];
	const requests = [...commands.map(cmd), { command: 'ptxsim_state' }, { command: 'ptxsim_registers' },
		{ command: 'ptxsim_access', arguments: arch ? { arch } : {} }, { command: 'ptxsim_access', arguments: arch ? { last: true, arch } : { last: true } },
		{ command: 'ptxsim_lines' }];
	const answers = await session.batch(requests);
	const said = answers.splice(0, commands.length).pop() ?? null;
	const [s, r, next, last, lines] = answers;
	if (!s.success) throw new Error(s.message);
	state = s.body as State;
	const key = `${state.focus?.block}:${state.focus?.warp}:${state.launch?.number}`;
	before = key === beforeKey ? new Map(registers.map((x) => [x.name, x.lanes])) : new Map();
	beforeKey = key;
	registers = r.success ? r.body.registers : [];
	access = next.success ? next.body : last.success ? last.body : null;
	if (access?.space === 'constant') access.space = 'const'; // as variables name it
	accessWhich = next.success ? 'about to be executed:' : 'executed last:';
	accessMessage = next.message ?? '';
	const costs = new Map<number, Cost>();
	if (lines.success)
		for (const l of lines.body.lines)
			costs.set(l.line, { count: l['launch.instructions'] ?? 0, conflicts: l['shared.conflicts'] ?? 0, divergent: l['branch.divergent'] ?? 0 });
	for (const [l, c] of costs) if (!c.count) costs.delete(l);
	drawTime();
	await drawPanel();
	// Last, because the editor measures the page: so the browser lays it out once.
	const block = state.blocks?.find((b) => b.index === state!.focus?.block);
	const others = (block?.warps ?? []).flatMap((w) => w.splits.map((p) => p.line ?? 0));
	code().stand(state.focus?.line ?? 0, others, true, costs);
	tellMove(said);
}

function tellMove(said: Answer | null): void {
	if (!said || !state) return;
	if (!said.success) return say(said.message ?? '', true);
	const text = String(said.body.result ?? '').trim().split('\n');
	const told = text.find((t) => /error|Breakpoint|written|history|deadlock|out of bounds|ended|cannot|Nothing/i.test(t));
	if (state.state === 'faulted') say(state.fault ?? 'The kernel has failed here.', true);
	else if (told) say(told);
	else say(state.focus?.instruction ? `warp ${state.focus.warp}: ${state.focus.instruction}` : '');
}

function drawTime(): void {
	const most = total(), at = state?.position ?? 0;
	slider.max = String(most);
	slider.value = String(at);
	slider.setAttribute('aria-valuetext', `${grouped(at)} of ${grouped(most)} warp instructions`);
	replace(byId('position'), `${grouped(at)} of ${grouped(most)}`);
	byId<HTMLSelectElement>('launch').value = String(state?.launch?.number ?? 1);
	enable();
}

function enable(): void {
	for (const b of document.querySelectorAll<HTMLButtonElement>('footer button')) b.disabled = !live;
	slider.disabled = !live;
	byId<HTMLSelectElement>('launch').disabled = !live;
}

function pause(): void {
	clearTimeout(playing);
	playing = 0;
	const b = byId('play');
	replace(b, '▷');
	b.setAttribute('aria-label', 'Play');
}

async function play(): Promise<void> {
	if (playing) return pause();
	const b = byId('play');
	replace(b, '❚❚');
	b.setAttribute('aria-label', 'Pause');
	const tick = async () => {
		const rate = Number(byId<HTMLSelectElement>('speed').value), began = performance.now();
		const at = state?.position ?? 0, stride = Math.max(1, Math.round(rate / 30));
		if (at >= total() || !live) return pause();
		await move(rate <= 30 ? (at + 1 <= total() ? `goto ${at + 1}` : 'step') : `goto ${Math.min(total(), at + stride)}`, true);
		if (playing) playing = window.setTimeout(() => void tick(), Math.max(0, 1000 / Math.min(rate, 30) - (performance.now() - began)));
	};
	playing = window.setTimeout(() => void tick(), 0);
}

async function setBreakpoints(): Promise<void> {
	if (!live) return;
	await session.request('setBreakpoints', { source: { path: path() }, breakpoints: code().breakpoints().map((line) => ({ line })) });
}

async function goToLaunch(n: number): Promise<void> {
	if (!live || !state?.launch) return;
	await session.request('setBreakpoints', { source: { path: path() }, breakpoints: [] });
	if (n < state.launch.number || state.state === 'ended') await session.launch(path(), options(), SPACING);
	let now: State = (await session.request('ptxsim_state')) as State;
	while ((now.launch?.number ?? 1) < n && !session.over) {
		await session.command('to-launch');
		now = (await session.request('ptxsim_state')) as State;
	}
	const length = totals[n - 1] ?? 0;
	if (length > SPACING && length <= AHEAD) await session.batch([cmd(`goto ${length}`), cmd('goto start')]);
	await setBreakpoints();
	variables = (await session.request('ptxsim_memory')).variables;
	shownMemory = null;
	await refresh();
}

const actions: Actions = {
	focus: (block, warp, lane) => void move(`block ${block}\nwarp ${warp}\nlane ${lane}`),
	whoWrote: (what) => void move(`who wrote ${what}`),
	line: (line) => code().stand(line, [], true),
};

/* --- Views ------------------------------------------------------------------------------------------------ */

function showTab(t: Tab): void {
	tab = t;
	for (const b of byId('tabs').querySelectorAll('button')) {
		const on = b.textContent === t;
		b.setAttribute('aria-selected', String(on));
		b.tabIndex = on ? 0 : -1;
	}
	panel.setAttribute('aria-label', t);
	panel.replaceChildren();
	quietly(drawPanel());
}

function select(label: string, values: [string, string][], value: string, onchange: (v: string) => void): HTMLElement {
	const s = h('select', { onchange: () => onchange(s.value) }, ...values.map(([v, t]) => h('option', { value: v }, t)));
	s.value = value;
	return h('label', { className: 'field' }, label + ' ', s);
}

// The panel's controls stay as they are while what they show changes.
function body(controls: () => HTMLElement[]): HTMLElement {
	let at = panel.querySelector<HTMLElement>(':scope > .view');
	if (!at) {
		const c = controls();
		replace(panel, c.length ? h('div', { className: 'controls' }, ...c) : null, (at = h('div', { className: 'view' })));
	}
	return at;
}

const archs: [string, string][] = [['', 'as run'], ['sm_10', 'cc 1.0'], ['sm_13', 'cc 1.3'], ['sm_20', 'cc 2.0'], ['sm_30', 'cc 3.0'], ['sm_52', 'cc 5.2'],
	['sm_61', 'cc 6.1'], ['sm_75', 'cc 7.5'], ['sm_80', 'cc 8.0'], ['sm_90', 'cc 9.0']];

async function drawPanel(): Promise<void> {
	if (tab === 'Results') return drawResults(body(() => []));
	if (tab === 'Report') return drawReport();
	if (!live || !state) return replace(panel, h('p', { className: 'dim empty-panel' }, 'Run the kernel: then every moment of its launch can be looked at here.'));
	if (!state.focus && tab !== 'Memory') return replace(panel, h('p', { className: 'dim empty-panel' }, 'The launch is over. Drag the slider back to any moment of it.'));
	if (panel.querySelector(':scope > .empty-panel')) panel.replaceChildren();
	switch (tab) {
		case 'Warps':
			return drawWarps(body(() => []), state, actions);
		case 'Registers':
			return drawRegisters(body(() => [
				select('Shown as', [['auto', 'by type'], ['hex', 'hexadecimal'], ['signed', 'signed'], ['unsigned', 'unsigned'], ['float', 'float'], ['heat', 'heat']], format,
					(v) => { format = v as Format; quietly(drawPanel()); }),
				h('label', { className: 'field' }, 'Find ', h('input', { size: 8, value: filter, spellcheck: 'false', oninput: (e: Event) => { filter = (e.target as HTMLInputElement).value; quietly(drawPanel()); } })),
				h('span', { className: 'dim' }, 'Changed values are marked; a name goes back to who wrote it.'),
			]), registers, before, state, format, filter, actions);
		case 'Access':
			return drawAccess(body(() => [select('Served by', archs, arch, (v) => { arch = v; void move('info position'); }),
				h('span', { className: 'dim' }, 'A cell is a word: the lanes that want it, and in which turn they have it.')]), access, accessMessage, accessWhich, !arch);
		case 'Memory':
			return drawMemoryPanel();
		case 'Matrix': {
			const at = body(() => [select('Operand', ['A', 'B', 'C', 'D'].map((x) => [x, x]), operand, (v) => { operand = v; quietly(drawPanel()); })]);
			const [a] = await session.batch([{ command: 'ptxsim_matrix', arguments: { operand } }]);
			if (a.success) drawMatrix(at, a.body.title, a.body.cells, state.focus?.lane ?? 0);
			else draw(at, v('p', { className: 'dim' }, a.message ?? ''));
		}
	}
}

async function drawMemoryPanel(): Promise<void> {
	if (!variables.length) return replace(panel, h('p', { className: 'dim' }, 'The launch has no buffers and no variables.'));
	let place = variables.find((x) => x.name === variable) ?? variables[0];
	const at = body(() => [
		select('Memory', variables.map((x) => [x.name, `${x.name}: ${x.space}, ${x.type}`]), place.name, (n) => { variable = n; offset = 0; shownMemory = null; quietly(drawPanel()); }),
		h('button', { type: 'button', onclick: () => { offset = Math.max(0, offset - PAGE_BYTES); shownMemory = null; quietly(drawPanel()); } }, '← before'),
		h('button', { type: 'button', onclick: () => { if (offset + PAGE_BYTES < place.size) offset += PAGE_BYTES; shownMemory = null; quietly(drawPanel()); } }, 'next →'),
	]);
	place = variables.find((x) => x.name === variable) ?? place;
	const f = state?.focus, parts = place.memoryReference.split(':');
	const reference = f ? `${place.space}:${f.block}:${f.warp}:${f.lane}:${parts[4]}` : place.memoryReference;
	const [a] = await session.batch([{ command: 'readMemory', arguments: { memoryReference: reference, offset, count: Math.min(PAGE_BYTES, place.size - offset) } }]);
	if (!a.success) return draw(at, v('p', { className: 'dim' }, a.message ?? ''));
	const bytes = Uint8Array.from(atob(a.body.data ?? ''), (c) => c.charCodeAt(0)), key = `${place.name}:${offset}:${f?.block}`;
	drawMemory(at, place, bytes, shownMemory?.key === key ? shownMemory.bytes : null, offset / bytesOf(place.type), ownAccess(place), actions);
	shownMemory = { key, bytes };
}

// Each lane has local memory of its own: what is shown is the focused lane's.
function ownAccess(place: Variable): Access | null {
	if (place.space !== 'local' || !access) return access;
	return { ...access, addresses: access.addresses.map((x, lane) => (lane === state?.focus?.lane ? x : null)) };
}

function drawResults(to: HTMLElement): void {
	if (!result) return replace(to, h('p', { className: 'dim' }, 'Nothing has been run yet.'));
	replace(to,
		...(result.launches ?? []).map((l: any) => h('div', null,
			h('h2', null, `${l.kernel}: ${grouped(l.blocks)} blocks, ${grouped(l.instructions)} warp instructions, ${grouped(l.threadInstructions)} by threads`),
			...l.faults.map((f: string) => h('pre', { className: 'fault' }, f)))),
		(result.checks ?? []).length > 0 && h('h2', null, 'Expectations'),
		...(result.checks ?? []).map((c: any) => h('p', { className: c.passed ? 'check good' : 'check bad' }, c.passed ? '✓ ' : '✗ ', h('code', null, c.text),
			!c.passed && ` ${c.verdict}: ${c.message}`)),
		result.printed && h('h2', null, 'Printed'), result.printed && h('pre', null, result.printed),
		result.buffers && h('h2', null, 'Buffers'), result.buffers && h('pre', null, result.buffers));
}

async function drawReport(): Promise<void> {
	const at = body(() => []);
	replace(at, h('p', { className: 'dim' }, 'Counting …'));
	try {
		const r = await runText(path(), editor.text, 'html');
		if (!r.good || !r.report) return replace(at, h('p', null, 'There is no report: the kernel cannot be run.'));
		const link = h('a', { href: URL.createObjectURL(new Blob([r.report], { type: 'text/html' })), download: name.replace(/\.\w+$/, '') + '-report.html' }, 'Save the report as a page');
		const frame = h('iframe', { title: 'Report', sandbox: 'allow-scripts', srcdoc: r.report });
		replace(at, h('p', null, link), frame);
	} catch (e) {
		if (!(e instanceof Stopped)) replace(at, (e as Error).message);
	}
}

/* --- What is loaded ------------------------------------------------------------------------------------------ */

function load(file: string, text: string, about: string, title = '', code: Uint8Array | null = null): void {
	pause();
	name = file;
	image = code;
	byId<HTMLSelectElement>('samples').value = samples.some((x) => x.name === file && x.text === text) ? file : '';
	live = false;
	result = null;
	variable = '';
	offset = 0;
	editor.text = text;
	listing.text = '';
	byId('code').hidden = true;
	replace(byId('about'), title && h('b', null, title + ' '), about);
	panel.replaceChildren();
	void run();
}

function pickSample(file: string): void {
	const s = samples.find((x) => x.name === file);
	if (s) load(s.name, s.text, s.about, s.title);
}

function openLesson(at: number): void {
	const to = byId('lesson');
	to.hidden = at < 0;
	byId('panes').classList.toggle('with-lesson', at >= 0);
	byId<HTMLSelectElement>('lessons').value = at < 0 ? '' : lessons[at].name;
	if (at < 0) return replace(to);
	history.replaceState(null, '', `#lesson=${lessons[at].name}`);
	showLesson(to, lessons, at, {
		load, text: () => editor.text, sample: pickSample, view: (t) => showTab(t as Tab),
		run: async (file, text) => {
			const r = await runText('/' + file, text, 'json');
			const failed = (r.checks ?? []).filter((c: any) => !c.passed);
			const fault = (r.launches ?? []).flatMap((l: any) => l.faults)[0];
			const why = fault ?? (failed.length ? failed.map((c: any) => `${c.text}: ${c.message}`).join('\n') : (r.diagnostics?.[0]?.message ?? r.printed ?? ''));
			return { good: Boolean(r.good) && !failed.length && !fault, why };
		},
	}, openLesson);
}

const ELF = 0x464c457f, FATBIN = 0xba55ed50;
const LAUNCH = '# What to launch of the machine code, and what to expect; docs/guide.md says how.\n# buffer out u32[32] = 0\n# launch KERNEL(out) grid=1 block=32\n';

async function openFile(f: File | undefined): Promise<void> {
	if (!f) return;
	if (f.size > 4 << 20) return say('The file is larger than 4 MiB.', true);
	const bytes = new Uint8Array(await f.arrayBuffer()), head = new DataView(bytes.buffer);
	const magic = bytes.length >= 4 ? head.getUint32(0, true) : 0;
	if (magic === ELF || magic === FATBIN) return load(f.name, LAUNCH, `${f.name} is machine code. Say here what to launch, then run it.`, '', bytes);
	if (bytes.includes(0)) return say(`${f.name} is neither text nor machine code that can be run here.`, true);
	load(f.name, new TextDecoder().decode(bytes), '');
}

function saveFile(): void {
	const a = h('a', { href: URL.createObjectURL(new Blob([editor.text], { type: 'text/plain' })), download: image ? `${name}.launch` : name });
	a.click();
	URL.revokeObjectURL(a.href);
}

async function share(): Promise<void> {
	if (image) return say('A link holds text; machine code must be sent as a file.', true);
	const fragment = await toFragment({ name, text: editor.text, args: byId<HTMLInputElement>('options').value });
	history.replaceState(null, '', fragment);
	try {
		await navigator.clipboard.writeText(location.href);
		say('The link is copied: it holds the whole kernel.');
	} catch {
		say('The link stands in the address bar: it holds the whole kernel.');
	}
}

const themes = ['system', 'dark', 'light'];
function theme(t: string): void {
	document.documentElement.dataset.theme = t;
	localStorage.setItem('theme', t);
	replace(byId('theme'), t === 'system' ? 'Theme' : t === 'dark' ? 'Dark' : 'Light');
}

function help(): void {
	const d = byId<HTMLDialogElement>('dialog');
	const keys: [string, string][] = [['Ctrl+Enter', 'run'], ['F10, Shift+F10', 'an instruction of the warp on, back'], ['F8, Shift+F8', 'on, back to a breakpoint'],
		['F9', 'a breakpoint on the line'], ['F6', 'play and pause'], ['Alt+1 … Alt+7', 'the views'], ['Escape, then Tab', 'out of the editor'], ['arrows on the slider', 'one instruction; Page Up and Page Down: a tenth']];
	replace(d, h('h2', null, 'ptxsim'), h('p', null, 'Kernels run here, in the page, as an NVIDIA GPU runs them: nothing is sent anywhere. After a run, the slider goes to any warp instruction of the launch, and back.'),
		h('p', null, 'Lines that begin with //@ say what to launch and what to expect.'),
		h('table', null, ...keys.map(([k, t]) => h('tr', null, h('th', null, h('kbd', null, k)), h('td', null, t)))),
		h('button', { type: 'button', className: 'primary', onclick: () => d.close() }, 'Close'));
	d.showModal();
}

function keys(e: KeyboardEvent): void {
	const on = (f: () => void) => { e.preventDefault(); f(); };
	if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) on(() => void run());
	else if (e.key === 'F10') on(() => void move(e.shiftKey ? 'reverse-step' : 'step', e.repeat));
	else if (e.key === 'F8') on(() => void move(e.shiftKey ? 'reverse-continue' : 'continue', e.repeat));
	else if (e.key === 'F6') on(() => void play());
	else if (e.altKey && e.key >= '1' && e.key <= '7') on(() => showTab(tabs[Number(e.key) - 1]));
}

function wire(): void {
	append(byId('tabs'), tabs.map((t) => h('button', { type: 'button', role: 'tab', 'aria-controls': 'panel', onclick: () => showTab(t) }, t)));
	byId('tabs').addEventListener('keydown', (e) => {
		const d = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0;
		if (!d) return;
		showTab(tabs[(tabs.indexOf(tab) + d + tabs.length) % tabs.length]);
		byId('tabs').querySelector<HTMLElement>('[aria-selected=true]')?.focus();
	});
	for (const b of document.querySelectorAll<HTMLElement>('[data-move]'))
		b.addEventListener('click', () => void move(moves[b.dataset.move!]));
	slider.addEventListener('input', () => { pause(); void move(`goto ${slider.value}`, true); });
	byId('run').addEventListener('click', () => void run());
	byId('stop').addEventListener('click', () => { pause(); live = false; engine.stop(); say('Stopped. Run starts again.'); enable(); });
	byId('play').addEventListener('click', () => void play());
	byId('launch').addEventListener('change', (e) => { const n = Number((e.target as HTMLSelectElement).value); void inTurn(() => goToLaunch(n)); });
	byId('samples').addEventListener('change', (e) => { openLesson(-1); history.replaceState(null, '', location.pathname); pickSample((e.target as HTMLSelectElement).value); });
	byId('lessons').addEventListener('change', (e) => openLesson(lessons.findIndex((l) => l.name === (e.target as HTMLSelectElement).value)));
	byId('open').addEventListener('click', () => byId('file').click());
	byId<HTMLInputElement>('file').addEventListener('change', (e) => void openFile((e.target as HTMLInputElement).files?.[0]));
	byId('save').addEventListener('click', saveFile);
	byId('share').addEventListener('click', () => quietly(share()));
	byId('theme').addEventListener('click', () => theme(themes[(themes.indexOf(document.documentElement.dataset.theme ?? 'system') + 1) % 3]));
	byId('help').addEventListener('click', help);
	document.addEventListener('keydown', keys);
	document.addEventListener('dragover', (e) => e.preventDefault());
	document.addEventListener('drop', (e) => { e.preventDefault(); void openFile(e.dataTransfer?.files[0]); });
	editor.onChange = () => { stale(); checkSoon(); };
	editor.onBreakpoints = listing.onBreakpoints = () => void inTurn(setBreakpoints);
	session.onOutput = () => {};
	// Only what takes a while can be stopped: a step draws the page once, not three times.
	let busyTimer = 0;
	engine.onBusy = (busy) => {
		clearTimeout(busyTimer);
		if (busy) busyTimer = window.setTimeout(() => { byId<HTMLButtonElement>('stop').disabled = false; }, STOPPABLE);
		else byId<HTMLButtonElement>('stop').disabled = true;
	};
}

async function start(): Promise<void> {
	theme(localStorage.getItem('theme') ?? 'system');
	wire();
	showTab('Warps');
	enable();
	const [s, l] = await Promise.all([fetch('samples.json').then((r) => r.json()), fetch('lessons.json').then((r) => r.json()), loadRows()]);
	samples = s;
	lessons = l;
	replace(byId('samples'), h('option', { value: '' }, 'own text'), ...samples.map((x) => h('option', { value: x.name }, x.title)));
	replace(byId('lessons'), h('option', { value: '' }, 'none'), ...lessons.map((x, k) => h('option', { value: x.name }, `${k + 1}. ${x.title}`)));
	const given = await fromFragment(location.hash);
	const lesson = lessons.findIndex((x) => location.hash === `#lesson=${x.name}`);
	const file = /^#sample=([\w.]+)$/.exec(location.hash)?.[1];
	const own = document.querySelector<HTMLMetaElement>('meta[name=ptxsim-file]')?.content;
	if (given) {
		byId<HTMLInputElement>('options').value = given.args;
		load(given.name, given.text, '');
	} else if (lesson >= 0) openLesson(lesson);
	else if (own) load(own, await (await fetch('file.txt')).text(), '');
	else pickSample(file ?? 'scan.ptx');
	await engine.ready;
	performance.mark('ready');
	document.documentElement.dataset.ready = '1';
}

void start();
