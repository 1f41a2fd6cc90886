/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_GLOB_H
#define ABI_GLOB_H

#include <linux/types.h>

#define CS_COMM_LEN 16

/* 1 if the byte is 0, else 0, by arithmetic that the compiler cannot turn into a branch. */
static inline __u32 cs_glob_is_zero(__u32 byte)
{
	asm volatile("" : "+r"(byte));
	return (byte - 1) >> 31;
}

/* The positions of byte `c` in `pattern`, as bits. */
static inline __u32 cs_glob_places(const char pattern[CS_COMM_LEN], char c)
{
	__u32 places = 0, p;

	for (p = 0; p < CS_COMM_LEN; p++)
		places |= cs_glob_is_zero((__u32)(__u8)(pattern[p] ^ c)) << p;
	return places;
}

/* A star may also match nothing: a position on it implies the position after it. */
static inline __u32 cs_glob_close(__u32 set, __u32 stars)
{
	int i;

	for (i = 0; i < CS_COMM_LEN; i++)
		set |= (set & stars) << 1;
	return set;
}

/*
 * Whether `comm` matches `pattern`: '*' is any run of bytes, '?' is one byte; no classes, no
 * escapes. Both are NUL-terminated within CS_COMM_LEN bytes. The same code runs in BPF, where
 * backtracking makes the verifier follow every path. So this keeps the set of all positions in the
 * pattern that the bytes so far can reach, and has no branch that depends on them.
 */
static inline int cs_glob_match(const char pattern[CS_COMM_LEN], const char comm[CS_COMM_LEN])
{
	__u32 stars = cs_glob_places(pattern, '*');
	__u32 any = cs_glob_places(pattern, '?') | stars;
	__u32 ends = cs_glob_places(pattern, 0);
	__u32 set = cs_glob_close(1, stars), alive = 1, c;

	for (c = 0; c < CS_COMM_LEN; c++) {
		__u32 fit = set & (cs_glob_places(pattern, comm[c]) | any);
		__u32 next = ((fit & ~stars) << 1) | (set & stars);
		__u32 keep;

		alive &= !cs_glob_is_zero((__u32)(__u8)comm[c]);
		keep = 0 - alive;
		set = (cs_glob_close(next, stars) & keep) | (set & ~keep);
	}
	/* The first end is the lowest bit. */
	return (set & ends & (0 - ends)) != 0;
}

#endif
