/* SPDX-License-Identifier: Apache-2.0
 *
 * Elements of buffers as users write them: types by name, values in and out of memory, printing.
 * Who uses it: launch scripts, generators, expectations and files.
 */
#ifndef PTXSIM_SCRIPT_ELEMENT_H
#define PTXSIM_SCRIPT_ELEMENT_H

#include "base/types.h"

/* X(name, bytes, class): class u unsigned, s signed, f float. */
/* clang-format off */
#define ELEMENT_TYPES(X)                                                                                     \
	X(u8, 1, 'u')                                                                                        \
	X(u16, 2, 'u') X(u32, 4, 'u') X(u64, 8, 'u') X(s8, 1, 's') X(s16, 2, 's') X(s32, 4, 's')             \
	    X(s64, 8, 's') X(b8, 1, 'u') X(b16, 2, 'u') X(b32, 4, 'u') X(b64, 8, 'u') X(f16, 2, 'f')         \
	        X(bf16, 2, 'f') X(f32, 4, 'f') X(f64, 8, 'f')
/* clang-format on */

enum element_type {
#define X(name, bytes, kind) ELEMENT_##name,
	ELEMENT_TYPES(X)
#undef X
		ELEMENT_TYPE_COUNT
};

/* A number on its way: integers are 64-bit two's complement. */
struct number {
	bool is_float;
	s64 i;
	f64 f;
};

static inline struct number number_int(s64 i) { return (struct number){false, i, 0}; }
static inline struct number number_float(f64 f) { return (struct number){true, 0, f}; }
static inline f64 number_as_float(struct number n) { return n.is_float ? n.f : (f64)n.i; }

/* Cut off towards zero as a C cast does it; what neither 64 signed nor unsigned bits hold is 0. */
s64 number_as_int(struct number n);

/* ELEMENT_TYPE_COUNT if there is no such type. */
enum element_type element_find(const char *name, size_t length);
const char *element_name(enum element_type type);
u32 element_bytes(enum element_type type);
char element_class(enum element_type type);

struct number element_read(enum element_type type, const u8 *from);
/* Rounds to nearest even into float types; wraps into integer types. */
void element_write(enum element_type type, u8 *to, struct number n);
/* The shortest text that reads back as the same value. Returns its length. */
int element_print(enum element_type type, const u8 *from, char *text, size_t size);

/* How many representable values lie between two; UINT64_MAX if one is NaN and the other is not. */
u64 element_distance(enum element_type type, const u8 *a, const u8 *b);

#endif
