/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel adds up by process, function, reason and two stacks; here they become groups and
 * stacks of the recording, while the process and its tables of functions are still known. Probes
 * that cost too much stay off: to put them on again for a part of the time would miss long waits
 * more often than short ones.
 */
#include "async/tasks_measure.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "async/go/go_sites.h"
#include "async/go/go_waker.h"
#include "async/tasks_priv.h"
#include "base/clock.h"
#include "base/text/units.h"

/* Probes may cost their share of the time that has passed; of what they did not take, so much. */
#define CREDIT_NS (10 * NSEC_PER_SEC)
/* And at the begin as if this had. */
#define ADVANCE_NS NSEC_PER_SEC
#define PPM 1000000

int tasks_measure__open(struct tasks_measure *m, u64 ppm, struct err *err)
{
	int r = intern__init(&m->sums, sizeof(struct measured_sum),
			     offsetof(struct measured_sum, count));

	m->share_ppm = ppm * (u64)sysconf(_SC_NPROCESSORS_ONLN);
	return r ? err__nomem(err) : go_probes__open(&m->probes, err);
}

void tasks_measure__done(struct tasks_measure *m)
{
	go_probes__free(m->probes);
	if (m->sums.items.elem_sz)
		intern__done(&m->sums);
}

/* Time with probes ends here, or begins. */
static void switch_clock(struct tasks_measure *m, bool on, u64 now_ns)
{
	if (m->on_since_ns)
		m->now.on_ns += now_ns - m->on_since_ns;
	m->on_since_ns = on ? now_ns : 0;
	if (on && !m->begin_ns)
		m->begin_ns = now_ns;
}

static int say(struct tasks *t, const struct task_process *p, const char *why)
{
	char text[512];

	snprintf(text, sizeof(text), "waits of process %u (%s) are not measured: %.400s", p->tgid,
		 p->comm, why);
	return notices__add(&t->notices, text);
}

static int attach(struct tasks *t, struct task_process *p)
{
	struct tasks_measure *m = &t->measure;
	struct go_probe_target target = { .tgid = p->tgid,
					  .serial = m->serials + 1,
					  .reason_off = p->layout.shape.reason,
					  .start_off = p->layout.start };
	struct err why;
	struct vec sites;
	int r;

	vec__init(&sites, sizeof(struct go_site));
	r = go_sites_find(&p->go, &sites, &why);
	target.sites = sites.data;
	target.sites_len = sites.len;
	if (!r)
		r = go_probes__attach(m->probes, &target, &why);
	vec__done(&sites);
	if (r)
		return r == -ENOMEM ? r : say(t, p, why.msg);
	p->serial = ++m->serials;
	if (!m->on_since_ns)
		switch_clock(m, true, clock_mono_ns());
	return 0;
}

int tasks_measure__follow(struct tasks *t)
{
	int r = 0;

	if (!t->measure.probes || t->measure.is_over)
		return 0;
	for (size_t i = 0; !r && i < t->processes.len; i++) {
		struct task_process *p = tasks_process(t, i);

		if (p->state != TASK_PROCESS_READ || p->was_measured)
			continue;
		p->was_measured = true;
		if (p->runtime == TASK_RUNTIME_GO)
			r = attach(t, p);
		else if (!whom__is_wide(&t->whom))
			r = say(t, p, "only those of goroutines can be");
	}
	return r;
}

static const char *function_of(void *arg, u64 addr)
{
	const struct task_process *p = arg;
	const char *name;
	u64 start;

	return go_program__function(&p->go, addr - p->layout.bias, &start, &name) ? name : NULL;
}

static struct task_process *process_of(const struct tasks *t, u32 serial)
{
	for (size_t i = 0; i < t->processes.len; i++) {
		struct task_process *p = tasks_process(t, i);

		if (p && p->serial == serial) /* NULL: it was forgotten a moment ago */
			return p;
	}
	return NULL;
}

