/* SPDX-License-Identifier: Apache-2.0
 *
 * The vocabulary's texts, sizes and look-up.
 *
 * Look-up searches a string of one-byte fingerprints, computed by the compiler from the texts,
 * with memchr: well under 0.1 us, and nothing has to be built at start or kept in order. A
 * fingerprint only proposes; the text decides.
 */
#include "isa/tokens.h"

#include <string.h>

#define LENGTH(text) (sizeof(text) - 1)
/* One byte that tells most words apart, among them those that differ in digits only (m64n8k16). */
#define FINGERPRINT(text, n)                                                                             \
	((u8)((u8)(text)[(n) / 2] * 3u + (u8)(text)[(n)-1] * 5u + (u8)(text)[(n) > 1 ? (n)-2 : 0] * 7u + \
	      (u8)(text)[(n)*2 / 3] * 37u + (n)*11u))

static const struct {
	const char *text;
	u8 length, bits;
	char class;
} words[TOKEN_COUNT] = {[TOKEN_NONE] = {"", 0, 0, 0},
#define X(name, text, bits, class) [T_##name] = {text, LENGTH(text), bits, class},
			ISA_TYPES(X)
#undef X
#define X(name, text) [M_##name] = {text, LENGTH(text), 0, 0},
				ISA_WORDS(X)
#undef X
};

static const u8 fingerprints[TOKEN_COUNT] = {
#define X(name, text, bits, class) [T_##name] = FINGERPRINT(text, LENGTH(text)),
	ISA_TYPES(X)
#undef X
#define X(name, text) [M_##name] = FINGERPRINT(text, LENGTH(text)),
		ISA_WORDS(X)
#undef X
};

u32 type_bits(int type) { return token_is_type(type) ? words[type].bits : 0; }
char type_class(int type) { return token_is_type(type) ? words[type].class : 0; }

const char *token_text(int token) { return token > TOKEN_NONE && token < TOKEN_COUNT ? words[token].text : ""; }

int token_find_part(const char *text, size_t length)
{
	if (length == 0 || length > UINT8_MAX)
		return TOKEN_NONE;
	const u8 wanted = FINGERPRINT(text, length);
	const u8 *at = fingerprints, *const end = fingerprints + TOKEN_COUNT;
	while ((at = memchr(at, wanted, (size_t)(end - at)))) {
		const u32 token = (u32)(at++ - fingerprints);
		if (words[token].length == length && !memcmp(words[token].text, text, length))
			return (int)token;
	}
	return TOKEN_NONE;
}

int token_find(const char *text) { return token_find_part(text, strlen(text)); }
