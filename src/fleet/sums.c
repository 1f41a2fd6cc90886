/* SPDX-License-Identifier: Apache-2.0 */
/* Answers become rows of numbers; equal texts are one. */
#include "fleet/sums.h"

#include <errno.h>
#include <string.h>

int fleet_sums__init(struct fleet_sums *s)
{
	int r;

	memset(s, 0, sizeof(*s));
	vec__init(&s->windows, sizeof(struct fleet_window));
	vec__init(&s->sums, sizeof(struct fleet_sum));
	vec__init(&s->frames, sizeof(u32));
	r = strtab__init(&s->strings);
	return r ? r : intern__init(&s->stacks, sizeof(struct fleet_stack), sizeof(u64));
}

void fleet_sums__done(struct fleet_sums *s)
{
	vec__done(&s->windows);
	vec__done(&s->sums);
	vec__done(&s->frames);
	strtab__done(&s->strings);
	intern__done(&s->stacks);
}

typedef int take_fn(struct fleet_sums *s, struct fleet_answer *a);

static int take_all(struct fleet_sums *s, struct view body, take_fn *take, struct err *err)
{
	struct fleet_answer a;
	int r = fleet_answer__begin(&a, body, err), more = 0;

	while (!r && (more = fleet_answer__row(&a, err)) > 0) {
		r = take(s, &a);
		if (r)
			err__nomem(err);
	}
	fleet_answer__done(&a);
	return r ? r : more;
}

static int take_window(struct fleet_sums *s, struct fleet_answer *a)
{
	struct fleet_window *w = vec__push(&s->windows);
	int r = w ? 0 : -ENOMEM;

	if (!r)
		r = fleet_answer__text(a, &s->strings, &w->host);
	if (r)
		return r;
	w->begin_ns = fleet_answer__u64(a);
	w->window_ns = fleet_answer__u64(a);
	w->rows = fleet_answer__u64(a);
	w->different = fleet_answer__u64(a);
	w->unnumbered = fleet_answer__u64(a);
	w->sent = fleet_answer__u64(a);
	w->knows_sent = fleet_answer__u64(a);
	w->sampled = fleet_answer__u64(a);
	w->ns = fleet_answer__u64(a);
	w->service_ns = fleet_answer__u64(a);
	return 0;
}

static int take_sum(struct fleet_sums *s, struct fleet_answer *a)
{
	struct fleet_sum row = { 0 }, *at;
	u32 *const first[] = { &row.host,    &row.service, &row.cause,	   &row.class, &row.state,
			       &row.syscall, &row.cgroup,  &row.container, &row.thread };
	int r = 0;

	for (size_t i = 0; i < ARRAY_LEN(first) && !r; i++)
		r = fleet_answer__text(a, &s->strings, first[i]);
	row.pid = (u32)fleet_answer__u64(a);
	row.tid = (u32)fleet_answer__u64(a);
	if (!r)
		r = fleet_answer__text(a, &s->strings, &row.object);
	if (!r)
		r = fleet_answer__text(a, &s->strings, &row.owner);
	row.stack = fleet_answer__u64(a);
	row.ns = fleet_answer__u64(a);
	row.count = fleet_answer__u64(a);
	row.runq_ns = fleet_answer__u64(a);
	a->v.bad |= row.runq_ns > row.ns;
	at = r ? NULL : vec__push(&s->sums);
	if (!at || __builtin_add_overflow(s->ns, row.ns, &s->ns))
		return -ENOMEM;
	*at = row;
	return 0;
}

static int take_list(struct fleet_sums *s, struct fleet_answer *a, u32 *ret_len)
{
	u32 *id;
	int r = 0;

	*ret_len = 0;
	fleet_answer__list(a);
	while (!r && fleet_answer__more(a)) {
		id = vec__push(&s->frames);
		if (!id)
			return -ENOMEM;
		r = fleet_answer__text(a, &s->strings, id);
		++*ret_len;
	}
	return r;
}

static int take_stack(struct fleet_sums *s, struct fleet_answer *a)
{
	struct fleet_stack key = { .stack = fleet_answer__u64(a) }, *stack;
	u32 id;
	int r = intern__add(&s->stacks, &key, &id);

	if (r)
		return r;
	stack = intern__at(&s->stacks, id);
	stack->first = (u32)s->frames.len;
	r = take_list(s, a, &stack->len);
	if (!r)
		r = take_list(s, a, &stack->files_len);
	stack->kernel = (u32)fleet_answer__u64(a);
	return r;
}

int fleet_sums__take_windows(struct fleet_sums *s, struct view body, struct err *err)
{
	vec__reset(&s->windows);
	return take_all(s, body, take_window, err);
}

int fleet_sums__take_sums(struct fleet_sums *s, struct view body, struct err *err)
{
	vec__reset(&s->sums);
	s->ns = 0;
	return take_all(s, body, take_sum, err);
}

int fleet_sums__take_stacks(struct fleet_sums *s, struct view body, struct err *err)
{
	return take_all(s, body, take_stack, err);
}
