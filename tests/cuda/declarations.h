/* SPDX-License-Identifier: Apache-2.0
 *
 * For declarations_test.sh, in C++: do two functions take as many parameters, each of the same size and nature?
 */
#ifndef PTXSIM_TESTS_CUDA_DECLARATIONS_H
#define PTXSIM_TESTS_CUDA_DECLARATIONS_H

#include <cstdio>
#include <type_traits>

static int calls, differ;

template <class A, class B> constexpr bool alike()
{
	return sizeof(A) == sizeof(B) && std::is_pointer<A>::value == std::is_pointer<B>::value &&
	       std::is_floating_point<A>::value == std::is_floating_point<B>::value;
}

template <class F, class G> struct pair;
template <class R, class... A, class S, class... B> struct pair<R (*)(A...), S (*)(B...)> {
	static constexpr bool same()
	{
		if constexpr (sizeof...(A) != sizeof...(B))
			return false;
		else
			return (true && ... && alike<A, B>());
	}
};

#define COMPARE_CALL(symbol)                                               \
	calls++;                                                           \
	if (!pair<decltype(&ours::symbol), decltype(&::symbol)>::same()) { \
		differ++;                                                  \
		puts(#symbol);                                             \
	}
#define COMPARE_SIZE(mine, theirs)                                                                        \
	if (sizeof(ours::mine) != sizeof(theirs)) {                                                       \
		differ++;                                                                                 \
		printf("%s has %zu bytes, %s %zu\n", #mine, sizeof(ours::mine), #theirs, sizeof(theirs)); \
	}

#endif
