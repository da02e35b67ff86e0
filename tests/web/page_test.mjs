// SPDX-License-Identifier: Apache-2.0
// page_test.mjs PAGE [PICTURES]: the page in a real browser. PICTURES: a folder for screenshots. Ends with the totals.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequire } from 'node:module';

const [page, pictures] = process.argv.slice(2);
const top = path.resolve(import.meta.dirname, '../..');
let passed = 0, failed = 0;

function skip(why) {
	console.log(`skipped: ${why}\n0 passed, 0 failed`);
	process.exit(0);
}
let chromium;
try {
	({ chromium } = createRequire(path.join(top, 'web/package.json'))('playwright-core'));
} catch {
	skip('playwright-core is not there');
}
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((p) => fs.existsSync(p));
if (!executablePath) skip('there is no chromium');

const types = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm', css: 'text/css', svg: 'image/svg+xml', json: 'application/json' };
const asked = [];
const server = http.createServer((q, a) => {
	asked.push(q.url);
	const name = q.url === '/a/b/' ? 'index.html' : q.url.replace(/^\/a\/b\//, '').replace(/[?#].*/, '');
	const file = path.join(page, path.basename(name));
	if (!q.url.startsWith('/a/b/') || !fs.existsSync(file)) return a.writeHead(404).end();
	a.writeHead(200, { 'content-type': types[name.split('.').pop()] ?? 'text/plain' }).end(fs.readFileSync(file));
});
await new Promise((r) => server.listen(0, '127.0.0.1', r));
const url = `http://127.0.0.1:${server.address().port}/a/b/`;

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
const trouble = [];
async function open(options = {}, fragment = '') {
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
	const p = await context.newPage();
	p.on('pageerror', (e) => trouble.push(`${e}`));
	p.on('console', (m) => { if (m.type() === 'error') trouble.push(m.text()); });
	await p.goto(url + fragment);
	await p.waitForFunction(() => document.documentElement.dataset.ready === '1', null, { timeout: 60000 });
	return p;
}
const status = (p) => p.textContent('#status');
const until = (p, words) => p.waitForFunction((w) => new RegExp(w).test(document.getElementById('status').textContent), words, { timeout: 60000 });
const position = async (p) => Number((await p.textContent('#position')).split(' of ')[0].replace(/\D/g, ''));
const text = (p, t) => p.evaluate((s) => { const v = document.querySelector('.cm-content').cmTile?.view ?? document.querySelector('.cm-content').cmView?.view; v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: s } }); }, t);
async function slide(p, to) {
	await p.evaluate((n) => { const s = document.getElementById('when'); s.value = String(n); s.dispatchEvent(new Event('input')); }, to);
	await p.waitForFunction((n) => Number(document.getElementById('position').textContent.split(' of ')[0].replace(/\D/g, '')) === n, to, { timeout: 30000 });
}

async function test(name, f) {
	try {
		await f();
		passed++;
	} catch (e) {
		failed++;
		console.log(`FAIL ${name}: ${e.message.split('\n').slice(0, 3).join(' ')}`);
	}
}
function is(good, why) {
	if (!good) throw new Error(why);
}

