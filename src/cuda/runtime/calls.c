/* SPDX-License-Identifier: Apache-2.0
 *
 * Every symbol of the library that gives an error code, made from the table of calls.
 *
 * An exported symbol prepares the thread, calls a handler and keeps its error:
 *
 *  rt_begin()        the driver started, a current context
 *  own_stream        whether a NULL stream means this thread's own one (symbols that end in _ptsz, _ptds)
 *  rt_<handler>()    in the other files; for PASS, one call of the driver, written in the table
 *  rt_end()          an error is kept for cudaGetLastError and handed on
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
/* What needs no device, and what a process knows from before it was forked. */
#define PLAIN(symbol, handler, params, args) \
	EXPORT int symbol params;            \
	int symbol params { return rt_end(rt_##handler args); }
#define ABSENT(symbol)           \
	EXPORT int symbol(void); \
	int symbol(void) { return rt_end(CU_NOT_SUPPORTED); }
#include "cuda/runtime/calls.inc"
