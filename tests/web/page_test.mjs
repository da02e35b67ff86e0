// SPDX-License-Identifier: Apache-2.0
// page_test.mjs PAGE [BROWSER [PICTURES]]: the page in a real browser, chromium or firefox. PICTURES: a folder for
// screenshots. Ends with the totals.
import fs from 'node:fs';
import path from 'node:path';
import { readLessons } from './lessons.mjs';
import { at, drop, go, openBrowser, position, require, rests, slide, tab, until, write } from './browser.mjs';

const [page, name = 'chromium', pictures] = process.argv.slice(2);
const top = path.resolve(import.meta.dirname, '../..');
const b = await openBrowser(page, name);
let passed = 0, failed = 0;

async function test(title, f) {
	try {
		await f();
		passed++;
	} catch (e) {
		failed++;
		console.log(`FAIL ${name}: ${title}: ${e.message.split('\n').slice(0, 3).join(' ')}`);
	}
}
function is(good, why) {
	if (!good) throw new Error(why);
}
// The result of what ran before must not be taken for this one's.
const sample = async (p, file) => {
	await p.evaluate(() => { document.getElementById('status').textContent = ''; });
	await p.selectOption('#samples', file);
	await until(p, 'expectations? hold');
};
const panelSays = (p, words) => p.waitForFunction((w) => new RegExp(w).test(document.getElementById('panel').textContent), words, { timeout: 20000 });
const code = (body, head = '') => `${head}.version 8.0\n.target sm_80\n.address_size 64\n${body}`;

let p;
await test('loads and runs', async () => {
	p = await b.open();
	await until(p, 'expectations hold');
	is((await p.$$eval('.lane', (l) => l.length)) > 32, 'no lanes are drawn');
});
await test('all samples are in the menu, each with a title and what it is about', async () => {
	const wanted = fs.readdirSync(path.join(top, 'samples')).filter((f) => /\.(ptx|sass)$/.test(f)).sort();
	const there = await p.$$eval('#samples option', (l) => l.map((o) => o.value).filter(Boolean).sort());
	is(String(there) === String(wanted), there.join());
	const about = JSON.parse(fs.readFileSync(path.join(page, 'samples.json'), 'utf8')).filter((s) => s.about.length < 30 || !s.title);
	is(!about.length, about.map((s) => s.name).join());
});

/* --- Time ----------------------------------------------------------------------------------------- */

await test('steps on and back: instruction, line, any warp, other warp, barrier, all warps', async () => {
	await go(p, 'start');
	await go(p, 'step');
	await at(p, 1);
	await p.keyboard.press('F10');
	await at(p, 2);
	await go(p, 'back');
	await at(p, 1);
	is((await p.$$eval('.line-here', (l) => l.length)) === 1, 'no line is marked');
	await go(p, 'any');
	await at(p, 2);
	await go(p, 'back-any');
	await at(p, 1);
	await go(p, 'line');
	await at(p, 2);
	await go(p, 'back-line');
	await at(p, 1);
	const warp = () => p.textContent('.warp.focus .warp-name');
	const first = await warp();
	await go(p, 'warp');
	await p.waitForFunction((w) => document.querySelector('.warp.focus .warp-name').textContent !== w, first);
	await go(p, 'back-warp');
	await p.waitForFunction((w) => document.querySelector('.warp.focus .warp-name').textContent === w, first);
	const here = await position(p); // at a barrier already, as warps change there
	await go(p, 'barrier');
	const there = await position(p);
	is(there > here && /bar\.sync/.test(await p.textContent('.line-here')), `${there}, ${await p.textContent('.line-here')}`);
	await go(p, 'step');
	await go(p, 'back-barrier');
	await at(p, there);
	await go(p, 'block');
	is((await position(p)) > there, 'all warps have not gone on');
	await go(p, 'end');
	await p.waitForFunction(() => { const [x, y] = document.getElementById('position').textContent.split(' of '); return x === y; });
	await go(p, 'start');
	await at(p, 0);
});
await test('clicks that come faster than the page draws: each counts, from where the one before ends', async () => {
	const click = (...names) => p.evaluate((l) => { for (const n of l) document.querySelector(`[data-move=${n}]`).click(); }, names);
	await slide(p, 0);
	await click('step', 'step', 'step');
	await at(p, 3);
	await click('any', 'any', 'back-any', 'any');
	await at(p, 5);
	await click('back', 'back', 'start');
	await at(p, 0);
	await p.evaluate(() => { for (let k = 0; k < 50; k++) document.dispatchEvent(new KeyboardEvent('keydown', { key: 'F10', repeat: k > 0 })); });
	await at(p, 2);
	await slide(p, 0);
});
await test('Run pressed again while it runs, and moves asked for at once: the last run is stepped', async () => {
	await p.evaluate(() => {
		document.getElementById('status').textContent = '';
		for (let k = 0; k < 3; k++) document.getElementById('run').click();
		new MutationObserver((_, o) => { o.disconnect(); for (let k = 0; k < 2; k++) document.querySelector('[data-move=step]').click(); })
			.observe(document.getElementById('position'), { childList: true, characterData: true, subtree: true });
	});
	await until(p, 'expectations hold');
	await rests(p);
	await go(p, 'end');
	await p.waitForFunction(() => { const [x, y] = document.getElementById('position').textContent.split(' of '); return x === y; });
	await go(p, 'start');
	await go(p, 'step');
	await at(p, 1);
});
await test('drags anywhere', async () => {
	for (const to of [1500, 20, 2600, 700]) await slide(p, to);
});
await test('plays at a chosen speed, and pauses', async () => {
	await slide(p, 100);
	await p.selectOption('#speed', '60');
	await p.click('#play');
	await p.waitForFunction(() => Number(document.getElementById('position').textContent.split(' of ')[0].replace(/\D/g, '')) > 115);
	await p.click('#play');
	is((await p.getAttribute('#play', 'aria-label')) === 'Play', 'it does not pause');
	await p.waitForTimeout(150);
	const stood = await position(p);
	await p.waitForTimeout(400);
	is((await position(p)) === stood, 'it goes on though it is paused');
});
await test('another launch of the same text, also when the slider is dragged before it is there', async () => {
	const choose = (launch, then) => p.evaluate(([n, to]) => {
		const l = document.getElementById('launch'), s = document.getElementById('when');
		l.value = n;
		l.dispatchEvent(new Event('change'));
		if (to === null) return;
		s.value = String(to);
		s.dispatchEvent(new Event('input'));
	}, [launch, then]);
	const stands = (launch, n) => p.waitForFunction(([l, k]) => document.getElementById('launch').value === l && document.getElementById('position').textContent.startsWith(`${k} of`), [launch, n], { timeout: 20000 });
	await sample(p, 'banks.ptx');
	for (const launch of ['4', '2', '5']) {
		await choose(launch, 10);
		await stands(launch, 10);
	}
	await p.selectOption('#launch', '3');
	await stands('3', 0);
});

