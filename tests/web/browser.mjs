// SPDX-License-Identifier: Apache-2.0
// The page in a browser: a server for its files in a subfolder, Debian's chromium or Firefox, and what tests do with a page.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequire } from 'node:module';

const top = path.resolve(import.meta.dirname, '../..');
const types = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm', css: 'text/css', svg: 'image/svg+xml', json: 'application/json' };
const programs = { chromium: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'], firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'] };

export const require = createRequire(path.join(top, 'web/package.json'));

export function skip(why) {
	console.log(`skipped: ${why}\n0 passed, 0 failed`);
	process.exit(0);
}

async function start(name) {
	let drivers;
	try {
		drivers = require('playwright-core');
	} catch {
		skip('playwright-core is not there');
	}
	const executablePath = programs[name].find((p) => fs.existsSync(p));
	if (!executablePath) skip(`there is no ${name}`);
	// Firefox as it is, by WebDriver BiDi.
	return name === 'firefox' ? drivers.firefox.launch({ executablePath, channel: 'moz-firefox' })
		: drivers.chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

function serve(page, asked) {
	const server = http.createServer((q, a) => {
		asked.push(q.url);
		const name = q.url === '/a/b/' ? 'index.html' : q.url.replace(/^\/a\/b\//, '').replace(/[?#].*/, '');
		const file = path.join(page, path.basename(name));
		if (!q.url.startsWith('/a/b/') || !fs.existsSync(file)) return a.writeHead(404).end();
		a.writeHead(200, { 'content-type': types[name.split('.').pop()] ?? 'text/plain' }).end(fs.readFileSync(file));
	});
	return new Promise((r) => server.listen(0, '127.0.0.1', () => r(server)));
}

// PAGE: the folder with the page's files. `trouble`: what the page's console has complained about; `asked`: what was fetched.
export async function openBrowser(page, name) {
	const asked = [], trouble = [];
	const browser = await start(name), server = await serve(page, asked);
	const url = `http://127.0.0.1:${server.address().port}/a/b/`;
	return {
		asked, trouble, url, browser, name,
		async open(options = {}, fragment = '') {
			const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: true, ...options });
			const p = await context.newPage();
			p.on('pageerror', (e) => trouble.push(`${e}`));
			p.on('console', (m) => { if (m.type() === 'error') trouble.push(m.text()); });
			await p.goto(url + fragment);
			await p.waitForFunction(() => document.documentElement.dataset.ready === '1', null, { timeout: 60000 });
			return p;
		},
		async close() {
			await browser.close();
			server.close();
		},
	};
}

export const until = (p, words) => p.waitForFunction((w) => new RegExp(w).test(document.getElementById('status').textContent), words, { timeout: 60000 });
// Until what was asked for is drawn.
export const rests = (p) => p.waitForFunction(() => document.getElementById('panel').getAttribute('aria-busy') !== 'true', null, { timeout: 60000 });
export async function go(p, move) {
	await p.click(`[data-move=${move}]`);
	await rests(p);
}
export const position = async (p) => Number((await p.textContent('#position')).split(' of ')[0].replace(/\D/g, ''));
export async function at(p, n) {
	await rests(p);
	const is = await position(p);
	if (is !== n) throw new Error(`at ${is}, not at ${n}`);
}

// Puts a text into the editor.
export const write = (p, t) => p.evaluate((s) => {
	const e = document.querySelector('.cm-content'), v = e.cmTile?.view ?? e.cmView?.view;
	v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: s } });
}, t);
export async function slide(p, to) {
	await p.evaluate((n) => { const s = document.getElementById('when'); s.value = String(n); s.dispatchEvent(new Event('input')); }, to);
	await at(p, to);
}
export async function tab(p, name) {
	await p.click(`#tabs button:has-text("${name}")`);
	await rests(p);
}

// Lets go of a file over the page.
export const drop = (p, name, bytes) => p.evaluate(([n, b]) => {
	const d = new DataTransfer();
	d.items.add(new File([Uint8Array.from(atob(b), (c) => c.charCodeAt(0))], n));
	document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: d, bubbles: true, cancelable: true }));
}, [name, Buffer.from(bytes).toString('base64')]);
