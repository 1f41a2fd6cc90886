/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const u32 rounds[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static u32 turn(u32 x, u32 n)
{
	return x >> n | x << (32 - n);
}

static void add_block(struct sha256 *s, const u8 *p)
{
	u32 w[64], v[8], i;

	for (i = 0; i < 16; i++, p += 4)
		w[i] = (u32)p[0] << 24 | (u32)p[1] << 16 | (u32)p[2] << 8 | p[3];
	for (; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] +
		       (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(v, s->state, sizeof(v));
	for (i = 0; i < 64; i++) {
		u32 a = v[0], e = v[4];
		u32 x = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
			((e & v[5]) ^ (~e & v[6])) + rounds[i] + w[i];
		u32 y = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
			((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));

		memmove(v + 1, v, 7 * sizeof(*v));
		v[4] += x;
		v[0] = x + y;
	}
	for (i = 0; i < 8; i++)
		s->state[i] += v[i];
}

void sha256__init(struct sha256 *s)
{
	*s = (struct sha256){ .state = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
					 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 } };
}

void sha256__put(struct sha256 *s, const void *data, size_t sz)
{
	const u8 *p = data;

	while (sz) {
		size_t at = s->bytes % sizeof(s->block), n = sizeof(s->block) - at;

		n = sz < n ? sz : n;
		memcpy(s->block + at, p, n);
		s->bytes += n;
		p += n;
		sz -= n;
		if (at + n == sizeof(s->block))
			add_block(s, s->block);
	}
}

void sha256__hex(struct sha256 *s, char *ret)
{
	static const u8 end[64] = { 0x80 };
	u64 bits = s->bytes * 8;
	u8 len[8];
	u32 i;

	for (i = 0; i < 8; i++)
		len[i] = (u8)(bits >> (56 - 8 * i));
	/* up to 8 bytes before the end of a block */
	sha256__put(s, end, 1 + (119 - s->bytes % 64) % 64);
	sha256__put(s, len, sizeof(len));
	for (i = 0; i < 8; i++)
		snprintf(ret + 8 * (size_t)i, 9, "%08x", s->state[i]);
}

int sha256_file(int fd, const char *name, char *ret_hex, struct err *err)
{
	struct sha256 s;
	char buf[16384];
	ssize_t n;
	off_t at = 0;

	sha256__init(&s);
	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		sha256__put(&s, buf, (size_t)n);
		at += n;
	}
	if (n < 0)
		return err__set(err, -errno, "cannot read '%s': %s", name, err_str(errno));
	sha256__hex(&s, ret_hex);
	return 0;
}
