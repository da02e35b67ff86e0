/* SPDX-License-Identifier: Apache-2.0
 *
 * The list of SASS families: X(name). A new family is one line here and one file.
 */
#define SASS_FAMILIES(X) \
	X(sass_internal) \
	X(sass_move)     \
	X(sass_integer)  \
	X(sass_compare)  \
	X(sass_float)    \
	X(sass_convert)  \
	X(sass_memory)   \
	X(sass_control)  \
	X(sass_barrier)  \
	X(sass_video)    \
	X(sass_other)
