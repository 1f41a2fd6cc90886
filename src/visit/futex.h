/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VISIT_FUTEX_H
#define VISIT_FUTEX_H

#include "base/types.h"
#include "profile/object.h"

/* Words around the one that a thread sleeps on: from 8 bytes before it on. */
#define FUTEX_WORDS 8

/* A call of futex(), and the memory around its word. Pure. */
struct futex_call {
	u64 addr;
	u32 op;
	u32 val;
	u64 sp; /* of the thread */
	bool has_words; /* they could be read */
	u32 words[FUTEX_WORDS];
};

/* What it is part of, by the same signs as in bpf/lib/futex.bpf.h. */
enum futex_kind futex_kind_of(const struct futex_call *c);
/* Where the object begins, because threads sleep on two words of it. */
u64 futex_base(const struct futex_call *c, enum futex_kind kind);
/* The TID of its owner, as the program numbers it; 0: none, or it is not known. */
u32 futex_owner_of(const struct futex_call *c);

#endif