/* --- Seeing --------------------------------------------------------------------------------------- */

await test('grid, blocks, warps and lanes: where each stands, in shape as well as colour', async () => {
	await sample(p, 'mandelbrot.ptx');
	await tab(p, 'Warps');
	await slide(p, 700);
	is((await p.$$eval('.grid .block', (l) => l.length)) >= 4, 'no grid');
	const kinds = new Set(await p.$$eval('.warps .lane', (l) => l.map((e) => e.className.split(' ')[1])));
	is(kinds.has('active'), [...kinds].join());
	const looks = await p.$$eval('.legend .lane', (l) => l.map((e) => { const s = getComputedStyle(e); return s.backgroundImage.slice(0, 20) + s.borderTopStyle + (s.backgroundColor === 'rgba(0, 0, 0, 0)'); }));
	is(new Set(looks).size === looks.length, `states look alike without colour: ${looks}`);
});
await test('reconvergence is a tree: who is there, who is awaited', async () => {
	await write(p, code(`.visible .entry k(.param .u64 out) {
	.reg .b32 %r<6>;\n	.reg .pred %p<3>;
	mov.u32 %r1, %tid.x;\n	mov.u32 %r2, 0;
	setp.lt.u32 %p1, %r1, 12;\n	@!%p1 bra FAR;
	setp.lt.u32 %p2, %r1, 4;\n	@!%p2 bra NEAR;
	add.u32 %r2, %r2, 1;\nNEAR:
	add.u32 %r2, %r2, 2;\n	bra MEET;\nFAR:
	add.u32 %r2, %r2, 4;\nMEET:
	add.u32 %r3, %r2, %r1;\n	ret;\n}\n`, '//@ buffer out u32[32]\n//@ launch k(out) grid=1 block=32\n'));
	await p.click('#run');
	await until(p, 'Done');
	let depth = 0, words = '';
	for (let k = 0; k < 16; k++) {
		depth = Math.max(depth, await p.$$eval('.tree ul ul', (l) => l.length));
		words += await p.$$eval('.tree', (l) => l.map((e) => e.textContent).join());
		await go(p, 'any');
	}
	is(depth >= 2, 'no split within a split is drawn');
	is(/meet at line 2\d/.test(words) && /there, .* awaited/.test(words), words.slice(0, 300));
});
await test('barriers: who has come, who is awaited', async () => {
	await sample(p, 'scan.ptx');
	await go(p, 'barrier');
	await go(p, 'any');
	await panelSays(p, 'threads have come.*Here: warps? .*Awaited: .*warps? ');
});
await test('mbarriers and copies under way', async () => {
	await sample(p, 'wgmma_ring.ptx');
	await slide(p, 400);
	await panelSays(p, 'mbarrier 0xc018.*1 of 4 arrivals.*Here: warp 0.*Awaited: 3 arrivals.*Waiting for it: warp 4');
	await panelSays(p, 'Under way, not waited for yet.*copy with mbarrier.*8,192 bytes.*mbarrier at 0xc010 tells its end');
	await p.click('.copy .to-line');
	await p.waitForFunction(() => /cp\.async\.bulk/.test(document.querySelector('.line-here')?.textContent ?? ''));
});
await test('registers: 32 cells, changes marked, formats, heat, found by name; who wrote', async () => {
	await sample(p, 'scan.ptx');
	await slide(p, 700);
	await tab(p, 'Registers');
	await p.waitForSelector('.registers tbody tr');
	is((await p.$$eval('.registers tbody tr:first-child td', (c) => c.length)) === 32, 'a row has not 32 cells');
	for (let k = 0; k < 8 && !(await p.$('td.changed')); k++) {
		const n = await position(p);
		await go(p, 'step');
		is((await position(p)) !== n, 'a step stays where it is');
	}
	is(await p.$('td.changed'), 'no change is marked');
	const cell = () => p.textContent('.registers tbody tr:first-child td:nth-child(10)');
	const seen = new Set();
	for (const f of ['hex', 'float', 'signed', 'unsigned']) {
		await p.selectOption('.controls select', f);
		await rests(p);
		seen.add(await cell());
	}
	is(seen.size >= 2, `formats are alike: ${[...seen]}`);
	await p.selectOption('.controls select', 'heat');
	await p.waitForSelector('td.heat');
	await p.selectOption('.controls select', 'auto');
	await p.fill('.controls input', '%rd1');
	await p.waitForFunction(() => [...document.querySelectorAll('.who')].every((e) => e.textContent.includes('%rd1')));
	await p.fill('.controls input', '');
	const before = await position(p);
	await p.click('.registers tr.named .who');
	await rests(p);
	is((await position(p)) < before, 'it does not go back to who wrote');
});
await test('memory: global and shared, the access drawn on it; who wrote a word', async () => {
	await tab(p, 'Memory');
	const places = await p.$$eval('.controls select option', (l) => l.map((o) => o.textContent));
	is(places.some((t) => /: global/.test(t)) && places.some((t) => /: shared/.test(t)), places.join());
	await p.selectOption('.controls select', { label: places.find((t) => /: shared/.test(t)) });
	for (let k = 0; k < 40 && !(await p.$('.memory td.touched')); k++) {
		await go(p, 'step');
	}
	is(await p.$('.memory td.touched'), 'no lane is drawn on shared memory');
	is((await p.$$eval('.memory thead th', (l) => l.length)) === 33, 'shared memory is not drawn as 32 banks');
	await slide(p, 2600);
	const before = await position(p);
	await p.click('.memory tbody td button >> nth=5');
	await rests(p);
	is((await position(p)) < before, 'it does not go back to who wrote');
	is(/st\.shared/.test(await p.textContent('.line-here')), await p.textContent('.line-here'));
});
await test('local and constant memory', async () => {
	await write(p, code(`.const .b32 table[4] = {5, 6, 7, 8};\n.visible .entry k(.param .u64 out) {
	.local .b32 own[8];\n	.reg .b32 %r<6>;\n	.reg .b64 %a, %b;\n	mov.u32 %r1, %tid.x;\n	ld.const.u32 %r2, [table+8];
	and.b32 %r3, %r1, 1;\n	shl.b32 %r4, %r3, 2;\n	mov.u32 %r5, own;\n	add.u32 %r5, %r5, %r4;\n	st.local.u32 [%r5], %r2;\n	ret;\n}\n`,
		'//@ buffer out u32[32]\n//@ launch k(out) grid=1 block=32\n'));
	await p.click('#run');
	await until(p, 'Done');
	const places = await p.$$eval('.controls select option', (l) => l.map((o) => o.textContent));
	is(places.some((t) => /: const/.test(t)) && places.some((t) => /: local/.test(t)), places.join());
	await p.selectOption('.controls select', { label: places.find((t) => /: const/.test(t)) });
	await p.waitForFunction(() => /\[0\]5678/.test(document.querySelector('.memory tbody tr').textContent));
});
await test('accesses of constants are by address, those of local memory by sector', async () => {
	const access = async (words) => {
		await tab(p, 'Access');
		for (let n = 0; n < 20; n++) {
			await slide(p, n);
			await rests(p);
			if ((await p.$('#panel .verdict')) && words.test(await p.textContent('#panel'))) break;
		}
		is(/about to be executed/.test(await p.textContent('#panel')), await p.textContent('#panel'));
		return { verdict: await p.textContent('#panel .verdict'), bad: Boolean(await p.$('#panel .verdict.bad')),
			rows: await p.$$eval('#panel table.memory tbody tr', (l) => l.map((r) => [...r.children].map((c) => c.textContent))) };
	};
	// All lanes read one word, then two; lanes store to one place of their own each, then to two.
	const lanes = Array.from({ length: 32 }, (_, k) => k), odd = lanes.filter((k) => k % 2).join(', '), even = lanes.filter((k) => k % 2 === 0).join(', ');
	let a = await access(/ld\.const/);
	is(/^1 request: /.test(a.verdict) && !a.bad && a.rows.length === 1 && a.rows[0][1] === lanes.join(', '), JSON.stringify(a));
	a = await access(/st\.local/);
	is(/^8 sectors of 32 bytes of local memory/.test(a.verdict) && a.rows.length === 2 && a.rows[0][1] === even && a.rows[1][1] === odd, JSON.stringify(a));
	await write(p, (await p.evaluate(() => { const e = document.querySelector('.cm-content'); return (e.cmTile?.view ?? e.cmView?.view).state.doc.toString(); }))
		.replace('ld.const.u32 %r2, [table+8];', 'and.b32 %r3, %r1, 1;\n\tmul.wide.u32 %a, %r3, 4;\n\tmov.u64 %b, table;\n\tadd.u64 %a, %a, %b;\n\tld.const.u32 %r2, [%a];')
		.replace('and.b32 %r3, %r1, 1;\n\tshl.b32 %r4', 'mov.u32 %r3, 0;\n\tshl.b32 %r4'));
	await p.click('#run');
	await until(p, 'Done');
	a = await access(/ld\.const/);
	is(/^2 requests: /.test(a.verdict) && a.bad && a.rows.length === 2 && a.rows[0][1] === even && a.rows[1][1] === odd, JSON.stringify(a));
	a = await access(/st\.local/);
	is(/^4 sectors/.test(a.verdict) && !a.bad && a.rows.length === 1, JSON.stringify(a));
	await tab(p, 'Memory');
});
await test('a matrix instruction: which lane holds which element', async () => {
	await sample(p, 'mma_tile.ptx');
	await tab(p, 'Matrix');
	await p.evaluate(() => {
		const e = document.querySelector('.cm-content'), v = e.cmTile?.view ?? e.cmView?.view;
		v.focus();
		v.dispatch({ selection: { anchor: v.state.doc.toString().lastIndexOf('mma.sync') } });
	});
	await p.keyboard.press('F9');
	await p.keyboard.press('F8');
	await p.waitForSelector('.matrix td.mine');
	is(await p.$('.matrix td.mine'), 'no matrix is drawn');
	for (const o of ['A', 'B', 'C', 'D']) {
		await p.selectOption('.controls select', o);
		await p.waitForSelector('.matrix td');
	}
});
await test('a conflict is shown, and served otherwise by other architectures', async () => {
	p = await b.open({}, '#lesson=banks');
	await until(p, 'expectation');
	await tab(p, 'Access');
	await slide(p, 420);
	const box = await p.locator('.cm-line', { hasText: 'ld.shared' }).boundingBox();
	const gutter = await p.locator('#editor .break-gutter').boundingBox();
	await p.mouse.click(gutter.x + 6, box.y + box.height / 2);
	await p.waitForSelector('.cm-gutterElement:not([style*=hidden]) > .break-point');
	await go(p, 'continue');
	await p.waitForSelector('#panel .verdict.bad');
	is(/32 wavefronts: bank conflict/.test(await p.textContent('#panel .verdict')), await p.textContent('#panel .verdict'));
	is((await p.$$eval('td.touched', (c) => c.length)) === 32, 'not 32 words are drawn');
	is(/▲/.test(await p.textContent('.cost-gutter')), 'the line is not marked');
	const heads = async () => p.$$eval('.banks thead th', (l) => l.length - 1);
	for (const [arch, banks] of [['sm_10', 16], ['sm_20', 32], ['sm_30', 32], ['sm_90', 32]]) {
		await p.selectOption('.controls select', arch);
		await p.waitForFunction((n) => document.querySelectorAll('.banks thead th').length - 1 === n, banks);
		is((await heads()) === banks, arch);
	}
	await go(p, 'back-continue');
	await p.waitForFunction(() => /^\d/.test(document.getElementById('position').textContent));
});
await test('global memory: sectors and lines, or segments of half-warps', async () => {
	await sample(p, 'vecadd.ptx');
	for (let k = 0; k < 24 && !/global/.test(await p.textContent('#panel')) && !(await p.$('.sectors')); k++) {
		await go(p, 'step');
	}
	await panelSays(p, 'sectors of 32 bytes in');
	await p.selectOption('.controls select', 'sm_13');
	await panelSays(p, 'segments? of 32, 64 or 128 bytes, for each half-warp its own');
	await p.selectOption('.controls select', 'sm_10');
	await panelSays(p, 'each half-warp has one if lane k wants word k');
	await p.selectOption('.controls select', '');
});
await test('counters beside each line grow with time; the full report is the program\'s', async () => {
	await go(p, 'start');
	await at(p, 0);
	const sum = () => p.$$eval('.cost', (l) => l.reduce((n, e) => n + Number(e.textContent.replace(/\D/g, '')), 0));
	await slide(p, 30);
	for (const n of [30, 31, 32, 90, 47, 3, 0]) {
		await slide(p, n);
		is((await sum()) === n, `${await sum()} are counted after ${n} instructions`);
	}
	await tab(p, 'Report');
	const frame = await (await p.waitForSelector('iframe')).contentFrame();
	await frame.waitForSelector('#sections a, #sections button', { timeout: 20000 });
});

