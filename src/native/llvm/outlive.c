/* SPDX-License-Identifier: Apache-2.0
 *
 * exit() destroys what C++ libraries have made, LLVM's too, while the thread that compiles is still at work; and what
 * LLVM makes last goes first, so that no handler of ours could come in time. But nobody needs it destroyed: LLVM is
 * never unloaded, and the system takes its memory back. LLVM's calls of this function end here, not in the C library,
 * because the plug-in is loaded with RTLD_DEEPBIND.
 */
__attribute__((visibility("default"))) int __cxa_atexit(void (*destroy)(void *), void *object, void *library);

int __cxa_atexit(void (*destroy)(void *), void *object, void *library)
{
	(void)destroy, (void)object, (void)library;
	return 0;
}
