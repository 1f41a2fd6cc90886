/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sums of causes are of the listed waits, as in the page and in the JSON. The others are thread
 * totals, which are exact.
 */
#include "web/source/window_sums.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* Two of them are a second, or less. */
#define INTERVAL_MOST_NS (NSEC_PER_SEC / 2 + NSEC_PER_SEC / 20)

struct grid {
	u64 ns[CAUSE_CNT][CLASS_CNT];
};

static void add_waits(struct window_sums *s, struct grid *g, const struct profile *p,
		      const struct causes *causes)
{
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		u64 ns = w->blocked_ns + w->runq_ns;
		enum wait_class class = causes__class(causes, i);

		g->ns[causes__of(causes, i)][class] += ns;
		if (class == CLASS_IDLE)
			s->idle_ns += ns;
		if (w->flags & WAIT_LOST)
			s->lost_ns += ns;
	}
}

static int keep_causes(struct window_sums *s, const struct grid *g)
{
	u32 len = 0, cause, class;

	for (cause = 0; cause < CAUSE_CNT; cause++) {
		for (class = 0; class < CLASS_CNT; class ++)
			len += g->ns[cause][class] != 0;
	}
	s->causes = mem_array(len ? len : 1, sizeof(*s->causes));
	if (!s->causes)
		return -ENOMEM;
	for (cause = 0; cause < CAUSE_CNT; cause++) {
		for (class = 0; class < CLASS_CNT; class ++) {
			if (g->ns[cause][class])
				s->causes[s->causes_len++] =
					(struct cause_sum){ (u8)cause, (u8) class,
							    g->ns[cause][class] };
		}
	}
	return 0;
}

static int add_causes(struct window_sums *s, const struct profile *p, const struct causes *causes)
{
	struct grid *g = mem_alloc(sizeof(*g));
	int r;

	if (!g)
		return -ENOMEM;
	add_waits(s, g, p, causes);
	r = keep_causes(s, g);
	mem_free(g);
	return r;
}

static u32 find_cause(const struct window_sums *s, u8 cause, u8 class)
{
	u32 i = 0;

	while (i < s->causes_len && (s->causes[i].cause != cause || s->causes[i].class != class))
		i++;
	return i;
}

static void add_replicates(struct window_sums *s, const struct profile *p,
			   const struct causes *causes)
{
	for (u32 i = 0; i < p->replicates_len; i++) {
		const struct profile_replicate *r = &p->replicates[i];
		u32 at = find_cause(s, (u8)causes__of(causes, r->wait),
				    (u8)causes__class(causes, r->wait));

		if (at < s->causes_len)
			s->interval_cause_ns[(size_t)r->interval * s->causes_len + at] += r->ns;
	}
}

/* Longer ones are what a list of windows shows anyway. */
static int add_intervals(struct window_sums *s, const struct profile *p,
			 const struct causes *causes)
{
	u32 len = p->intervals_len;

	if (len < 2 || s->length_ns / len > INTERVAL_MOST_NS)
		return 0;
	s->interval_ns = mem_array(len, sizeof(u64));
	s->interval_cause_ns = mem_array((size_t)len * s->causes_len + 1, sizeof(u64));
	if (!s->interval_ns || !s->interval_cause_ns)
		return -ENOMEM;
	s->intervals_len = len;
	for (u32 i = 0; i < len; i++)
		s->interval_ns[i] = p->intervals[i].length_ns;
	add_replicates(s, p, causes);
	return 0;
}

int window_sums__init(struct window_sums *s, const struct profile *p, const struct ruleset *rules,
		      struct err *err)
{
	struct profile_budget b;
	struct causes causes;
	int r = profile__budget(p, &b);

	memset(s, 0, sizeof(*s));
	if (r)
		return err__nomem(err);
	s->begin_wall_ns = p->hdr.begin_wall_ns;
	s->length_ns = p->hdr.window_ns;
	s->threads = b.threads;
	s->on_ns = b.on_ns;
	s->runq_ns = b.preempted_ns + b.runq_ns;
	s->blocked_ns = b.blocked_ns;
	s->lost_ns = b.unaccounted_ns;
	r = causes__init(&causes, p, rules, err);
	if (!r && (add_causes(s, p, &causes) || add_intervals(s, p, &causes)))
		r = err__nomem(err);
	causes__done(&causes);
	return r;
}

void window_sums__done(struct window_sums *s)
{
	mem_free(s->causes);
	mem_free(s->interval_ns);
	mem_free(s->interval_cause_ns);
	s->causes = NULL;
	s->interval_ns = s->interval_cause_ns = NULL;
	s->causes_len = s->intervals_len = 0;
}