/* --- Lessons --------------------------------------------------------------------------------------- */

await test('eight lessons, each with a kernel and two questions; the kernel can be changed by the page', async () => {
	p = await b.open({}, '#lesson=divergence');
	await until(p, 'expectation');
	is((await p.$$eval('#lessons option', (l) => l.length)) === 9, 'not eight lessons');
	for (const l of await p.$$eval('#lessons option', (o) => o.map((x) => x.value).filter(Boolean))) {
		await p.selectOption('#lessons', l);
		is((await p.$$eval('.question', (q) => q.length)) === 2, `${l} has not two questions`);
		await until(p, 'expectation|Done|instructions');
	}
	await p.selectOption('#lessons', 'banks');
	await until(p, 'expectation');
	await p.evaluate(() => document.querySelectorAll('.question details').forEach((d) => { d.open = true; }));
	await p.click('.question >> nth=0 >> text=Change the kernel for me');
	await until(p, 'expectation');
	await p.click('.question >> nth=0 >> text=Check my kernel');
	await p.waitForSelector('.question .verdict.good');
});
for (const lesson of await readLessons())
	await test(`${lesson.file}: both questions know a right answer from none and from nonsense`, async () => {
		await p.selectOption('#lessons', lesson.file.replace(/^\d+-|\.md$/g, ''));
		const answer = async (number, text, verdict) => {
			const place = `.question >> nth=${number} >> .verdict`;
			await write(p, text);
			await p.evaluate((n) => { document.querySelectorAll('.question .verdict')[n].className = 'verdict'; }, number);
			await p.click(`.question >> nth=${number} >> text=Check my kernel`);
			await p.waitForFunction((n) => /good|bad/.test(document.querySelectorAll('.question .verdict')[n].className), number);
			is((await p.getAttribute(place, 'class')).includes(verdict), `question ${number + 1}: ${await p.textContent(place)}`);
		};
		for (const [k, q] of lesson.questions.entries()) {
			await answer(k, q.kernel, 'bad');
			await answer(k, q.solution.replace(/\tret;/, '\tretreat;'), 'bad');
			await answer(k, q.solution.replace(/(launch .*grid=\d+)/, '$1 block=1 //'), 'bad');
			await answer(k, q.solution, 'good');
		}
	});

