/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the patterns have in common. They are found in the sums of wakes, without the order of
 * events: the kernel side counts what needs an order (bursts, brief runs), and the rest follows
 * from who woke whom, and where.
 */
#include "analysis/model/wake_pattern.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/wake_pattern_priv.h"
#include "analysis/name/object_label.h"
#include "analysis/name/waker_label.h"
#include "analysis/view/wait_stacks.h"
#include "base/clock.h"
#include "base/mem.h"
#include "profile/wake_wait.h"

#define MATTERS_PERCENT 1

const char *wake_pattern_name(enum wake_pattern_kind kind)
{
	static const char *const names[PATTERN_KINDS] = {
		[PATTERN_HERD] = "herd",
		[PATTERN_STORM] = "storm",
		[PATTERN_CONVOY] = "convoy",
		[PATTERN_PING_PONG] = "ping-pong",
	};

	return (u32)kind < PATTERN_KINDS ? names[kind] : "storm";
}

bool finding__is_often(const struct finding *f, u64 wakes, u32 per_s)
{
	return (unsigned __int128)wakes * NSEC_PER_SEC >=
	       (unsigned __int128)f->p->hdr.window_ns * per_s;
}

bool finding__is_for_lock(const struct finding *f, u32 wake)
{
	switch (causes__of(&f->causes, f->wait_of_wake[wake])) {
	case CAUSE_LOCK:
	case CAUSE_KERNEL_LOCK:
	case CAUSE_MMAP_LOCK:
	case CAUSE_FILE_LOCK:
		return true;
	default:
		return false;
	}
}

void found_pattern__add(struct found_pattern *found, const struct profile_wake *wake)
{
	struct wake_pattern *sums = &found->sums;

	sums->wait_ns += wake->ns;
	sums->wakes += wake->count;
	sums->bursts += wake->bursts;
	sums->brief += wake->brief;
	sums->again += wake->again;
	sums->cpu_ns += wake->brief_ns;
	if (sums->waker && wake->count <= found->most)
		return;
	found->most = wake->count;
	sums->waker = wake->waker;
	found->whom_task = wake->task;
}

int finding__push(struct finding *f, const struct found_pattern *found)
{
	struct found_pattern *slot = vec__push(&f->found);

	if (!slot)
		return -ENOMEM;
	*slot = *found;
	return 0;
}

static int label_objects(struct finding *f)
{
	char label[OBJECT_LABEL_SZ];
	u32 i;
	int r = 0;

	for (i = 1; i < f->p->objects_len && !r; i++)
		r = strtab__add(&f->texts,
				object_label_without_device(f->p, i, label, sizeof(label)),
				&f->object_text[i]);
	return r;
}

static int place_wakers(struct finding *f)
{
	u32 i;
	int r = 0;

	for (i = 1; i < f->p->wakers_len && !r; i++) {
		const struct profile_waker *w = &f->p->wakers[i];

		r = w->ustack ? places__user(&f->places, w->ustack, &f->place_of_waker[i]) :
				places__kernel(&f->places, w->kstack, &f->place_of_waker[i]);
	}
	return r;
}

static int init(struct finding *f, struct cause_memo *memo)
{
	const struct profile *p = f->p;
	int r;

	vec__init(&f->found, sizeof(struct found_pattern));
	r = labels__init(&f->labels, p, NULL);
	if (!r)
		r = places__init(&f->places, p, &f->labels, NULL);
	if (!r)
		r = causes__recall(&f->causes, p, memo, NULL);
	if (!r)
		r = strtab__init(&f->texts);
	if (!r)
		r = wake_waits(p, &f->wait_of_wake);
	f->object_text = mem_array(p->objects_len, sizeof(u32));
	f->place_of_waker = mem_array(p->wakers_len, sizeof(u32));
	f->taken = mem_array(p->wakes_len, sizeof(bool));
	f->herd_of_task = mem_array(p->tasks_len, sizeof(u32));
	if (r || !f->object_text || !f->place_of_waker || !f->taken || !f->herd_of_task)
		return -ENOMEM;
	r = label_objects(f);
	return r ? r : place_wakers(f);
}

