/* SPDX-License-Identifier: Apache-2.0 */
/* A pass gets its time when the next one begins, so it is kept until then. */
#include "async/task_sums.h"

#include <errno.h>

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
	s->passes = s->slices = 0;
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
		sum->pass_us += (double)ns / NSEC_PER_USEC * sight->weight;
	}
	for (size_t i = 0; i < s->pending.len; i++) {
		struct task_sum *sum =
			at(s, ((const struct task_sight *)vec__at(&s->pending, i))->key);

		sum->pass_squares += sum->pass_us * sum->pass_us;
		sum->pass_us = 0;
	}
	s->passes++;
	vec__reset(&s->pending);
	s->middle_ns = until_ns;
}

static void end_slice(struct task_sums *s, u64 at_ns)
{
	for (u32 i = 1; i < task_sums__len(s); i++) {
		struct task_sum *sum = at(s, i);
		double us = (double)sum->slice_ns / NSEC_PER_USEC;

		sum->slice_squares += us * us;
		sum->slice_ns = 0;
	}
	s->slices++;
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

u64 task_sums__variance_us2(const struct task_sums *s, const struct task_sum *sum)
{
	double us = (double)sum->ns / NSEC_PER_USEC;
	bool by_slice = s->slices >= SLICES_MIN;
	double n = by_slice ? s->slices : s->passes, ret;

	if (n < 2)
		return 0;
	ret = ((by_slice ? sum->slice_squares : sum->pass_squares) - us * us / n) * n / (n - 1);
	return ret > 0 ? (u64)ret : 0;
}
