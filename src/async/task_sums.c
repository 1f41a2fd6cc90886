/* SPDX-License-Identifier: Apache-2.0 */
/* A pass gets its time when the next one begins, so it is kept until then. */
#include "async/task_sums.h"

#include <errno.h>

#include "profile/estimate.h"

#define SLICES_MIN 4

struct task_sight {
	u32 key;
	u32 weight;
};

int task_sums__init(struct task_sums *s)
{
	*s = (struct task_sums){ 0 };
	vec__init(&s->pending, sizeof(struct task_sight));
	return intern__init(&s->keys, sizeof(struct task_sum), sizeof(struct task_key));
}

void task_sums__done(struct task_sums *s)
{
	if (!s || !s->pending.elem_sz)
		return;
	intern__done(&s->keys);
	vec__done(&s->pending);
}

u32 task_sums__len(const struct task_sums *s)
{
	return intern__len(&s->keys);
}

static struct task_sum *at(const struct task_sums *s, u32 id)
{
	return intern__at(&s->keys, id);
}

const struct task_sum *task_sums__at(const struct task_sums *s, u32 id)
{
	return at(s, id);
}

void task_sums__begin(struct task_sums *s, u64 at_ns)
{
	for (u32 i = 1; i < task_sums__len(s); i++)
		*at(s, i) = (struct task_sum){ .key = at(s, i)->key };
	vec__reset(&s->pending);
	s->begin_ns = s->middle_ns = s->slice_begin_ns = at_ns;
	s->pass_ns = 0;
	s->passes = s->slices = (struct task_lengths){ 0 };
}

static double in_us(u64 ns)
{
	return (double)ns / NSEC_PER_USEC;
}

static void add_part(struct task_parts *parts, double us, double length_us)
{
	parts->squares += us * us;
	parts->products += us * length_us;
}

static void add_length(struct task_lengths *lengths, double us)
{
	lengths->n++;
	lengths->squares += us * us;
}

/* The pending pass stands for the time until `until_ns`. */
static void give_out(struct task_sums *s, u64 until_ns)
{
	u64 ns = until_ns - s->middle_ns;

	for (size_t i = 0; i < s->pending.len; i++) {
		const struct task_sight *sight = vec__at(&s->pending, i);
		struct task_sum *sum = at(s, sight->key);

		sum->ns += ns * sight->weight;
		sum->slice_ns += ns * sight->weight;
		sum->seen++;
		sum->pass_us += in_us(ns) * sight->weight;
	}
	for (size_t i = 0; i < s->pending.len; i++) {
		const struct task_sight *sight = vec__at(&s->pending, i);
		struct task_sum *sum = at(s, sight->key);

		add_part(&sum->passes, sum->pass_us, in_us(ns));
		sum->pass_us = 0;
	}
	add_length(&s->passes, in_us(ns));
	vec__reset(&s->pending);
	s->middle_ns = until_ns;
}

static void end_slice(struct task_sums *s, u64 at_ns)
{
	double length_us = in_us(at_ns - s->slice_begin_ns);

	for (u32 i = 1; i < task_sums__len(s); i++) {
		struct task_sum *sum = at(s, i);

		add_part(&sum->slices, in_us(sum->slice_ns), length_us);
		sum->slice_ns = 0;
	}
	add_length(&s->slices, length_us);
	s->slice_begin_ns = at_ns;
}

void task_sums__pass(struct task_sums *s, u64 at_ns)
{
	if (s->pass_ns)
		give_out(s, s->pass_ns + (at_ns - s->pass_ns) / 2);
	if (s->middle_ns - s->slice_begin_ns >= TASK_SLICE_NS)
		end_slice(s, s->middle_ns);
	s->pass_ns = at_ns;
}

int task_sums__add(struct task_sums *s, const struct task_key *key, u32 weight)
{
	const struct task_sum sum = { .key = *key };
	struct task_sight *sight = vec__push(&s->pending);

	if (!sight)
		return -ENOMEM;
	sight->weight = weight;
	return intern__add(&s->keys, &sum, &sight->key);
}

void task_sums__end(struct task_sums *s, u64 at_ns)
{
	if (s->pass_ns)
		give_out(s, at_ns);
	end_slice(s, at_ns);
}

/* Of parts of different lengths, each against what it would have if all had the same share. */
u64 task_sums__variance_us2(const struct task_sums *s, const struct task_sum *sum)
{
	bool by_slice = s->slices.n >= SLICES_MIN;
	const struct task_lengths *lengths = by_slice ? &s->slices : &s->passes;
	const struct task_parts *parts = by_slice ? &sum->slices : &sum->passes;
	double share, ret, n = lengths->n;

	if (n < 2 || s->middle_ns <= s->begin_ns)
		return 0;
	share = in_us(sum->ns) / in_us(s->middle_ns - s->begin_ns);
	ret = parts->squares - 2 * share * parts->products + share * share * lengths->squares;
	ret *= n / (n - 1);
	if (ret >= (double)ESTIMATE_VAR_MAX)
		return ESTIMATE_VAR_MAX;
	return ret > 0 ? (u64)ret : 0;
}
