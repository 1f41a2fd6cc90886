/* SPDX-License-Identifier: Apache-2.0 */
/* Value 1 of the map: the server has it; 2: it is in the window that is being sent. */
#include "push/sent_stacks.h"

#include <errno.h>

/* About 16 MiB; a busy host has some ten thousand stacks in a day. */
#define STACKS_MAX 500000

enum { SENT = 1, FRESH = 2 };

void sent_stacks__init(struct sent_stacks *s)
{
	*s = (struct sent_stacks){ 0 };
	map64__init(&s->sent);
	vec__init(&s->fresh, sizeof(u64));
}

void sent_stacks__done(struct sent_stacks *s)
{
	map64__done(&s->sent);
	vec__done(&s->fresh);
}

void sent_stacks__begin(struct sent_stacks *s, u32 day)
{
	if (day != s->day || s->sent.len > STACKS_MAX) {
		map64__done(&s->sent);
		map64__init(&s->sent);
	}
	s->day = day;
	/* those of a window that was not taken: 0 is as if they were not there */
	for (size_t i = 0; i < s->fresh.len; i++) {
		u64 hash = *(u64 *)vec__at(&s->fresh, i), value;

		if (map64__get(&s->sent, hash, &value))
			(void)map64__set(&s->sent, hash, 0);
	}
	vec__reset(&s->fresh);
}

int sent_stacks__add(struct sent_stacks *s, u64 hash)
{
	u64 value, *slot;

	if (map64__get(&s->sent, hash, &value) && value)
		return 0;
	slot = vec__push(&s->fresh);
	if (!slot)
		return -ENOMEM;
	*slot = hash;
	return map64__set(&s->sent, hash, FRESH) ? -ENOMEM : 1;
}

void sent_stacks__taken(struct sent_stacks *s)
{
	for (size_t i = 0; i < s->fresh.len; i++)
		(void)map64__set(&s->sent, *(u64 *)vec__at(&s->fresh, i), SENT);
	vec__reset(&s->fresh);
}
