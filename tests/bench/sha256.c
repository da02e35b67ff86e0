/* SPDX-License-Identifier: Apache-2.0 */
/* Bits. The plain version hashes 16 messages side by side, which the compiler makes vectors of. */
#include <string.h>

#include "bench.h"

enum { N = 65536, L = 16 };

static const uint32_t k256[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
				  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

typedef uint32_t lanes __attribute__((vector_size(4 * L)));

#define R(x, n) ((x) >> (n) | (x) << (32 - (n)))

static inline void compress(lanes *h, lanes *w)
{
	lanes a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], z = h[7];

	for (int i = 0; i < 64; i++) {
		if (i >= 16) {
			const lanes p = w[(i + 1) % 16], q = w[(i + 14) % 16];
			w[i % 16] += (R(p, 7) ^ R(p, 18) ^ p >> 3) + w[(i + 9) % 16] + (R(q, 17) ^ R(q, 19) ^ q >> 10);
		}
		const lanes t1 = z + (R(e, 6) ^ R(e, 11) ^ R(e, 25)) + ((e & f) ^ (~e & g)) + k256[i] + w[i % 16];
		const lanes t2 = (R(a, 2) ^ R(a, 13) ^ R(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
		z = g;
		g = f;
		f = e;
		e = d + t1;
		d = c;
		c = b;
		b = a;
		a = t1 + t2;
	}
	h[0] += a;
	h[1] += b;
	h[2] += c;
	h[3] += d;
	h[4] += e;
	h[5] += f;
	h[6] += g;
	h[7] += z;
}

static void plain(void *const *b)
{
	const uint32_t *restrict in = b[0];
	uint32_t *restrict out = b[1];

#pragma omp parallel for schedule(static)
	for (int i = 0; i < N; i += L) {
		lanes h[8], w[16];
		for (int k = 0; k < 8; k++)
			h[k] = (lanes){0} + start[k];
		for (int k = 0; k < 16; k++)
			memcpy(&w[k], in + k * N + i, sizeof(lanes));
		compress(h, w);
		memset(w, 0, sizeof w);
		w[0] += 0x80000000;
		w[15] += 512;
		compress(h, w);
		for (int k = 0; k < 8; k++)
			memcpy(out + k * N + i, &h[k], sizeof(lanes));
	}
}

/* One message, as the standard has it. */
static void hash(const uint32_t *in, uint32_t *out)
{
	uint32_t h[8], w[64];

	memcpy(h, start, sizeof h);
	for (int block = 0; block < 2; block++) {
		uint32_t s[8];
		for (int k = 0; k < 64; k++)
			w[k] = k < 16 ? (block ? (k == 0    ? 0x80000000
						  : k == 15 ? 512
							    : 0)
					       : in[k * N])
				      : (R(w[k - 2], 17) ^ R(w[k - 2], 19) ^ w[k - 2] >> 10) + w[k - 7] +
						(R(w[k - 15], 7) ^ R(w[k - 15], 18) ^ w[k - 15] >> 3) + w[k - 16];
		memcpy(s, h, sizeof s);
		for (int k = 0; k < 64; k++) {
			const uint32_t t1 = s[7] + (R(s[4], 6) ^ R(s[4], 11) ^ R(s[4], 25)) +
					    ((s[4] & s[5]) ^ (~s[4] & s[6])) + k256[k] + w[k];
			const uint32_t t2 = (R(s[0], 2) ^ R(s[0], 13) ^ R(s[0], 22)) +
					    ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
			memmove(s + 1, s, 28);
			s[4] += t1;
			s[0] = t1 + t2;
		}
		for (int k = 0; k < 8; k++)
			h[k] += s[k];
	}
	for (int k = 0; k < 8; k++)
		out[k * N] = h[k];
}

void make_sha256(struct problem *p)
{
	uint32_t *in = add_buffer(p, N * 64);
	uint64_t seed = 9;

	add_buffer(p, N * 32);
	for (int i = 0; i < N * 16; i++)
		in[i] = draw(&seed);
	add_step(p, "sha256", N / 128, 1, 128, 1, "bbu", 0, 1, N);
	p->plain = plain;
	uint32_t *out = add_reference(p, 1, 0, 0);
	for (int i = 0; i < N; i++)
		hash(in + i, out + i);
}
