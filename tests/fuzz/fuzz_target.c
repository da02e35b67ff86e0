/* SPDX-License-Identifier: Apache-2.0
 *
 * The door for libFuzzer and AFL++: ./dev fuzz --guided. PTXSIM_FUZZ names the target; PTX is mutated by the
 * instruction table every other time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz_grammar.h"
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t length, size_t room);

static const struct fuzz_target *target(void)
{
	static const struct fuzz_target *chosen;
	const char *name = getenv("PTXSIM_FUZZ");

	if (!chosen && !(chosen = fuzz_target_find(name ? name : "text"))) {
		fprintf(stderr, "there is no target '%s':\n", name);
		for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
			fprintf(stderr, "  %-9s %s\n", t->name, t->doc);
		exit(2);
	}
	return chosen;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	target()->run((const char *)bytes, length);
	return 0;
}

#ifndef __AFL_FUZZ_TESTCASE_LEN
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t room, unsigned seed)
{
	if (target()->is_ptx && seed % 2)
		return fuzz_grammar_mutate((char *)bytes, length, room, seed);
	return LLVMFuzzerMutate(bytes, length, room);
}
#endif