let p;
await test('loads and runs', async () => {
	const t = Date.now();
	p = await open();
	console.log(`ready after ${Date.now() - t} ms`);
	await until(p, 'expectations hold');
	is((await p.$$eval('.lane', (l) => l.length)) > 32, 'no lanes are drawn');
});
await test('steps and goes back', async () => {
	await p.click('[data-move=step]');
	await p.waitForFunction(() => /^1 of/.test(document.getElementById('position').textContent));
	await p.keyboard.press('F10');
	await p.waitForFunction(() => /^2 of/.test(document.getElementById('position').textContent));
	await p.click('[data-move=back]');
	await p.waitForFunction(() => /^1 of/.test(document.getElementById('position').textContent));
	is((await p.$$eval('.line-here', (l) => l.length)) === 1, 'no line is marked');
});
await test('drags anywhere', async () => {
	for (const at of [1500, 20, 2600, 700]) await slide(p, at);
	const t = await p.evaluate(async () => {
		const s = document.getElementById('when'), began = performance.now();
		s.value = '2000';
		s.dispatchEvent(new Event('input'));
		while (!document.getElementById('position').textContent.startsWith('2,000 ')) await new Promise((r) => setTimeout(r, 1));
		return performance.now() - began;
	});
	console.log(`a drag is answered and drawn after ${t.toFixed(0)} ms`);
});
await test('registers: 32 cells, changes marked, who wrote', async () => {
	await p.click('#tabs button:has-text("Registers")');
	await p.waitForSelector('.registers tbody tr');
	is((await p.$$eval('.registers tbody tr:first-child td', (c) => c.length)) === 32, 'a row has not 32 cells');
	for (let k = 0; k < 8 && !(await p.$('td.changed')); k++) {
		const at = await position(p);
		await p.click('[data-move=step]');
		await p.waitForFunction((n) => Number(document.getElementById('position').textContent.split(' of ')[0].replace(/\D/g, '')) !== n, at);
	}
	is(await p.$('td.changed'), 'no change is marked');
	const before = await position(p);
	await p.click('.registers tr.named .who');
	await p.waitForFunction((n) => Number(document.getElementById('position').textContent.split(' of ')[0].replace(/\D/g, '')) < n, before);
});
await test('memory, matrix and report', async () => {
	await p.click('#tabs button:has-text("Memory")');
	await p.waitForSelector('.memory td');
	await p.click('#tabs button:has-text("Report")');
	const frame = await (await p.waitForSelector('iframe')).contentFrame();
	await frame.waitForSelector('#sections a, #sections button', { timeout: 20000 });
	await p.selectOption('#samples', 'mma_tile.ptx');
	await until(p, 'expectations hold');
	await slide(p, 400);
	await p.click('#tabs button:has-text("Matrix")');
	await p.waitForFunction(() => document.querySelector('.matrix td.mine') || /no matrix/.test(document.getElementById('panel').textContent));
});
await test('a conflict is shown, and served otherwise by other machines', async () => {
	p = await open({}, '#lesson=banks');
	await until(p, 'expectation');
	await p.click('#tabs button:has-text("Access")');
	await slide(p, 420);
	const line = await p.evaluate(() => [...document.querySelectorAll('.cm-line')].findIndex((l) => l.textContent.includes('ld.shared')));
	is(line >= 0, 'the line is not shown');
	const box = await p.locator('.cm-line', { hasText: 'ld.shared' }).boundingBox();
	const gutter = await p.locator('.break-gutter').boundingBox();
	await p.mouse.click(gutter.x + 6, box.y + box.height / 2);
	is((await p.$$eval('.break-point', (b) => b.length)) >= 1, 'there is no breakpoint');
	await p.click('[data-move=continue]');
	await p.waitForSelector('#panel .verdict.bad');
	is(/32 wavefronts/.test(await p.textContent('#panel .verdict')), await p.textContent('#panel .verdict'));
	is((await p.$$eval('td.touched', (c) => c.length)) === 32, 'not 32 words are drawn');
	await p.selectOption('.controls select', 'sm_10');
	await p.waitForFunction(() => document.querySelectorAll('td.touched').length === 32);
});
await test('a lesson is answered', async () => {
	await p.click('.question >> nth=0 >> text=Check my kernel');
	await p.waitForSelector('.question .verdict.bad');
	await p.evaluate(() => document.querySelectorAll('.question details').forEach((d) => { d.open = true; }));
	await p.click('.question >> nth=0 >> text=Change the kernel for me');
	await until(p, 'expectation');
	await p.click('.question >> nth=0 >> text=Check my kernel');
	await p.waitForSelector('.question .verdict.good');
});
await test('edits, and an error is underlined', async () => {
	p = await open();
	await until(p, 'expectations hold');
	await p.click('.cm-content');
	await p.keyboard.press('Control+End');
	await p.keyboard.type('\n.visible .entry broken() { add.s32 %nowhere, 1, 2; }\n');
	await p.waitForSelector('.cm-lintRange-error');
	await p.waitForSelector('.problem.error');
	is(await p.isDisabled('[data-move=step]'), 'the old launch can still be stepped');
});
await test('what can be typed is offered, and an instruction explained', async () => {
	await p.keyboard.press('Control+a');
	await p.keyboard.type('ba');
	await p.waitForSelector('.cm-tooltip-autocomplete');
	await p.keyboard.press('Escape');
});
await test('shares and opens the link', async () => {
	await p.selectOption('#samples', 'saxpy.ptx');
	await until(p, 'expectation');
	await p.click('#share');
	await p.waitForFunction(() => location.hash.startsWith('#s='));
	const shared = await open({}, new URL(p.url()).hash);
	await until(shared, 'expectation');
	is((await shared.evaluate(() => document.querySelector('.cm-content').textContent)).includes('saxpy'), 'another text');
	await shared.context().close();
});
await test('saves the kernel and the report', async () => {
	const [d] = await Promise.all([p.waitForEvent('download'), p.click('#save')]);
	is(d.suggestedFilename() === 'saxpy.ptx', d.suggestedFilename());
	await p.click('#tabs button:has-text("Report")');
	const [r] = await Promise.all([p.waitForEvent('download'), p.click('text=Save the report')]);
	is(fs.readFileSync(await r.path(), 'utf8').includes('ptxsim'), 'no report');
});
await test('Stop ends a loop without end', async () => {
	await p.fill('#options', '--limit 100000000000');
	await text(p, '//@ launch k() grid=1 block=32\n.version 7.0\n.target sm_70\n.visible .entry k() {\n\t.reg .b32 %r;\nL:\tadd.u32 %r, %r, 1;\n\tbra L;\n}\n');
	await p.click('#run');
	await p.waitForTimeout(1500);
	await p.click('#stop');
	await until(p, 'Stopped');
	await p.fill('#options', '');
	await p.selectOption('#samples', 'vecadd.ptx');
	await until(p, 'expectations hold');
});
await test('a hostile text stays text', async () => {
	await text(p, '//@ buffer "<img src=x onerror=alert(1)>" f32[4]\n.version 7.0\n.target sm_70\n.visible .entry k() {\n\t"<script>globalThis.bad=1</script>"\n}\n');
	await p.waitForSelector('.problem.error');
	is(await p.evaluate(() => globalThis.bad === undefined && !document.querySelector('img')), 'markup came in');
	const refused = await p.evaluate(() => new Promise((r) => { fetch('http://127.0.0.1:9/').then(() => r(false), () => r(true)); }));
	is(refused, 'the page may reach other hosts');
});
await test('the keyboard alone', async () => {
	p = await open();
	await until(p, 'expectations hold');
	await p.focus('#when');
	await p.keyboard.press('ArrowRight');
	await p.waitForFunction(() => /^1 of/.test(document.getElementById('position').textContent));
	await p.keyboard.press('Alt+2');
	await p.waitForSelector('.registers');
	const unnamed = await p.$$eval('button, select, input:not([hidden])', (l) => l.filter((e) => !e.textContent.trim() && !e.getAttribute('aria-label') && !e.labels?.length && !e.title).length);
	is(unnamed === 0, `${unnamed} controls have no name`);
});
for (const [width, height] of [[1280, 800], [400, 860]])
	for (const colorScheme of ['light', 'dark'])
		await test(`${width} pixels, ${colorScheme}`, async () => {
			const q = await open({ viewport: { width, height }, colorScheme });
			await until(q, 'expectations hold');
			await slide(q, 1200);
			is(await q.evaluate(() => document.documentElement.scrollWidth <= innerWidth + 1), 'the page is wider than the screen');
			if (pictures) await q.screenshot({ path: path.join(pictures, `${width}-${colorScheme}.png`) });
			await q.context().close();
		});
// What the tests themselves made the page refuse is no trouble.
const real = trouble.filter((t) => !/127\.0\.0\.1:9|Refused to connect|violates the following Content Security/.test(t));
await test('no errors in the console', async () => is(!real.length, real.slice(0, 3).join('; ')));
await test('nothing from elsewhere', async () => is(asked.every((u) => u.startsWith('/a/b/') || u === '/favicon.ico'), asked.join(' ')));

await browser.close();
server.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
