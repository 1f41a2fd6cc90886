/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All programs of a system together have some thousand different rules, so a row refers to one by
 * 16 bits. Walks read the dictionary while it grows. A rule is written before any row can refer to
 * it, because rows reach the walks later, with a map update. This does not use base/intern: the
 * entries belong to someone else, are limited, and are looked up a million times per file.
 */
#include "unwind/rules.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* A power of two; half of them stay free. */
#define SLOTS (2 * CS_RULES_MAX)

static u32 slot_of(const struct cs_unwind_rule *rule)
{
	u64 words[2];

	memcpy(words, rule, sizeof(words));
	/* two good multiplications; the high bits of the product are well mixed */
	words[0] = words[0] * 0x9e3779b97f4a7c15ULL ^ words[1] * 0xbf58476d1ce4e5b9ULL;
	return (u32)(words[0] >> 40) & (SLOTS - 1);
}

int rules__init(struct rules *rules, struct cs_unwind_rule *at)
{
	const struct cs_unwind_rule none = { .cfa = CS_CFA_NONE };
	const struct cs_unwind_rule unsupported = { .cfa = CS_CFA_UNSUPPORTED };

	*rules = (struct rules){ .at = at };
	rules->slots = mem_array(SLOTS, sizeof(*rules->slots));
	if (!rules->slots)
		return -ENOMEM;
	/* slots contain numbers from 1 on; 0 is a free slot, so rule 0 cannot be in one */
	at[RULES_NONE] = none;
	rules->len = 1;
	rules__number(rules, &unsupported);
	return 0;
}

void rules__done(struct rules *rules)
{
	if (!rules)
		return;
	mem_free(rules->slots);
	rules->slots = NULL;
}

u16 rules__number(struct rules *rules, const struct cs_unwind_rule *rule)
{
	u32 slot;

	if (memcmp(rule, &rules->at[RULES_NONE], sizeof(*rule)) == 0)
		return RULES_NONE;
	for (slot = slot_of(rule); rules->slots[slot]; slot = (slot + 1) & (SLOTS - 1))
		if (memcmp(rule, &rules->at[rules->slots[slot]], sizeof(*rule)) == 0)
			return rules->slots[slot];
	if (rules->len == CS_RULES_MAX) {
		rules->refused++;
		return RULES_UNSUPPORTED;
	}
	rules->at[rules->len] = *rule;
	rules->slots[slot] = (u16)rules->len;
	return (u16)rules->len++;
}
