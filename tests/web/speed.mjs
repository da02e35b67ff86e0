// SPDX-License-Identifier: Apache-2.0
// speed.mjs PAGE: what the page takes in chromium, against docs/web.md: loading, a launch of a million warp
// instructions dragged through, single steps, saxpy of a million elements. Waiting for other programs of the host is not
// the page's doing: drags and steps are judged by the processor time of its two threads. Ends with the totals.
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { openBrowser, until, write } from './browser.mjs';

const [page] = process.argv.slice(2);
const b = await openBrowser(page, 'chromium');
let passed = 0, failed = 0;
function judge(what, value, unit, most) {
	const good = value < most;
	console.log(`${good ? 'ok' : 'FAIL'} ${what}: ${value.toFixed(value < 100 ? 1 : 0)} ${unit} (less than ${most})`);
	if (good) passed++;
	else failed++;
}

// Processor time, in ms, of the main thread and the engine's thread of all pages.
function used() {
	let sum = 0;
	for (const pid of fs.readdirSync('/proc').filter((x) => /^\d+$/.test(x))) {
		try {
			if (!fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer')) continue;
			for (const t of fs.readdirSync(`/proc/${pid}/task`))
				if (t === pid || /^DedicatedWorker/.test(fs.readFileSync(`/proc/${pid}/task/${t}/comm`, 'utf8')))
					sum += Number(fs.readFileSync(`/proc/${pid}/task/${t}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
		} catch { /* it has ended */ }
	}
	return sum;
}

const million = `//@ buffer out u32[16384] = 0
//@ launch spin(out, 170) grid=64 block=256
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 times)
{
	.shared .b32 tile[256];
	.reg .b32 %r<10>;
	.reg .b64 %rd<4>;
	.reg .pred %p1;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 256, %r1;
	ld.param.u32 %r4, [times];
	ld.param.u64 %rd1, [out];
	cvta.to.global.u64 %rd1, %rd1;
	mov.u32 %r5, %r3;
	mov.u32 %r8, tile;
	shl.b32 %r9, %r1, 2;
	add.u32 %r9, %r9, %r8;
again:
	xor.b32 %r6, %r5, %r4;
	mad.lo.u32 %r5, %r6, 1664525, 1013904223;
	shr.u32 %r6, %r5, 7;
	xor.b32 %r5, %r5, %r6;
	st.shared.u32 [%r9], %r5;
	bar.sync 0;
	ld.shared.u32 %r7, [%r9];
	add.u32 %r5, %r5, %r7;
	bar.sync 0;
	sub.u32 %r4, %r4, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra again;
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd3, %rd1, %rd2;
	st.global.u32 [%rd3], %r5;
	ret;
}
`;

const p = await b.open();
const paint = await p.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
judge('first paint', paint, 'ms', 1000);
judge('engine ready', await p.evaluate(() => performance.getEntriesByName('ready')[0].startTime), 'ms', 2000);
await until(p, 'expectations hold');
let files = 0;
for (const f of fs.readdirSync(page)) files += zlib.gzipSync(fs.readFileSync(path.join(page, f))).length;
judge('all files compressed', files / 2 ** 20, 'MiB', 6);

const run = async (text) => {
	await write(p, text);
	await p.evaluate(() => { document.getElementById('status').textContent = ''; });
	await p.click('#run');
	await until(p, 'thread instructions in');
	const [, n, ms] = /([\d,]+) thread instructions in ([\d.]+) ms/.exec(await p.textContent('#status'));
	return Number(n.replace(/,/g, '')) / (Number(ms) * 1000);
};
let rate = 0;
for (let k = 0; k < 3; k++) rate = Math.max(rate, await run(million));
judge('100 million thread instructions take', 1e5 / rate, 'ms', 1000);
const total = Number(await p.getAttribute('#when', 'max'));
if (!(total >= 1e6)) throw new Error(`the launch has only ${total} warp instructions`);

// Does something that ends at a position and is drawn; tells the processor time.
async function timed(f, to) {
	const before = used();
	await p.evaluate(([source, n]) => new Promise((r) => {
		const e = document.getElementById('position'), w = n.toLocaleString('en-US') + ' of';
		const o = new MutationObserver(() => { if (e.textContent.startsWith(w)) { o.disconnect(); requestAnimationFrame(() => setTimeout(r, 0)); } });
		o.observe(e, { childList: true, characterData: true, subtree: true });
		if (source === 'drag') { const s = document.getElementById('when'); s.value = String(n); s.dispatchEvent(new Event('input')); }
		else document.querySelector('[data-move=any]').click();
	}), [f, to]);
	return used() - before;
}
const drags = [], steps = [];
for (let k = 0; k < 40; k++) drags.push(await timed('drag', 1 + Math.floor(((k * 0.618034) % 1) * (total - 2))));
let at = Math.floor(total / 3);
await timed('drag', at);
for (let k = 0; k < 40; k++) steps.push(await timed('step', ++at));
const sorted = (l) => [...l].sort((x, y) => x - y);
console.log(`drags: median ${sorted(drags)[20].toFixed(1)} ms; steps: median ${sorted(steps)[20].toFixed(1)} ms, slowest ${Math.max(...steps).toFixed(1)} ms`);
judge('slowest of 40 drags', Math.max(...drags), 'ms', 100);
judge('a step, message and drawing, median', sorted(steps)[20], 'ms', 16);
await b.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
