// SPDX-License-Identifier: Apache-2.0
// A text in a link: compressed, in the address's fragment, which browsers do not send to any server.

const MOST = 1 << 20; // bytes of a shared text

// What comes out of the stream; an error if it is too much: a short link can hold any number of equal bytes.
async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
	const out = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as unknown as ReadableWritablePair<Uint8Array, Uint8Array>).getReader();
	const parts: BlobPart[] = [];
	let size = 0;
	for (;;) {
		const { done, value } = await out.read();
		if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
		parts.push(value as BlobPart);
		if ((size += value.length) > 4 * MOST) {
			void out.cancel();
			throw new Error('too large');
		}
	}
}

export async function toFragment(shared: { name: string; text: string; args: string }): Promise<string> {
	if (shared.text.length > MOST) throw new Error('The text is too large for a link.');
	const packed = await through(new TextEncoder().encode(JSON.stringify(shared)), new CompressionStream('deflate-raw'));
	let s = '';
	for (const b of packed) s += String.fromCharCode(b);
	return '#s=' + btoa(s).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}

export async function fromFragment(fragment: string): Promise<{ name: string; text: string; args: string } | null> {
	if (!fragment.startsWith('#s=') || fragment.length > MOST) return null;
	try {
		const s = atob(fragment.slice(3).replace(/-/g, '+').replace(/_/g, '/'));
		const bytes = Uint8Array.from(s, (c) => c.charCodeAt(0));
		const o = JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))));
		if (typeof o.text !== 'string' || o.text.length > MOST) return null;
		return { name: String(o.name ?? 'shared.ptx').slice(0, 80), text: o.text, args: String(o.args ?? '').slice(0, 2000) };
	} catch {
		return null;
	}
}
