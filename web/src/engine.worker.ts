// SPDX-License-Identifier: Apache-2.0
// The engine's thread: loads the WebAssembly module and answers what the page asks, one request after the other.

declare function importScripts(...urls: string[]): void;
declare const ptxsimEngine: (options: object) => Promise<Module>;

interface Module {
	HEAPU8: Uint8Array;
	_malloc(n: number): number;
	_free(p: number): void;
	_ptxsim_web_message(p: number): number;
	_ptxsim_web_ask(p: number): number;
	_ptxsim_web_write(path: number, bytes: number, size: number): number;
	_ptxsim_web_close(): void;
	UTF8ToString(p: number): string;
	stringToUTF8(s: string, p: number, n: number): void;
	lengthBytesUTF8(s: string): number;
}

export type Order =
	| { op: 'dap'; requests: { command: string; arguments?: object }[] }
	| { op: 'ask'; request: object }
	| { op: 'write'; path: string; bytes: Uint8Array }
	| { op: 'close' };

importScripts('engine.js');
const loading = ptxsimEngine({ locateFile: (name: string) => name, print: () => {}, printErr: () => {} });
let sequence = 0;

function text(m: Module, s: string): number {
	const n = m.lengthBytesUTF8(s) + 1;
	const p = m._malloc(n);
	m.stringToUTF8(s, p, n);
	return p;
}

function call(m: Module, f: (p: number) => number, o: object): unknown {
	const p = text(m, JSON.stringify(o));
	try {
		return JSON.parse(m.UTF8ToString(f(p)));
	} finally {
		m._free(p);
	}
}

function write(m: Module, path: string, bytes: Uint8Array): boolean {
	const p = text(m, path);
	const q = m._malloc(bytes.length + 1);
	m.HEAPU8.set(bytes, q);
	const good = m._ptxsim_web_write(p, q, bytes.length) !== 0;
	m._free(p);
	m._free(q);
	return good;
}

function obey(m: Module, o: Order): unknown {
	switch (o.op) {
		case 'dap':
			return o.requests.map((r) => call(m, m._ptxsim_web_message, { seq: ++sequence, type: 'request', ...r }));
		case 'ask':
			return call(m, m._ptxsim_web_ask, o.request);
		case 'write':
			return write(m, o.path, o.bytes);
		case 'close':
			m._ptxsim_web_close();
			return true;
	}
}

onmessage = async (e: MessageEvent<{ id: number; order: Order }>) => {
	try {
		const m = await loading;
		postMessage({ id: e.data.id, result: obey(m, e.data.order) });
	} catch (error) {
		postMessage({ id: e.data.id, error: String(error) });
	}
};
loading.then(() => postMessage({ id: 0 }));
