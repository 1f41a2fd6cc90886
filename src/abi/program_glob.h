/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_PROGRAM_GLOB_H
#define ABI_PROGRAM_GLOB_H

#include <linux/types.h>

#include "abi/glob.h"

/* Positions of a pattern are bits of a word: one for each byte, and one for its end. */
#define CS_PROGRAM_GLOB_MAX 62

/*
 * A pattern for the name of a program: '*' is any run of bytes, '?' is one byte; no classes, no
 * escapes. It is compiled once, so that matching is a few instructions per byte without a branch
 * that depends on the text: the verifier follows one path. A path may be given as text: what
 * counts is what is behind its last slash.
 */
struct cs_program_glob {
	__u64 places[256]; /* by byte: where it is in the pattern */
	__u64 any; /* where '?' is */
	__u64 stars; /* where '*' is; never two in a row */
	__u64 end;
	__u64 begin; /* what can be reached before the first byte */
};

/* A star may also match nothing: a position on it implies the position behind it. */
static inline __u64 cs_program_glob_close(const struct cs_program_glob *g, __u64 set)
{
	return set | (set & g->stars) << 1;
}

/* -1: the pattern has more than CS_PROGRAM_GLOB_MAX bytes. `g` is all zero. */
static inline int cs_program_glob_compile(struct cs_program_glob *g, const char *pattern)
{
	__u32 at = 0;
	char before = 0;

	for (; *pattern; before = *pattern++) {
		if (*pattern == '*' && before == '*')
			continue;
		if (at >= CS_PROGRAM_GLOB_MAX)
			return -1;
		if (*pattern == '*')
			g->stars |= 1ULL << at;
		else if (*pattern == '?')
			g->any |= 1ULL << at;
		else
			g->places[(__u8)*pattern] |= 1ULL << at;
		at++;
	}
	g->end = 1ULL << at;
	g->begin = cs_program_glob_close(g, 1);
	return 0;
}

/* What can be reached with one more byte, which is not the NUL. */
static inline __u64 cs_program_glob_step(const struct cs_program_glob *g, __u64 set, __u8 byte)
{
	__u64 slash = 0 - (__u64)cs_glob_is_zero(byte ^ '/');
	__u64 fit = set & (g->places[byte] | g->any);

	set = cs_program_glob_close(g, fit << 1 | (set & g->stars));
	return (set & ~slash) | (g->begin & slash);
}

static inline int cs_program_glob_match(const struct cs_program_glob *g, const char *text)
{
	__u64 set = g->begin;

	while (*text)
		set = cs_program_glob_step(g, set, (__u8)*text++);
	return (set & g->end) != 0;
}

#endif
