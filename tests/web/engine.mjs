// SPDX-License-Identifier: Apache-2.0
// The engine as WebAssembly, in Node: what the page's worker does.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRequire } from 'node:module';

export async function loadEngine(folder) {
	const copy = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'ptxsim-web-')), 'engine.cjs');
	fs.copyFileSync(path.join(folder, 'engine'), copy);
	const make = createRequire(import.meta.url)(copy);
	// Given, because the glue would fetch it.
	const m = await make({ wasmBinary: fs.readFileSync(path.join(folder, 'engine.wasm')), print: () => {}, printErr: () => {} });
	fs.rmSync(path.dirname(copy), { recursive: true });
	const text = (s) => {
		const n = m.lengthBytesUTF8(s) + 1, p = m._malloc(n);
		m.stringToUTF8(s, p, n);
		return p;
	};
	const call = (f, o) => {
		const p = text(JSON.stringify(o));
		const r = m.UTF8ToString(f(p));
		m._free(p);
		return JSON.parse(r);
	};
	let seq = 0;
	return {
		ask: (o) => call(m._ptxsim_web_ask, o),
		close: () => m._ptxsim_web_close(),
		messages: (command, args = {}) => call(m._ptxsim_web_message, { seq: ++seq, type: 'request', command, arguments: args }),
		request(command, args = {}) {
			const r = this.messages(command, args).find((x) => x.type === 'response');
			if (!r.success) throw new Error(`${command}: ${r.message}`);
			return r.body;
		},
		command(line) { return this.request('evaluate', { expression: line, context: 'repl' }).result; },
		write(name, bytes) {
			const p = text(name), q = m._malloc(bytes.length + 1);
			m.HEAPU8.set(bytes, q);
			const good = m._ptxsim_web_write(p, q, bytes.length);
			m._free(p);
			m._free(q);
			return good === 1;
		},
	};
}
