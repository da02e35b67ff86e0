// SPDX-License-Identifier: Apache-2.0
// Bits of a lane as text.

export type Format = 'auto' | 'hex' | 'signed' | 'unsigned' | 'float' | 'heat';

const view = new DataView(new ArrayBuffer(8));

export function floatOf(hex: string): number {
	if (hex.length === 8) {
		view.setUint32(0, parseInt(hex, 16));
		return view.getFloat32(0);
	}
	if (hex.length === 16) {
		view.setBigUint64(0, BigInt('0x' + hex));
		return view.getFloat64(0);
	}
	if (hex.length === 4) {
		const b = parseInt(hex, 16), e = (b >> 10) & 31, m = b & 1023, s = b >> 15 ? -1 : 1;
		return e === 31 ? (m ? NaN : s * Infinity) : s * (e ? (1 + m / 1024) * 2 ** (e - 15) : (m / 1024) * 2 ** -14);
	}
	return NaN;
}

const short = (x: number): string =>
	Number.isInteger(x) && Math.abs(x) < 1e7 ? String(Object.is(x, -0) ? '-0' : x) : Number.isNaN(x) ? 'NaN' : String(parseFloat(x.toPrecision(5)));

export function shown(hex: string, type: string, format: Format): string {
	if (type === 'pred') return parseInt(hex, 16) ? '1' : '0';
	if (format === 'auto') format = type.startsWith('f') ? 'float' : type.startsWith('s') ? 'signed' : type.startsWith('u') ? 'unsigned' : hex.length > 8 ? 'hex' : 'signed';
	if (format === 'float') return short(floatOf(hex));
	if (format === 'hex' || format === 'heat') return '0x' + hex.replace(/^0+(?=.)/, '');
	const bits = BigInt(hex.length * 4);
	const n = BigInt('0x' + hex);
	return (format === 'signed' ? BigInt.asIntN(Number(bits), n) : n).toString();
}

// For a heat picture: where the value lies, as a number.
export function numberOf(hex: string, type: string): number {
	if (type === 'pred') return parseInt(hex, 16);
	if (type.startsWith('f')) return floatOf(hex);
	return Number(BigInt.asIntN(hex.length * 4, BigInt('0x' + hex)));
}

// Elements of memory as read: little-endian bytes.
export function element(bytes: Uint8Array, at: number, type: string): string {
	const v = new DataView(bytes.buffer, bytes.byteOffset + at);
	const size = bytesOf(type);
	if (at + size > bytes.length) return '';
	if (type === 'f32') return short(v.getFloat32(0, true));
	if (type === 'f64') return short(v.getFloat64(0, true));
	if (type === 'f16') return short(floatOf(v.getUint16(0, true).toString(16).padStart(4, '0')));
	if (type === 'bf16') {
		view.setUint32(0, v.getUint16(0, true) << 16 >>> 0);
		return short(view.getFloat32(0));
	}
	switch (size) {
		case 1: return String(type[0] === 's' ? v.getInt8(0) : v.getUint8(0));
		case 2: return String(type[0] === 's' ? v.getInt16(0, true) : v.getUint16(0, true));
		case 8: return (type[0] === 's' ? v.getBigInt64(0, true) : v.getBigUint64(0, true)).toString();
		default: return String(type[0] === 's' || type[0] === 'b' ? v.getInt32(0, true) : v.getUint32(0, true));
	}
}

export function bytesOf(type: string): number {
	const bits = parseInt(/\d+/.exec(type)?.[0] ?? '32', 10);
	return Math.max(1, bits / 8);
}
