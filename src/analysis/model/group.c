/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the root of a graph, the row of a table and separate histograms alike. */
#include "analysis/model/group.h"

#include <errno.h>
#include <stdio.h>

#include "analysis/name/cgroup_label.h"
#include "analysis/name/label.h"
#include "analysis/name/object_label.h"
#include "analysis/name/place.h"
#include "analysis/name/waker_label.h"
#include "analysis/view/wait_stacks.h"
#include "base/mem.h"

bool group_is_of_threads(enum group_by by)
{
	return by < GROUP_BY_CAUSE;
}

static int find_places(struct groups *g)
{
	u32 i;
	int r = labels__init(&g->labels, g->p, NULL);

	if (!r)
		r = places__init(&g->places, g->p, &g->labels, NULL);
	g->user_of_wait = mem_array(g->p->waits_len, sizeof(u32));
	g->kernel_of_wait = mem_array(g->p->waits_len, sizeof(u32));
	if (!g->user_of_wait || !g->kernel_of_wait)
		r = -ENOMEM;
	for (i = 1; i < g->p->waits_len && !r; i++) {
		struct wait_stacks s = wait_stacks_of(g->p, i, 0);

		r = places__user(&g->places, s.user, &g->user_of_wait[i]);
		if (!r)
			r = places__kernel(&g->places, s.kernel, &g->kernel_of_wait[i]);
	}
	return r;
}

int groups__init(struct groups *g, const struct profile *p, enum group_by by,
		 struct cause_memo *memo, struct err *err)
{
	memset(g, 0, sizeof(*g));
	g->p = p;
	g->by = by;
	if (by == GROUP_BY_CAUSE || by == GROUP_BY_CLASS)
		return causes__recall(&g->causes, p, memo, err);
	if (by == GROUP_BY_STACK && find_places(g))
		return err__nomem(err);
	return 0;
}

void groups__done(struct groups *g)
{
	causes__done(&g->causes);
	places__done(&g->places);
	labels__done(&g->labels);
	mem_free(g->user_of_wait);
	mem_free(g->kernel_of_wait);
	g->user_of_wait = g->kernel_of_wait = NULL;
}

/* If a path is too long, its end says most, and the id identifies it. */
static void put_cgroup(const struct groups *g, const struct profile_task *t, char *buf, size_t sz)
{
	char id[CGROUP_ID_SZ];
	const char *label = cgroup_label(g->p, t, id);
	size_t len = strlen(label), room = sz > sizeof(id) + 8 ? sz - sizeof(id) - 8 : 0;

	if (len < sz)
		snprintf(buf, sz, "%s", *label ? label : "[no cgroup v2]");
	else
		snprintf(buf, sz, "%s ...%s", cgroup_id_label(t, id), label + len - room);
}

/* Who runs there: the name that a runtime gives a container or pod, or else its ID. */
static void put_word(const struct groups *g, const struct profile_task *t, char *buf, size_t sz)
{
	struct cgroup_words w;
	const char *word;

	cgroup_words_of_task(g->p, t, &w);
	word = g->by == GROUP_BY_UNIT ? w.unit : g->by == GROUP_BY_CONTAINER ? w.container : w.pod;
	if (g->by == GROUP_BY_CONTAINER && t->container)
		snprintf(buf, sz, "%s", profile__str(g->p, t->container));
	else if (g->by == GROUP_BY_POD && *w.pod_name)
		snprintf(buf, sz, "%s/%s", w.namespace, w.pod_name);
	else if (*word)
		snprintf(buf, sz, "%s", word);
	else
		snprintf(buf, sz, "[no %s]",
			 g->by == GROUP_BY_UNIT	     ? "unit" :
			 g->by == GROUP_BY_CONTAINER ? "container" :
						       "pod");
}