static int stacks_of(struct tasks *t, const struct cs_go_sum_key *key, struct measured_sum *sum)
{
	struct task_process *p = t->current;
	const char *reason = go_layout__reason(&p->layout, key->reason), *note;
	struct task_seen seen = { .stack = &t->readers.go.stack };
	char word[TASK_REASON_SZ + 2];
	struct cs_go_stack raw;
	int r = 0;

	snprintf(word, sizeof(word), "[%s]", reason ? reason : "");
	if (go_probes__stack(t->measure.probes, key->stack, &raw)) {
		go_waker_parked(&raw, function_of, p, seen.stack);
		r = tasks_stack_of(t, &seen, reason ? word : NULL, &sum->stack);
	}
	if (!r && go_probes__stack(t->measure.probes, key->waker, &raw)) {
		note = go_waker_of(&raw, reason, function_of, p, seen.stack);
		r = tasks_stack_of(t, &seen, note, &sum->waker);
	}
	return r;
}

/* A sum of the kernel. */
static int take(void *arg, const struct cs_go_sum_key *key, const struct cs_go_sum *from)
{
	struct tasks *t = arg;
	struct task_seen seen = { .start = key->start };
	struct measured_sum sum = { 0 }, *to;
	u32 id;
	int r;

	t->current = process_of(t, key->serial);
	if (!t->current || t->current->state != TASK_PROCESS_READ) {
		t->measure.now.counts.sums_full -= from->count;
		t->measure.now.counts.sums_full_ns -= from->total_ns;
		return 0;
	}
	r = tasks_group_of(t, &seen, &sum.group);
	if (!r)
		r = stacks_of(t, key, &sum);
	if (!r)
		r = intern__add(&t->measure.sums, &sum, &id);
	if (r)
		return r;
	((struct task_group *)intern__at(&t->groups, sum.group))->measured = true;
	to = intern__at(&t->measure.sums, id);
	to->count += from->count;
	to->total_ns += from->total_ns;
	to->max_ns = to->max_ns > from->max_ns ? to->max_ns : from->max_ns;
	for (u32 i = 0; i < CS_HIST_LEN; i++)
		to->hist[i] += from->hist[i];
	return 0;
}

/* Shows what ended up to now. -ENOMEM or 0. */
static int drain(struct tasks *t, go_sum_fn *each)
{
	go_probes__turn(t->measure.probes);
	return go_probes__drain(t->measure.probes, each, t) == -ENOMEM ? -ENOMEM : 0;
}

static int forget(void *arg, const struct cs_go_sum_key *key, const struct cs_go_sum *sum)
{
	(void)arg;
	(void)key;
	(void)sum;
	return 0;
}

int tasks_measure__discard(struct tasks *t)
{
	return t->measure.probes ? drain(t, forget) : 0;
}

int tasks_measure__leave(struct tasks *t, struct task_process *p)
{
	int r;

	if (!p->serial)
		return 0;
	go_probes__detach(t->measure.probes, p->serial);
	r = drain(t, take);
	p->serial = 0;
	p->was_measured = false;
	if (!go_probes__are_on(t->measure.probes))
		switch_clock(&t->measure, false, clock_mono_ns());
	return r;
}

void tasks_measure__stop(struct tasks *t)
{
	struct tasks_measure *m = &t->measure;

	if (!m->probes || m->is_over)
		return;
	switch_clock(m, false, clock_mono_ns());
	m->is_over = true;
	go_probes__detach_all(m->probes);
}

static int take_off(struct tasks *t, u64 now_ns)
{
	char text[256], after[32];

	tasks_measure__stop(t);
	units_format_ns(now_ns - t->measure.begin_ns, after, sizeof(after));
	snprintf(text, sizeof(text),
		 "waits are not measured any more: after %s, probes cost more than half of "
		 "--max-overhead, %.2f%% of a CPU; waits that end later are missing",
		 after, 100.0 * (double)t->measure.share_ppm / PPM);
	return notices__add(&t->notices, text);
}

static s64 share_of(const struct tasks_measure *m, u64 ns)
{
	return (s64)((double)ns * (double)m->share_ppm / PPM);
}

/* Hours in which little happened do not pay for a burst. */
static void add_cost(struct tasks_measure *m, u64 cost_ns, u64 now_ns)
{
	u64 since_ns = m->turn_ns ? m->turn_ns : m->begin_ns;
	s64 least_ns = -share_of(m, CREDIT_NS);

	m->debt_ns += (s64)(cost_ns - m->spent_ns) - share_of(m, now_ns - since_ns);
	if (m->debt_ns < least_ns)
		m->debt_ns = least_ns;
	m->spent_ns = cost_ns;
	m->turn_ns = now_ns;
}

