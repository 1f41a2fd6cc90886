/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_MEMO_BPF_H
#define LIB_MEMO_BPF_H

/*
 * User stacks that have not changed since they were walked.
 *
 * A walk is a function of the registers it begins with and uses, of the words of the stack that
 * lead it, and of tables and mappings. A thread that waits at the same place again has the same
 * registers and, most often, the same words: to read those at once and compare their hash takes a
 * tenth of the walk. What cannot be compared (Python's own frames, rare rules) is not remembered,
 * and nothing for longer than mappings are believed; see mapping.bpf.c.
 */
#include "lib/walk.bpf.h"

#define MEMOS 256 /* for each CPU */

struct memo {
	u64 mm;
	u64 image;
	u64 exec_vm;
	u64 ip;
	u64 sp;
	u64 fp;
	u64 bx;
	u64 until_ns;
	u64 hash; /* of the words */
	u64 stack; /* its id in the table of stacks */
	u32 tables_gen;
	u32 span; /* bytes from sp to the end of the last word */
	u32 len;
	u32 used; /* enum walk_reg: compared too */
	u16 trail[TRAIL_MAX];
};

struct memos_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MEMOS);
	__type(key, u32);
	__type(value, struct memo);
};

/* The part of the stack that is compared. */
struct memo_words {
	u8 byte[TRAIL_SPAN];
};

struct memo_words_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct memo_words);
};

extern struct memos_map memos SEC(".maps");
extern struct memo_words_map memo_words SEC(".maps");

/*
 * The id of the stack that a walk which is about to begin would find, or 0 when only the walk can
 * tell. In memo.bpf.c, as the next one.
 */
u64 memo_recall(struct user_walk *w);
/* Remembers the walk that has just ended with the stack `stack`, if it can be. */
int memo_keep(struct user_walk *w, u64 stack);

#endif
