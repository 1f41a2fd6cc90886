/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_GLOB_H
#define ABI_GLOB_H

#include <linux/types.h>

#define CS_COMM_LEN 16

/*
 * Does `comm` match `pattern`? '*' is any run of bytes, '?' is one byte; no classes, no escapes.
 * Both are NUL-terminated within CS_COMM_LEN bytes. The same code runs in BPF, hence the fixed
 * bound: every turn either takes a byte of comm or moves the last star on by one.
 */
static inline int cs_glob_match(const char pattern[CS_COMM_LEN], const char comm[CS_COMM_LEN])
{
	__u32 p = 0, c = 0, star = CS_COMM_LEN, mark = 0;
	int turn;

	for (turn = 0; turn < CS_COMM_LEN * CS_COMM_LEN; turn++) {
		char pc = pattern[p & (CS_COMM_LEN - 1)];
		char cc = comm[c & (CS_COMM_LEN - 1)];

		if (p >= CS_COMM_LEN)
			pc = 0;
		if (c >= CS_COMM_LEN)
			cc = 0;
		if (pc == '*') {
			star = p++;
			mark = c;
		} else if (!cc) {
			return !pc;
		} else if (pc == '?' || pc == cc) {
			p++;
			c++;
		} else if (star != CS_COMM_LEN) {
			p = star + 1;
			c = ++mark;
		} else {
			return 0;
		}
	}
	return 0;
}

#endif
