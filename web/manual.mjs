// SPDX-License-Identifier: Apache-2.0
// What the sections of the PTX ISA manual are called in which the instructions of a family stand; of some families an
// opcode's first word decides.
const parallel = 'Parallel Synchronization and Communication Instructions';
const movement = 'Data Movement and Conversion Instructions';
const warpMatrix = 'Warp Level Matrix Multiply-Accumulate Instructions';
const sections = {
	'Approximate functions': 'Floating Point Instructions', 'Asynchronous copies': movement, 'Atomic operations': parallel,
	'Barriers and fences': parallel, 'Barriers in shared memory': parallel, 'Bit counts and fields': 'Integer Arithmetic Instructions',
	'Caches, stack': movement, 'Comparison and selection': 'Comparison and Selection Instructions', 'Control flow': 'Control Flow Instructions',
	'Conversion: floating point': movement, 'Conversion: integers': movement, 'Data movement between registers': movement,
	'Extended-precision integer arithmetic': 'Extended-Precision Integer Arithmetic Instructions',
	'Floating-point arithmetic': 'Floating Point Instructions', 'Half-precision floating-point arithmetic': 'Half Precision Floating Point Instructions',
	'Integer arithmetic': 'Integer Arithmetic Instructions', 'Loads and stores': movement, 'Logic and shift': 'Logic and Shift Instructions',
	Matrix: warpMatrix, 'Matrix fragments': warpMatrix, 'Memory of several devices': movement, 'Tensor copies': movement,
	'Tensor memory': 'TensorCore 5th Generation Family Instructions', 'Textures and surfaces': 'Texture Instructions',
	Video: 'Scalar Video Instructions', 'Warp-wide exchange': parallel,
	'Warpgroup matrix': 'Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions',
};
const words = {
	alloca: 'Stack Manipulation Instructions', stacksave: 'Stack Manipulation Instructions', stackrestore: 'Stack Manipulation Instructions',
	shfl: movement, sust: 'Surface Instructions', suld: 'Surface Instructions', sured: 'Surface Instructions', suq: 'Surface Instructions',
};

export function section(family, form) {
	const word = /^[a-z_]\w*/.exec(form)?.[0] ?? form;
	if (family === 'Video' && /[24]$/.test(word)) return 'SIMD Video Instructions';
	return words[word] ?? sections[family] ?? family;
}
