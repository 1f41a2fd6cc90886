/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lock that is handed from one waiting thread to the next. The waker of a wait in a convoy waited
 * for the lock itself for most of that wait: so on average two or more threads waited. If only two
 * threads compete for a lock, or one holds it for long, the waker did something else meanwhile.
 *
 * The threads of a herd that meet at a lock are such a convoy too; it is shown with the herd.
 */
#include <errno.h>

#include "analysis/model/wake_pattern_priv.h"
#include "base/mem.h"
#include "profile/wake_wait.h"

#define CONVOY_THREADS 3
#define OFTEN_PER_S 10

struct convoy {
	u32 object; /* text */
	u32 pad;
	u64 handed; /* wakeups by a thread that waits for the lock too */
	u64 known_ns; /* blocked, and it is known what the waker did */
	u64 same_ns; /* of that, it waited for the lock too */
	u64 of_herd; /* wakeups of threads that are in that herd */
	u32 herd; /* 1 + number in `found`; 0: none */
	struct found_pattern found;
};

/* A thread that waits for a lock. */
struct waiter {
	u32 convoy;
	u32 task;
};

struct locks {
	struct finding *f;
	struct intern convoys;
	struct intern waiters;
	u32 *convoy_of_wake;
};

static int add_waiter(struct locks *l, u32 i)
{
	const struct profile_wake *wake = &l->f->p->wakes[i];
	struct convoy key = { .object = l->f->object_text[wake->object] }, *convoy;
	struct waiter waiter = { .task = wake->task };
	u32 known = intern__len(&l->waiters), id;

	if (l->f->taken[i] || !key.object || !finding__is_for_lock(l->f, i))
		return 0;
	if (intern__add(&l->convoys, &key, &l->convoy_of_wake[i]))
		return -ENOMEM;
	waiter.convoy = l->convoy_of_wake[i];
	if (intern__add(&l->waiters, &waiter, &id))
		return -ENOMEM;
	convoy = intern__at(&l->convoys, waiter.convoy);
	convoy->found.sums.sleepers += intern__len(&l->waiters) - known;
	convoy->found.object = key.object;
	found_pattern__add(&convoy->found, wake);
	return 0;
}

static bool waits_too(const struct locks *l, u32 convoy, u32 task)
{
	const struct waiter waiter = { .convoy = convoy, .task = task };

	return task && intern__find(&l->waiters, &waiter);
}

static void add_waker(struct locks *l, u32 i)
{
	const struct profile_wake *wake = &l->f->p->wakes[i];
	struct convoy *convoy = intern__at(&l->convoys, l->convoy_of_wake[i]);
	u32 herd = l->f->herd_of_task[wake->task];

	if (waits_too(l, l->convoy_of_wake[i], l->f->p->wakers[wake->waker].task))
		convoy->handed += wake->count;
	if (wake->doing != DOING_WOKEN && wake->doing != DOING_UNKNOWN &&
	    (wake->doing != DOING_BLOCKED || wake_has_own_wait(wake)))
		convoy->known_ns += wake->ns;
	if (wake->doing == DOING_BLOCKED && l->f->object_text[wake->did_object] == convoy->object)
		convoy->same_ns += wake->ns;
	if (herd && (!convoy->herd || convoy->herd == herd)) {
		convoy->herd = herd;
		convoy->of_herd += wake->count;
	}
}

static bool is_convoy(const struct finding *f, const struct convoy *c)
{
	const struct wake_pattern *sums = &c->found.sums;

	return sums->sleepers >= CONVOY_THREADS && c->handed * 2 > sums->wakes &&
	       c->same_ns * 2 > c->known_ns && finding__is_often(f, sums->wakes, OFTEN_PER_S);
}

/*
 * NULL: the convoy belongs to no herd. A thread of a herd may wait for the lock twice: when it is
 * woken, and when it is about to sleep again.
 */
static struct found_pattern *herd_of(struct finding *f, const struct convoy *c)
{
	struct found_pattern *herd = c->herd ? vec__at(&f->found, c->herd - 1) : NULL;

	return herd && c->of_herd * 10 >= c->found.sums.wakes * 9 &&
			       c->found.sums.wakes <= 2 * herd->sums.wakes ?
		       herd :
		       NULL;
}

static int push(struct locks *l)
{
	u32 i;
	int r = 0;

	for (i = 1; i < intern__len(&l->convoys) && !r; i++) {
		struct convoy *c = intern__at(&l->convoys, i);
		struct found_pattern *herd = herd_of(l->f, c);

		if (!is_convoy(l->f, c)) {
			c->found.sums.sleepers = 0;
			continue;
		}
		c->found.sums.kind = PATTERN_CONVOY;
		c->found.sums.wakers = c->found.sums.sleepers;
		if (herd)
			herd->then = c->object;
		else
			r = finding__push(l->f, &c->found);
	}
	for (i = 1; i < l->f->p->wakes_len && !r; i++) {
		const struct convoy *c = intern__at(&l->convoys, l->convoy_of_wake[i]);

		if (c->found.sums.sleepers)
			l->f->taken[i] = true;
	}
	return r;
}

int find_convoys(struct finding *f)
{
	struct locks l = { .f = f };
	u32 i;
	int r = intern__init(&l.convoys, sizeof(struct convoy), offsetof(struct convoy, handed));

	l.convoy_of_wake = mem_array(f->p->wakes_len, sizeof(*l.convoy_of_wake));
	if (!r)
		r = intern__init(&l.waiters, sizeof(struct waiter), sizeof(struct waiter));
	if (!l.convoy_of_wake)
		r = -ENOMEM;
	for (i = 1; i < f->p->wakes_len && !r; i++)
		r = add_waiter(&l, i);
	for (i = 1; i < f->p->wakes_len && !r; i++) {
		if (l.convoy_of_wake[i])
			add_waker(&l, i);
	}
	if (!r)
		r = push(&l);
	intern__done(&l.convoys);
	intern__done(&l.waiters);
	mem_free(l.convoy_of_wake);
	return r;
}
