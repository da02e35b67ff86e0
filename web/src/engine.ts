// SPDX-License-Identifier: Apache-2.0
// The page's side of the engine: a worker that can be ended at any time, and the debugger's session in it.
import type { Order } from './engine.worker';

interface Waiting {
	resolve(value: any): void;
	reject(error: Error): void;
}

export class Stopped extends Error {}

export class Engine {
	private worker!: Worker;
	private waiting = new Map<number, Waiting>();
	private next = 1;
	ready!: Promise<void>;
	onBusy: (busy: boolean) => void = () => {};

	constructor() {
		this.start();
	}

	private start(): void {
		this.worker = new Worker('engine.worker.js');
		this.ready = new Promise((resolve) => {
			this.worker.onmessage = (e) => {
				if (e.data.id === 0) return resolve();
				const w = this.waiting.get(e.data.id);
				this.waiting.delete(e.data.id);
				if (!this.waiting.size) this.onBusy(false);
				if (!w) return;
				if (e.data.error) w.reject(new Error(e.data.error));
				else w.resolve(e.data.result);
			};
		});
	}

	send(order: Order): Promise<any> {
		if (!this.waiting.size) this.onBusy(true);
		return new Promise((resolve, reject) => {
			const id = this.next++;
			this.waiting.set(id, { resolve, reject });
			this.worker.postMessage({ id, order });
		});
	}

	// Whatever runs, ends now: the worker is thrown away, and with it the debugger's session.
	stop(): void {
		this.worker.terminate();
		for (const w of this.waiting.values()) w.reject(new Stopped('stopped'));
		this.waiting.clear();
		this.onBusy(false);
		this.start();
	}

	write(path: string, text: string | Uint8Array): Promise<boolean> {
		return this.send({ op: 'write', path, bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text });
	}

	ask(request: object): Promise<any> {
		return this.send({ op: 'ask', request });
	}
}

export interface Split { mask: number; state: string; next: boolean; line?: number; waitsFor?: number; barrier?: number; join?: number }
export interface Join { expected: number; arrived: number; parent: number; call: boolean; line: number }
export interface StackEntry { kind: string; mask: number; line: number }
export interface Warp { index: number; exists: number; live: number; executed: number; splits: Split[]; joins?: Join[]; stack?: StackEntry[] }
export interface Barrier { number: number; arrived: number; expected: number; completed: number }
export interface Mbarrier { address: number; expected: number; pending: number; bytes: number; completed: number; came: number; waiting: number; others: boolean }
export interface Copy { kind: string; warp: number; lanes: number; reading: number; committed: number; globalBytes: number; line: number; mbarrier?: number }
export interface Block { index: number; at: number[]; threads: number; sharedBytes: number; warps: Warp[]; barriers: Barrier[]; mbarriers?: Mbarrier[]; copies?: Copy[] }
export interface Focus { block: number; warp: number; lane: number; thread: number[]; threadId: number; line?: number; column?: number; instruction?: string }
export interface State {
	state: string; position: number; furthest: number; fault?: string; focus?: Focus;
	launch?: { kernel: string; number: number; grid: number[]; block: number[] };
	blocks?: Block[]; residentBlocks?: number;
}
export interface Register { name: string; type: string; lanes: string[] }
export interface Access {
	space: string; cost: number; excess: number; cause: string; remedy: string; cost_then: number; line: number; instruction: string;
	addresses: (number | null)[]; bank?: (number | null)[]; unit?: (number | null)[]; wavefront?: (number | null)[];
	transaction?: (number | null)[]; banks: number; bankBytes: number; rule: string; width: number;
}
export interface Variable { name: string; space: string; type: string; address: number; size: number; memoryReference: string }

export interface Answer { success: boolean; body: any; message?: string }

// One debugged text. Requests are those of the Debug Adapter Protocol, and `ptxsim_...`: docs/debugger.md.
export class Session {
	onOutput: (category: string, text: string) => void = () => {};
	stopReason = '';
	stopText = '';
	over = false;

	constructor(private engine: Engine) {}

	async batch(requests: { command: string; arguments?: object }[]): Promise<Answer[]> {
		const replies: any[][] = await this.engine.send({ op: 'dap', requests });
		return replies.map((messages) => this.take(messages));
	}

	async request(command: string, args: object = {}): Promise<any> {
		const [a] = await this.batch([{ command, arguments: args }]);
		if (!a.success) throw new Error(a.message ?? `${command} failed`);
		return a.body;
	}

	private take(messages: any): Answer {
		let answer: Answer = { success: false, body: null, message: 'no memory left' };
		if (!Array.isArray(messages)) return answer;
		for (const m of messages) {
			if (m.type === 'response') answer = { success: m.success, body: m.body, message: m.message };
			else if (m.event === 'output') this.onOutput(m.body.category, m.body.output);
			else if (m.event === 'stopped') {
				this.stopReason = m.body.reason;
				this.stopText = m.body.text ?? '';
			} else if (m.event === 'terminated') this.over = true;
		}
		return answer;
	}

	async launch(path: string, args: string[], spacing: number): Promise<void> {
		await this.engine.send({ op: 'close' });
		this.over = false;
		await this.request('initialize', { linesStartAt1: true });
		await this.request('launch', {
			program: path, args, sourceLevel: 'text', stopOnEntry: true, counters: true, historySpacing: spacing, historyLimit: 256,
		});
		await this.request('configurationDone');
	}

	// A command of the debugger's console, and what it says.
	async command(line: string): Promise<string> {
		const body = await this.request('evaluate', { expression: line, context: 'repl' });
		return body.result as string;
	}
}