/* --- Editing --------------------------------------------------------------------------------------- */

await test('edits; errors and warnings are underlined where the messages point', async () => {
	p = await b.open();
	await until(p, 'expectations hold');
	await p.click('.cm-content');
	await p.keyboard.press('Control+End');
	await p.keyboard.type('\n.visible .entry broken() { add.s32 %nowhere, 1, 2; }\n');
	await p.waitForSelector('.cm-lintRange-error');
	await p.waitForSelector('.problem.error');
	is(/nowhere/.test(await p.textContent('.cm-lintRange-error')), await p.textContent('.cm-lintRange-error'));
	is(await p.isDisabled('[data-move=step]'), 'the old launch can still be stepped');
	await p.click('.problem.error');
	is(await p.evaluate(() => document.activeElement.closest('#editor') !== null), 'a message does not lead to its place');
});
await test('opcodes, their modifiers and registers are offered', async () => {
	await write(p, code('.visible .entry k() {\n\t.reg .b32 %counter;\n\tmov.u32 %counter, 1;\n\n}\n'));
	await p.click('.cm-line >> nth=6');
	const offered = async (typed, wanted) => {
		await p.keyboard.type(typed);
		await p.waitForFunction((w) => [...document.querySelectorAll('.cm-completionLabel')].some((e) => e.textContent === w), wanted, { timeout: 8000 });
		await p.keyboard.press('Escape');
	};
	await offered('\tpop', 'popc');
	await offered('c.b', 'b32');
	await offered('32 %cou', '%counter');
});
await test('an instruction is explained where it stands: what it does, types, since when, the manual\'s section', async () => {
	await write(p, code('.visible .entry k() {\n\t.reg .b32 %a;\n\tpopc.b32 %a, 7;\n\tret;\n}\n'));
	await p.hover('.cm-line:has-text("popc") span:has-text("popc")');
	await p.waitForSelector('.hover');
	const words = await p.textContent('.hover');
	is(/popc/.test(words) && /Counts/i.test(words) && /Since PTX \d\.\d, for sm_\d+ and later/.test(words) && /Integer Arithmetic Instructions/.test(words), words);
	await p.mouse.move(5, 5);
	await p.selectOption('#samples', 'shared_atomic_fermi.sass');
	await until(p, 'hold|Done');
	await p.hover('.cm-line span:text-matches("^(S2R|MOV|IADD)$") >> nth=0');
	await p.waitForFunction(() => /SASS: .*sm_20/.test(document.querySelector('.hover')?.textContent ?? ''));
	await p.mouse.move(5, 5);
});
await test('a listing of Fermi runs and steps: the lock loop, lane by lane', async () => {
	await tab(p, 'Warps');
	let stack = false;
	for (let k = 0; k < 60 && !stack; k++) {
		await go(p, 'any');
		await p.waitForTimeout(15);
		stack = Boolean(await p.$('.stack li'));
	}
	is(stack, 'no reconvergence stack is drawn');
	await tab(p, 'Registers');
	await p.waitForFunction(() => [...document.querySelectorAll('.who')].some((e) => /^R\d/.test(e.textContent)));
});
if (name === 'chromium')
	await test('shares by link; saves the kernel and the report; opens and drops files', async () => {
		await sample(p, 'saxpy.ptx');
		await p.fill('#options', '--arch sm_80');
		await p.click('#share');
		await p.waitForFunction(() => location.hash.startsWith('#s='));
		const shared = await b.open({}, new URL(p.url()).hash);
		await until(shared, 'expectation');
		is((await shared.evaluate(() => document.querySelector('.cm-content').textContent)).includes('saxpy'), 'another text');
		is((await shared.inputValue('#options')) === '--arch sm_80', 'the options are lost');
		await shared.context().close();
		await p.fill('#options', '');
		const [d] = await Promise.all([p.waitForEvent('download'), p.click('#save')]);
		is(d.suggestedFilename() === 'saxpy.ptx', d.suggestedFilename());
		await tab(p, 'Report');
		const [r] = await Promise.all([p.waitForEvent('download'), p.click('text=Save the report')]);
		is(fs.readFileSync(await r.path(), 'utf8').includes('ptxsim'), 'no report');
	});
