/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_RULES_H
#define UNWIND_RULES_H

#include "abi/unwind.h"
#include "base/types.h"

/* Present from the start. */
#define RULES_NONE 0
#define RULES_UNSUPPORTED 1

/*
 * The dictionary of rules for finding a caller, shared by the tables of all files. It only grows; a
 * number always means the same rule, and its entry is written before the number is handed out. Not
 * thread-safe.
 */
struct rules {
	struct cs_unwind_rule *at; /* borrowed */
	u16 *slots;
	u32 len;
	u64 refused; /* rows that became "unsupported" because the dictionary was full */
};

/*
 * `at` is zeroed memory for CS_RULES_MAX entries (that of a BPF array); it is borrowed until
 * rules__done(). -ENOMEM or 0.
 */
int rules__init(struct rules *rules, struct cs_unwind_rule *at);
/* NULL is fine. */
void rules__done(struct rules *rules);
/* The number of an equal rule, added if missing. RULES_UNSUPPORTED if the dictionary is full. */
u16 rules__number(struct rules *rules, const struct cs_unwind_rule *rule);

#endif