int tasks_measure__turn(struct tasks *t)
{
	struct tasks_measure *m = &t->measure;
	u64 now_ns = clock_mono_ns();
	struct cs_go_counts counts;

	if (!m->probes || !m->on_since_ns)
		return 0;
	go_probes__count(m->probes, &counts);
	add_cost(m, go_probes__cost_ns(m->probes, &counts), now_ns);
	return m->debt_ns > share_of(m, ADVANCE_NS) ? take_off(t, now_ns) : 0;
}

/* Counters of the kernel at the begin are subtracted at the end. */
void tasks_measure__begin(struct tasks *t, u64 at_ns)
{
	struct tasks_measure *m = &t->measure;

	if (!m->probes)
		return;
	switch_clock(m, m->on_since_ns, at_ns);
	m->now = (struct measured_time){ 0 };
	go_probes__count(m->probes, &m->now.counts);
}

int tasks_measure__end(struct tasks *t, u64 at_ns)
{
	struct tasks_measure *m = &t->measure;
	struct cs_go_counts *c = &m->closed.counts;
	const struct cs_go_counts *begin = &m->now.counts;
	int r;

	if (!m->probes)
		return 0;
	switch_clock(m, m->on_since_ns, at_ns);
	r = drain(t, take);
	m->closed = (struct measured_time){ .on_ns = m->now.on_ns };
	go_probes__count(m->probes, c);
	c->hits -= begin->hits;
	c->prog_ns -= begin->prog_ns;
	c->unbegun -= begin->unbegun;
	c->unended -= begin->unended;
	c->parked_full -= begin->parked_full;
	c->sums_full -= begin->sums_full;
	c->sums_full_ns -= begin->sums_full_ns;
	c->stacks_lost -= begin->stacks_lost;
	return r;
}

static int give_losses(const struct cs_go_counts *c, struct builder *b)
{
	int r = builder__loss(b, LOSS_MEASURED_UNBEGUN, c->unbegun, 0);

	if (!r)
		r = builder__loss(b, LOSS_MEASURED_UNENDED, c->unended, 0);
	if (!r)
		r = builder__loss(b, LOSS_MEASURED_FULL, c->parked_full + c->sums_full,
				  c->sums_full_ns);
	return r ? r : builder__loss(b, LOSS_MEASURED_BARE, c->stacks_lost, 0);
}

static int give_sum(struct tasks *t, const struct measured_sum *sum, struct builder *b,
		    const struct capture_files *files, const u32 *ids)
{
	struct profile_measured m = { .task = ids[sum->group],
				      .count = sum->count,
				      .total_ns = sum->total_ns,
				      .max_ns = sum->max_ns };
	struct looker *l = &t->looker;
	int r = stack_book__give(&l->stacks, &l->code, files, sum->stack, b, &m.ustack);

	if (!r)
		r = stack_book__give(&l->stacks, &l->code, files, sum->waker, b, &m.waker_ustack);
	for (u32 i = 0; i < CS_HIST_LEN; i++)
		m.hist[i] = (u32)sum->hist[i];
	return r ? r : builder__measured(b, &m);
}

static bool none(void *arg, void *item)
{
	(void)arg;
	(void)item;
	return false;
}

int tasks_measure__give(struct tasks *t, struct builder *b, const struct capture_files *files,
			const u32 *ids)
{
	struct tasks_measure *m = &t->measure;
	struct profile_header *h = builder__header(b);
	int r = 0;

	if (!m->probes)
		return 0;
	h->measured = 1;
	h->measured_ns = m->closed.on_ns;
	h->measure_hits = m->closed.counts.hits;
	h->measure_cost_ns = go_probes__cost_ns(m->probes, &m->closed.counts);
	for (u32 i = 1; !r && i < intern__len(&m->sums); i++)
		r = give_sum(t, intern__at(&m->sums, i), b, files, ids);
	intern__retain(&m->sums, none, NULL);
	return r ? r : give_losses(&m->closed.counts, b);
}