await test('opens a file, and takes a dropped one', async () => {
	await tab(p, 'Warps');
	await p.setInputFiles('#file', path.join(top, 'samples/reduce.ptx').replace('reduce', 'dot'));
	await until(p, 'expectations? hold');
	is(/dot/.test(await p.textContent('.cm-content')), 'another text was opened');
	await drop(p, 'mine.ptx', fs.readFileSync(path.join(top, 'samples/vecadd.ptx')));
	await p.waitForFunction(() => /vecadd/.test(document.querySelector('.cm-content').textContent));
	await until(p, 'expectations? hold');
	is((await p.inputValue('#samples')) === 'vecadd.ptx' || (await p.inputValue('#samples')) === '', 'the menu names another sample');
});
await test('machine code runs from a dropped cubin; what is neither is told', async () => {
	const cubin = path.join(top, 'tests/debug/machine.cubin');
	await drop(p, 'machine.cubin', fs.readFileSync(cubin));
	await p.waitForFunction(() => /machine code/.test(document.getElementById('about').textContent));
	await write(p, fs.readFileSync(`${cubin}.launch`, 'utf8'));
	await p.click('#run');
	await until(p, '1 of 1 expectations hold');
	await go(p, 'step');
	await at(p, 1);
	await tab(p, 'Registers');
	await p.waitForFunction(() => [...document.querySelectorAll('.who')].some((e) => /^R\d/.test(e.textContent)));
	// The listing: where the warp stands, what lines have cost, breakpoints.
	await p.waitForFunction(() => /\/\*0010\*\//.test(document.querySelector('#code .line-here')?.textContent ?? ''));
	await p.click('#code .cm-line:has-text("STG.E")');
	await p.keyboard.press('F9');
	await p.keyboard.press('F8');
	await p.waitForFunction(() => /STG\.E/.test(document.querySelector('#code .line-here')?.textContent ?? ''));
	const now = await position(p);
	is((await p.$$eval('#code .cost', (l) => l.reduce((n, e) => n + Number(e.textContent.replace(/\D/g, '')), 0))) === now, 'the listing counts something else');
	await tab(p, 'Access');
	await panelSays(p, 'STG\\.E.*sectors of 32 bytes');
	await p.keyboard.type('x');
	is(!/xSTG|x *STG/.test(await p.textContent('#code .cm-content')), 'the listing can be edited');
	await drop(p, 'picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1]));
	await until(p, 'neither text nor machine code');
	await tab(p, 'Warps');
});

/* --- Hostile texts --------------------------------------------------------------------------------- */

await test('a loop without end: Stop ends it, and so does the limit', async () => {
	const loop = '//@ launch k() grid=1 block=32\n.version 7.0\n.target sm_70\n.visible .entry k() {\n\t.reg .b32 %r;\nL:\tadd.u32 %r, %r, 1;\n\tbra L;\n}\n';
	await sample(p, 'vecadd.ptx');
	await tab(p, 'Warps');
	await p.fill('#options', '--limit 100000000000');
	await write(p, loop);
	await p.click('#run');
	await p.waitForTimeout(1500);
	const began = Date.now();
	await p.click('#stop');
	await until(p, 'Stopped');
	is(Date.now() - began < 2000, 'Stop takes long');
	await p.fill('#options', '--limit 200000');
	await p.click('#run');
	await until(p, 'fault');
	await p.fill('#options', '');
	await sample(p, 'vecadd.ptx');
});
await test('memory has a limit', async () => {
	await write(p, code('.visible .entry k(.param .u64 out) {\n\tret;\n}\n', '//@ buffer out f32[1000000000]\n//@ launch k(out) grid=1 block=32\n'));
	await p.click('#run');
	await p.waitForFunction(() => document.getElementById('status').classList.contains('bad'), null, { timeout: 60000 });
	is(/memory/i.test(await p.textContent('body')), await p.textContent('#status'));
	await sample(p, 'vecadd.ptx');
});
await test('markup in names, texts, and what kernels print stays text', async () => {
	await write(p, '//@ buffer "<img src=x onerror=alert(1)>" f32[4]\n.version 7.0\n.target sm_70\n.visible .entry k() {\n\t"<script>globalThis.bad=1</script>"\n}\n');
	await p.waitForSelector('.problem.error');
	const shared = Buffer.from(JSON.stringify({ name: '<img src=x onerror=globalThis.bad=1>.ptx', text: '// <svg onload=globalThis.bad=1>\n', args: '"><script>globalThis.bad=1</script>' }));
	const fragment = '#s=' + (await import('node:zlib')).deflateRawSync(shared).toString('base64url');
	const q = await b.open({}, fragment);
	await q.waitForTimeout(300);
	for (const x of [p, q]) is(await x.evaluate(() => globalThis.bad === undefined && !document.querySelector('img:not(.cm-widgetBuffer), svg[onload]')), 'markup came in');
	await q.context().close();
});
await test('a link that unpacks to very much is not unpacked', async () => {
	const packed = (await import('node:zlib')).deflateRawSync(Buffer.from(JSON.stringify({ name: 'x.ptx', text: 'x'.repeat(300 << 20), args: '' })));
	const began = performance.now();
	const q = await b.open({}, '#s=' + packed.toString('base64url'));
	await until(q, 'expectations? hold');
	is(performance.now() - began < 20000, `it took ${Math.round(performance.now() - began)} ms`);
	await q.context().close();
});
await test('what kernels print, and files that they name, stay text in the results and in the report', async () => {
	const evil = '</script><script>top.bad=1</script><img src=x onerror="globalThis.bad=2"><svg onload=globalThis.bad=3>', bytes = [...Buffer.from(evil), 0];
	await p.evaluate(() => { document.getElementById('status').textContent = ''; });
	await write(p, code(`.file 1 "${evil.replace(/"/g, '')}.cu"\n.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.global .align 1 .b8 words[${bytes.length}] = {${bytes.join(', ')}};\n.visible .entry k(.param .u64 out) {\n\t.reg .b64 %a, %o;\n\t.loc 1 3 1
	ld.param.u64 %o, [out];\n\tmov.u64 %a, words;\n\tcvta.global.u64 %a, %a;\n\t{ .param .b64 p0; .param .b64 p1; .param .b32 rv;
	st.param.b64 [p0], %a; st.param.b64 [p1], 0; call.uni (rv), vprintf, (p0, p1); }\n\tst.global.u32 [%o], 1; // ${evil}\n\tret;\n}\n`,
		`// ${evil}\n//@ buffer out u32[32] const 0\n//@ launch k(out) grid=1 block=1\n`));
	await p.click('#run');
	await until(p, 'Done');
	await tab(p, 'Results');
	await panelSays(p, 'img src=x onerror');
	await tab(p, 'Report');
	const frame = await (await p.waitForSelector('iframe')).contentFrame();
	await frame.waitForSelector('#sections a, #sections button', { timeout: 20000 });
	for (const f of [p, frame])
		is(await f.evaluate(() => globalThis.bad === undefined && !document.querySelector('img:not(.cm-widgetBuffer), svg[onload]')), 'markup came in');
	is((await frame.evaluate(() => fetch('http://127.0.0.1:9/').then(() => 'reached', () => 'refused'))) === 'refused', 'the report may reach others');
	is((await frame.evaluate(() => { try { return parent.document.title; } catch { return ''; } })) === '', 'the report may read the page');
	await tab(p, 'Warps');
	await sample(p, 'vecadd.ptx');
});
await test('no script from elsewhere, no connection to others: the content security policy', async () => {
	const refused = await p.evaluate(() => new Promise((r) => { fetch('http://127.0.0.1:9/').then(() => r(false), () => r(true)); }));
	is(refused, 'the page may reach other hosts');
	const ran = await p.evaluate(() => new Promise((r) => {
		const s = document.createElement('script');
		s.textContent = 'globalThis.bad = 2';
		document.body.append(s);
		const e = document.createElement('div');
		e.setAttribute('onclick', 'globalThis.bad = 3');
		document.body.append(e);
		e.click();
		s.remove();
		e.remove();
		setTimeout(() => r(globalThis.bad), 50);
	}));
	is(ran === undefined, `a script within the page ran: ${ran}`);
});

/* --- For everyone ---------------------------------------------------------------------------------- */

await test('the keyboard alone', async () => {
	p = await b.open();
	await until(p, 'expectations hold');
	await p.focus('#when');
	await p.keyboard.press('ArrowRight');
	await at(p, 1);
	for (const [key, n] of [['F10', 2], ['Shift+F10', 1]]) {
		await p.keyboard.press(key);
		await at(p, n);
	}
	await p.keyboard.press('Alt+2');
	await p.waitForSelector('.registers');
	await p.focus('#tabs [aria-selected=true]');
	await p.keyboard.press('ArrowLeft');
	await p.waitForSelector('.warps');
	await p.focus('.lane.focus');
	await p.keyboard.press('ArrowRight');
	await p.keyboard.press('Enter');
	await p.waitForFunction(() => document.querySelector('.lane.focus').getAttribute('aria-label').includes('lane 1:'));
	is(await p.evaluate(() => document.activeElement.classList.contains('lane')), 'a step takes the focus away');
	await p.click('.cm-content');
	await p.keyboard.press('Control+Home');
	await p.keyboard.press('F9');
	await p.waitForSelector('.cm-gutterElement:not([style*=hidden]) > .break-point');
	await p.keyboard.press('Escape');
	await p.keyboard.press('Tab');
	is(await p.evaluate(() => !document.activeElement.closest('#editor')), 'the editor keeps the focus');
	await p.keyboard.press('Control+Enter');
	await until(p, 'expectations hold');
	await p.focus('#help');
	await p.keyboard.press('Enter');
	await p.waitForSelector('dialog[open]');
	await p.keyboard.press('Escape');
	await p.waitForSelector('dialog[open]', { state: 'hidden' });
});
await test('names for screen readers, contrast, structure: axe finds nothing', async () => {
	const source = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
	const found = [];
	for (const theme of ['light', 'dark'])
		for (const [view, file] of [['Warps', 'wgmma_ring.ptx'], ['Registers', 'scan.ptx'], ['Access', 'banks.ptx'], ['Memory', 'scan.ptx'], ['Matrix', 'mma_tile.ptx'], ['Results', 'scan.ptx'], ['Report', 'scan.ptx']]) {
			await sample(p, file);
			await p.evaluate((t) => { document.documentElement.dataset.theme = t; }, theme);
			await slide(p, 40);
			await tab(p, view);
			await p.waitForTimeout(view === 'Report' ? 1200 : 150);
			// In the page's own world scripts of text are refused: the tester's are not.
			await p.evaluate(source);
			const r = await p.evaluate(() => globalThis.axe.run(document, { iframes: false, resultTypes: ['violations'] }));
			for (const v of r.violations) found.push(`${theme} ${view}: ${v.id} at ${v.nodes.slice(0, 2).map((n) => `${n.target} ${n.any[0]?.message ?? ''}`).join('; ')}`);
		}
	await p.selectOption('#lessons', 'banks');
	await until(p, 'expectation');
	const r = await p.evaluate(() => globalThis.axe.run(document, { iframes: false, resultTypes: ['violations'] }));
	for (const v of r.violations) found.push(`lesson: ${v.id} at ${v.nodes[0].target}`);
	is(!found.length, [...new Set(found)].slice(0, 6).join(' | '));
});

const themes = name === 'firefox' ? ['light'] : ['light', 'dark'];
for (const [width, height] of [[1280, 800], [400, 860]])
	for (const colorScheme of themes)
		await test(`${width} pixels, ${colorScheme}: every view and lesson fits`, async () => {
			const q = await b.open({ viewport: { width, height }, ...(name === 'firefox' ? {} : { colorScheme }) });
			await until(q, 'expectations hold');
			const fits = async (what) => is(await q.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), `the page is wider than the screen: ${what}`);
			const picture = async (what) => pictures && q.screenshot({ path: path.join(pictures, `${name}-${width}-${colorScheme}-${what}.png`), fullPage: width < 800 });
			for (const [view, file, n] of [['Warps', 'mandelbrot.ptx', 700], ['Warps', 'wgmma_ring.ptx', 400], ['Registers', 'scan.ptx', 1200], ['Access', 'scan.ptx', 1200], ['Memory', 'scan.ptx', 1210], ['Matrix', 'mma_tile.ptx', 3000], ['Results', 'vecadd.ptx', 10], ['Report', 'vecadd.ptx', 10]]) {
				await sample(q, file);
				await slide(q, n);
				await tab(q, view);
				await q.waitForTimeout(pictures ? 700 : 100);
				await fits(`${view} of ${file}`);
				await picture(`${view}-${file.replace('.ptx', '')}`);
			}
			await tab(q, 'Warps');
			for (const l of pictures ? await q.$$eval('#lessons option', (o) => o.map((x) => x.value).filter(Boolean)) : ['banks']) {
				await q.selectOption('#lessons', l);
				await until(q, 'expectation|Done|instructions');
				await fits(`lesson ${l}`);
				await picture(`lesson-${l}`);
			}
			await q.context().close();
		});
// What the tests themselves made the page refuse is no trouble.
const real = b.trouble.filter((t) => !/127\.0\.0\.1:9|Refused to (connect|execute)|Content.Security.Policy|violates the following/i.test(t));
await test('no errors in the console', async () => is(!real.length, real.slice(0, 3).join('; ')));
await test('nothing from elsewhere', async () => is(b.asked.every((u) => u.startsWith('/a/b/') || u === '/favicon.ico'), b.asked.join(' ')));

await b.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
