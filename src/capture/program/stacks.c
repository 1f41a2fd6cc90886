/* SPDX-License-Identifier: Apache-2.0 */

/* Read once and whole: kernel addresses want names before waits are taken in. */
#include "capture/program/stacks.h"

#include <errno.h>
#include <string.h>

#include "base/self_memory.h"
#include "capture/program/tables.h"

void stacks__init(struct stacks *s)
{
	vec__init(&s->bytes, 1);
	vec__init(&s->starts, sizeof(size_t));
	map64__init(&s->at);
	s->sz = 0;
	s->full = false;
}

void stacks__done(struct stacks *s)
{
	vec__done(&s->bytes);
	vec__done(&s->starts);
	map64__done(&s->at);
}

static int keep(void *arg, const void *key, const void *value)
{
	struct stacks *s = arg;
	size_t begin = s->bytes.len, max = (s->sz - offsetof(struct cs_stack, pc)) / sizeof(u64);
	struct cs_stack *st;
	size_t *start;

	s->entries[s->table]++;
	s->full = s->full || !self_memory_allows(vec__growth(&s->bytes, s->sz));
	if (s->full)
		return 0;
	st = vec__push_n(&s->bytes, s->sz);
	start = vec__push(&s->starts);
	if (!st || !start)
		return -ENOMEM;
	memcpy(st, value, s->sz);
	if (st->len > max)
		st->len = (u8)max;
	*start = begin;
	return map64__set(&s->at, *(const u64 *)key, begin);
}

int stacks__read(struct stacks *s, const struct programs *p, struct err *err)
{
	int r = 0;

	for (u32 i = 0; !r && i < PROGRAMS_STACKS; i++) {
		int fd = programs__stacks_fd(p, i, &s->sz);

		s->table = i;
		s->entries[i] = 0;
		r = table_read(fd, sizeof(u64), s->sz, keep, s, err);
	}
	return r;
}

const struct cs_stack *stacks__find(const struct stacks *s, u64 id)
{
	u64 begin;

	return map64__get(&s->at, id, &begin) ? vec__at(&s->bytes, begin) : NULL;
}

int stacks__replace(struct stacks *s, u64 id, const struct cs_stack *st)
{
	size_t begin = s->bytes.len;
	struct cs_stack *to = vec__push_n(&s->bytes, sizeof(*st));

	if (!to)
		return -ENOMEM;
	*to = *st;
	return map64__set(&s->at, id, begin);
}

size_t stacks__len(const struct stacks *s)
{
	return s->starts.len;
}

const struct cs_stack *stacks__at(const struct stacks *s, size_t idx)
{
	return vec__at(&s->bytes, *(size_t *)vec__at(&s->starts, idx));
}