static void done(struct finding *f)
{
	mem_free(f->wait_of_wake);
	mem_free(f->object_text);
	mem_free(f->place_of_waker);
	mem_free(f->taken);
	mem_free(f->herd_of_task);
	vec__done(&f->found);
	strtab__done(&f->texts);
	causes__done(&f->causes);
	places__done(&f->places);
	labels__done(&f->labels);
}

/* Waits for work do not count: a convoy is not worth less because other threads are idle. */
static u64 busy_ns(const struct finding *f)
{
	u64 ns = 0;
	u32 i;

	for (i = 1; i < f->p->waits_len; i++) {
		if (causes__class(&f->causes, i) != CLASS_IDLE)
			ns += wait_ns(&f->p->waits[i]);
	}
	return ns;
}

static bool matters(const struct finding *f, const struct wake_pattern *w, u64 busy)
{
	u64 part = w->kind == PATTERN_CONVOY ? w->wait_ns : w->cpu_ns;
	u64 whole = w->kind == PATTERN_CONVOY ? busy : f->p->hdr.window_ns;

	return part && (unsigned __int128)part * 100 >= (unsigned __int128)whole * MATTERS_PERCENT;
}

static int freeze(const struct finding *f, const struct found_pattern *found, u64 busy,
		  struct wake_pattern *ret)
{
	const struct profile_task *whom = &f->p->tasks[found->whom_task];
	char label[WAKER_LABEL_SZ];

	*ret = found->sums;
	ret->matters = matters(f, ret, busy);
	ret->who = arena__strdup(f->a, waker_label(f->p, ret->waker, label, sizeof(label)));
	snprintf(label, sizeof(label), "%s-%u", profile__str(f->p, whom->comm), whom->tid);
	ret->whom = arena__strdup(f->a, label);
	ret->place =
		arena__strdup(f->a, places__text(&f->places, f->place_of_waker[found->sums.waker]));
	ret->object = arena__strdup(f->a, strtab__get(&f->texts, found->object));
	ret->then = arena__strdup(f->a, strtab__get(&f->texts, found->then));
	return ret->who && ret->whom && ret->place && ret->object && ret->then ? 0 : -ENOMEM;
}

static int by_weight(const void *a, const void *b)
{
	const struct wake_pattern *x = a, *y = b;
	int r = (int)y->matters - (int)x->matters;

	if (!r)
		r = (int)x->kind - (int)y->kind;
	if (!r)
		r = (x->wakes < y->wakes) - (x->wakes > y->wakes);
	if (!r)
		r = strcmp(x->who, y->who);
	if (!r)
		r = strcmp(x->object, y->object);
	return r ? r : strcmp(x->place, y->place);
}

static int freeze_all(struct finding *f, struct wake_patterns *ret)
{
	u64 busy = busy_ns(f);
	u32 i;
	int r = 0;

	ret->len = (u32)f->found.len;
	ret->list = arena__array(f->a, ret->len, sizeof(*ret->list));
	if (!ret->list)
		return -ENOMEM;
	for (i = 0; i < ret->len && !r; i++)
		r = freeze(f, vec__at(&f->found, i), busy, &ret->list[i]);
	if (!r && ret->len)
		qsort(ret->list, ret->len, sizeof(*ret->list), by_weight);
	return r;
}

int wake_patterns__build(const struct profile *p, struct cause_memo *memo, struct arena *a,
			 struct wake_patterns *ret, struct err *err)
{
	struct finding f = { .p = p, .a = a };
	int r = init(&f, memo);

	*ret = (struct wake_patterns){ 0 };
	if (!r)
		r = find_ping_pongs(&f);
	if (!r)
		r = find_herds(&f);
	if (!r)
		r = find_convoys(&f);
	if (!r)
		r = find_storms(&f);
	if (!r)
		r = freeze_all(&f, ret);
	done(&f);
	return r ? err__nomem(err) : 0;
}
