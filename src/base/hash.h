/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <string.h>

#include "base/types.h"

/* Spreads every bit of `x` over the whole result, so that the low bits can choose a slot. */
static inline u64 hash_u64(u64 x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	x ^= x >> 31;
	return x;
}

/*
 * For tables in memory only: the value depends on the machine's byte order and may change between
 * versions, so it must not be stored. Does not resist keys chosen to collide.
 */
static inline u64 hash_bytes(const void *data, size_t sz)
{
	const u8 *p = data;
	u64 h = sz * 0x9e3779b97f4a7c15ULL;
	u64 word;

	for (; sz >= sizeof(word); p += sizeof(word), sz -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 32;
	}
	if (sz) {
		word = 0;
		memcpy(&word, p, sz);
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
	}
	return hash_u64(h);
}

/* The same on every machine and in every version, so it may be stored. Keys may collide. */
static inline u64 hash_text(const char *text)
{
	u64 h = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		h = (h ^ (u8)*text) * 0x100000001b3ULL;
	return hash_u64(h);
}

#endif
