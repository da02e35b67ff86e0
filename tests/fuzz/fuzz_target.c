/* SPDX-License-Identifier: Apache-2.0
 *
 * The door for libFuzzer: ./dev fuzz --guided.
 */
#include <stdint.h>

#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
	fuzz_text((const char *)bytes, length);
	return 0;
}
