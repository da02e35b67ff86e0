/* SPDX-License-Identifier: Apache-2.0
 *
 * Every symbol of the library that gives an error code, made from the table of calls.
 */
#include "cuda/runtime/runtime.h"

#define EXPORT __attribute__((visibility("default")))

#define CALL(symbol, handler, own, params, args)                          \
	EXPORT int symbol params;                                         \
	int symbol params                                                 \
	{                                                                 \
		const int refused = rt_begin();                           \
		rt_self.own_stream = own;                                 \
		const int result = refused ? refused : rt_##handler args; \
		rt_self.own_stream = false;                               \
		return rt_end(result);                                    \
	}
#define PASS(symbol, own, params, call)                      \
	EXPORT int symbol params;                            \
	int symbol params                                    \
	{                                                    \
		const int refused = rt_begin();              \
		rt_self.own_stream = own;                    \
		const int result = refused ? refused : call; \
		rt_self.own_stream = false;                  \
		return rt_end(result);                       \
	}
#define ABSENT(symbol)           \
	EXPORT int symbol(void); \
	int symbol(void) { return rt_end(CU_NOT_SUPPORTED); }
#include "cuda/runtime/calls.inc"
