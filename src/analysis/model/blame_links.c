/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wake says in which wait its waker was blocked, and the chain who ended that. The wakes of that
 * wait say what those who ended it did meanwhile: so a client's wait is followed through servers,
 * without more events. A server with an event loop waits for several requests at once, and some of
 * its waits are short because an answer came just behind another one. Threads of one name in one
 * process, such as those for a request each, are therefore taken together.
 */
#include "analysis/model/blame_links.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/name/waker_label.h"
#include "base/mem.h"

/* A wait as wakes know those of their wakers: without its owner. */
struct group {
	u32 task;
	u32 ustack;
	u32 kstack;
	s32 sysno;
	u32 state;
	u32 flags;
	u32 object;
	u32 waker_tgid;
	u32 waker_name;
	u32 first; /* of its wakes; not part of the key, like the next */
	u64 ns;
};

static int index_wake(struct wake_index *ix, u32 i)
{
	const struct profile_wake *w = &ix->p->wakes[i];
	const struct group key = {
		.task = w->task,
		.ustack = w->ustack,
		.kstack = w->kstack,
		.sysno = w->sysno,
		.state = w->state,
		.flags = w->flags,
		.object = w->object,
		.waker_tgid = ix->p->wakers[w->waker].tgid,
		.waker_name = ix->name_of_waker[w->waker],
	};
	struct group *group;
	u32 id;
	int r;

	if (w->doing == DOING_WOKEN || !w->ns)
		return 0;
	r = intern__add(&ix->groups, &key, &id);
	if (r)
		return r;
	group = intern__at(&ix->groups, id);
	ix->next[i] = group->first;
	group->first = i;
	group->ns += w->ns;
	return 0;
}

int wake_index__init(struct wake_index *ix, const struct profile *p, const u32 *name_of_waker)
{
	u32 i;
	int r;

	memset(ix, 0, sizeof(*ix));
	ix->p = p;
	ix->name_of_waker = name_of_waker;
	r = intern__init(&ix->groups, sizeof(struct group), offsetof(struct group, first));
	ix->next = mem_array(p->wakes_len, sizeof(*ix->next));
	if (!ix->next)
		return -ENOMEM;
	for (i = 1; i < p->wakes_len && !r; i++)
		r = index_wake(ix, i);
	return r;
}

void wake_index__done(struct wake_index *ix)
{
	intern__done(&ix->groups);
	mem_free(ix->next);
}

u32 wake_index__behind(const struct wake_index *ix, u32 wake)
{
	const struct profile_wake *w = &ix->p->wakes[wake];
	const struct profile_waker *waker = &ix->p->wakers[w->waker];
	const struct group key = {
		.task = waker->task,
		.ustack = w->did_ustack,
		.kstack = w->did_kstack,
		.sysno = w->did_sysno,
		.state = w->did_state,
		.flags = w->did_flags,
		.object = w->did_object,
		.waker_tgid = ix->p->wakers[waker->next].tgid,
		.waker_name = ix->name_of_waker[waker->next],
	};

	return waker->next ? intern__find(&ix->groups, &key) : 0;
}

u32 wake_index__first(const struct wake_index *ix, u32 group)
{
	return ((const struct group *)intern__at(&ix->groups, group))->first;
}

u64 wake_index__ns(const struct wake_index *ix, u32 group)
{
	return ((const struct group *)intern__at(&ix->groups, group))->ns;
}

/* A thread, or with `tid` and `task` 0 a process. */
struct link_thread {
	u32 of;
	u32 is_process;
	u32 task;
	u32 tid;
	u32 tgid;
	u32 waker; /* one of its links; not part of the key */
};

int link_threads__init(struct link_threads *t, const struct profile *p)
{
	memset(t, 0, sizeof(*t));
	t->p = p;
	return intern__init(&t->threads, sizeof(struct link_thread),
			    offsetof(struct link_thread, waker));
}

void link_threads__done(struct link_threads *t)
{
	intern__done(&t->threads);
}

int link_threads__add(struct link_threads *t, u32 of, u32 waker)
{
	const struct profile_waker *w = &t->p->wakers[waker];
	struct link_thread thread = {
		.of = of,
		.task = w->task,
		.tid = w->tid,
		.tgid = w->tgid,
		.waker = waker,
	};
	u32 id;
	int r = intern__add(&t->threads, &thread, &id);

	thread.task = thread.tid = 0;
	thread.is_process = 1;
	return r ? r : intern__add(&t->threads, &thread, &id);
}

/* The threads that share a name. */
struct named {
	u32 waker;
	u32 threads;
	u32 processes;
};

static void put_name(const struct profile *p, const struct named *n, char *buf, size_t sz)
{
	char shared[WAKER_LABEL_SZ];
	size_t len;

	waker_label(p, n->waker, buf, sz);
	waker_label_shared(p, n->waker, shared, sizeof(shared));
	if (n->threads < 2 || strcmp(buf, shared) == 0)
		return;
	len = strlen(shared);
	memcpy(buf, shared, len);
	snprintf(buf + len, sz - len, " (%u %s)", n->threads,
		 n->processes == n->threads ? "processes" : "threads");
}

int link_threads__names(const struct link_threads *t, u32 len, struct arena *a,
			const char **ret_names)
{
	struct named *named = mem_array(len, sizeof(*named));
	char name[WAKER_LABEL_SZ + sizeof(" (4294967295 processes)")];
	u32 i;
	int r = named ? 0 : -ENOMEM;

	for (i = 1; i < intern__len(&t->threads) && !r; i++) {
		const struct link_thread *thread = intern__at(&t->threads, i);
		struct named *n = &named[thread->of];

		n->threads += !thread->is_process;
		n->processes += thread->is_process;
		n->waker = thread->waker;
	}
	for (i = 0; i < len && !r; i++) {
		ret_names[i] = NULL;
		if (!named[i].waker)
			continue;
		put_name(t->p, &named[i], name, sizeof(name));
		ret_names[i] = arena__strdup(a, name);
		r = ret_names[i] ? 0 : -ENOMEM;
	}
	mem_free(named);
	return r;
}
