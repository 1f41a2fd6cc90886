/* SPDX-License-Identifier: Apache-2.0 */
#include "render/timeline_names.h"

#include <string.h>

#include "analysis/name/object_label.h"
#include "analysis/name/waker_label.h"

int timeline_names__init(struct timeline_names *n, const struct profile *p, struct cause_memo *memo,
			 struct err *err)
{
	int r;

	memset(n, 0, sizeof(*n));
	if (timeline__init(&n->timeline, p))
		return err__nomem(err);
	r = causes__recall(&n->causes, p, memo, err);
	if (!r && labels__init(&n->labels, p, NULL))
		r = err__nomem(err);
	return r ? r : places__init(&n->places, p, &n->labels, err);
}

void timeline_names__done(struct timeline_names *n)
{
	places__done(&n->places);
	labels__done(&n->labels);
	causes__done(&n->causes);
	timeline__done(&n->timeline);
}

u32 timeline_waking_task(const struct profile *p, u32 moment)
{
	u32 waker = p->moments[moment].waker;

	return waker ? p->wakers[waker].task : 0;
}

static void put_if_known(timeline_fact_fn *put, void *arg, const char *name, const char *text)
{
	if (*text)
		put(arg, name, text);
}

int timeline_names__facts(struct timeline_names *n, const struct profile *p, u32 moment,
			  timeline_fact_fn *put, void *arg)
{
	const struct profile_moment *m = &p->moments[moment];
	const struct profile_wait *wait = &p->waits[m->wait];
	char object[OBJECT_LABEL_SZ], owner[OWNER_LABEL_SZ], waker[WAKER_LABEL_SZ];
	u32 user, kernel;
	int r = places__user(&n->places, wait->ustack, &user);

	if (!r)
		r = places__kernel(&n->places, wait->kstack, &kernel);
	if (r)
		return r;
	put_if_known(put, arg, "place", places__text(&n->places, user));
	put_if_known(put, arg, "kernel", places__text(&n->places, kernel));
	if (object_says_something(p, wait->object))
		put_if_known(put, arg, "object",
			     object_label(p, wait->object, object, sizeof(object)));
	if (wait->owner || wait->owner_tid)
		put_if_known(put, arg, "owner", owner_label(p, wait, owner, sizeof(owner)));
	put_if_known(put, arg, "waker", waker_label(p, m->waker, waker, sizeof(waker)));
	return 0;
}
