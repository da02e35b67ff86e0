/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of families: X(name). A new family is one line here and one file.
 */
#define SEM_FAMILIES(X)         \
	X(family_internal)      \
	X(family_control)       \
	X(family_move)          \
	X(family_memory)        \
	X(family_integer)       \
	X(family_bits)          \
	X(family_extended)      \
	X(family_float)         \
	X(family_half)          \
	X(family_approx)        \
	X(family_compare)       \
	X(family_logic)         \
	X(family_video)         \
	X(family_convert)       \
	X(family_convert_float) \
	X(family_collective)    \
	X(family_barrier)       \
	X(family_atomic)        \
	X(family_memory_other)  \
	X(family_matrix)        \
	X(family_wmma)          \
	X(family_wgmma)         \
	X(family_mbarrier)      \
	X(family_async)         \
	X(family_multimem)      \
	X(family_tensor_memory) \
	X(family_async_tensor)  \
	X(family_texture)