void groups__of_task(const struct groups *g, u32 task, char *buf, size_t sz)
{
	const struct profile_task *t = &g->p->tasks[task];

	switch (g->by) {
	case GROUP_BY_PROCESS:
		if (g->p->hdr.unknown & UNKNOWN_PROCESSES)
			snprintf(buf, sz, "%s", profile__str(g->p, t->group_comm));
		else
			snprintf(buf, sz, "%.31s-%u", profile__str(g->p, t->group_comm), t->tgid);
		break;
	case GROUP_BY_THREAD:
		if (g->p->hdr.unknown & UNKNOWN_THREADS)
			snprintf(buf, sz, "%s", profile__str(g->p, t->comm));
		else
			snprintf(buf, sz, "%.31s-%u/%u", profile__str(g->p, t->comm), t->tgid,
				 t->tid);
		break;
	case GROUP_BY_UNIT:
	case GROUP_BY_CONTAINER:
	case GROUP_BY_POD:
		put_word(g, t, buf, sz);
		break;
	case GROUP_BY_CGROUP:
		put_cgroup(g, t, buf, sz);
		break;
	default:
		snprintf(buf, sz, "%s", profile__str(g->p, t->comm));
	}
}

static void put_module(const struct groups *g, u32 wait, char *buf, size_t sz)
{
	const struct profile_wait *w = &g->p->waits[wait];
	u32 frame = place_own_frame(g->p, wait_stacks_of(g->p, wait, 0).user);
	const struct profile_module *m = &g->p->modules[g->p->frames[frame].module];
	const char *name = label_basename(profile__str(g->p, m->path));

	if (wait_lost_note(w->flags))
		snprintf(buf, sz, "%s", wait_lost_note(w->flags));
	else if (frame)
		snprintf(buf, sz, "%s", *name ? name : "[unknown]");
	else if (g->p->tasks[w->task].flags & TASK_KTHREAD)
		snprintf(buf, sz, "[kernel]");
	else
		snprintf(buf, sz, "[no user stack]");
}

static void put_stack(const struct groups *g, u32 wait, char *buf, size_t sz)
{
	const char *user = places__text(&g->places, g->user_of_wait[wait]);
	const char *kernel = places__text(&g->places, g->kernel_of_wait[wait]);
	const char *lost = wait_lost_note(g->p->waits[wait].flags);

	if (*kernel)
		snprintf(buf, sz, "[%s]%s%s", kernel, *user ? " " : "", user);
	else
		snprintf(buf, sz, "%s", *user ? user : lost ? lost : "[no stack]");
}

static void put_label(const struct groups *g, u32 wait, char *buf, size_t sz)
{
	const struct profile_wait *w = &g->p->waits[wait];
	bool object = g->by == GROUP_BY_OBJECT;
	const char *label = object ? object_label(g->p, w->object, buf, sz) :
				     owner_label(g->p, w, buf, sz);

	if (!*label)
		snprintf(buf, sz, "%s",
			 w->flags & WAIT_LOST ? NOTE_LOST :
			 object		      ? "[no object]" :
						"[no owner]");
}

static void put_waker(const struct groups *g, u32 wait, char *buf, size_t sz)
{
	const struct profile_wait *w = &g->p->waits[wait];

	if (w->waker)
		waker_label(g->p, w->waker, buf, sz);
	else
		snprintf(buf, sz, "%s", no_waker_label(w));
}

void groups__of_wait(const struct groups *g, u32 wait, char *buf, size_t sz)
{
	if (g->by == GROUP_BY_CAUSE)
		snprintf(buf, sz, "%s", cause_name(causes__of(&g->causes, wait)));
	else if (g->by == GROUP_BY_CLASS)
		snprintf(buf, sz, "%s", class_name(causes__class(&g->causes, wait)));
	else if (g->by == GROUP_BY_MODULE)
		put_module(g, wait, buf, sz);
	else if (g->by == GROUP_BY_STACK)
		put_stack(g, wait, buf, sz);
	else if (g->by == GROUP_BY_OBJECT || g->by == GROUP_BY_OWNER)
		put_label(g, wait, buf, sz);
	else if (g->by == GROUP_BY_WAKER)
		put_waker(g, wait, buf, sz);
	else
		groups__of_task(g, g->p->waits[wait].task, buf, sz);
}
