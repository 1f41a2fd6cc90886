/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One row for each kind of event; records of interpreted functions go to the reader of their
 * runtime. A handler gets an event that is as long as its struct; whatever
 * it returns but 0 ends the trace with that error.
 */
#include "capture/events.h"

#include <errno.h>
#include <string.h>

#include "abi/event.h"
#include "base/self_memory.h"
#include "capture/capture_priv.h"

/*
 * Events of the closed window may still arrive while the next one is open. NULL: its profile is
 * finished, and counts the record as lost.
 */
static struct capture_window *window_of(struct capture *c, const struct cs_task_record *rec)
{
	if (rec->end_ns > c->now.begin_ns)
		return &c->now;
	return c->closed.end_ns ? &c->closed : NULL;
}

/* Nothing bounds the number of threads that end, so our memory limit does. */
int capture_take_record(struct capture *c, struct capture_window *w,
			const struct cs_task_record *rec)
{
	struct cs_task_record *copy;
	u64 more = vec__growth(&w->records, 1);

	if (c->hist_unit_ns)
		more += task_hists__growth(&w->hists);
	if (w->records_lost || !self_memory_allows(more)) {
		w->records_lost++;
		w->records_lost_ns += capture_window__clip(w, rec->begin_ns, rec->end_ns);
		return 0;
	}
	copy = vec__push(&w->records);
	if (!copy)
		return -ENOMEM;
	*copy = *rec;
	return cgroup_paths__see(&c->cgroups, rec->cgroup_id);
}

/* A record and its histograms have the same index. */
int capture_take_hist_record(struct capture *c, struct capture_window *w,
			     const struct cs_task_hist_record *rec)
{
	size_t before = w->records.len;
	int r = capture_take_record(c, w, &rec->task);

	if (r || w->records.len == before)
		return r;
	return task_hists__add(&w->hists, &rec->hist);
}

/* A record that was given up arrives: it is not missing any more, and its thread exists. */
static void see_late(struct capture *c, struct capture_window *w, const struct cs_task_record *rec)
{
	if (!w->counted || !w->records_missing)
		return;
	w->records_missing--;
	c->there += !(rec->flags & CS_TASK_GONE);
}

static int take_task(struct capture *c, const struct cs_task_record *rec)
{
	struct capture_window *w = window_of(c, rec);

	if (!w)
		return 0;
	see_late(c, w, rec);
	return capture_take_record(c, w, rec);
}

static int take_task_hist(struct capture *c, const struct cs_task_hist_record *rec)
{
	struct capture_window *w = window_of(c, &rec->task);

	if (!w)
		return 0;
	see_late(c, w, &rec->task);
	return capture_take_hist_record(c, w, rec);
}

static int see_image(struct capture *c, const void *data, size_t sz)
{
	const struct cs_image_event *image = data;

	(void)sz;
	return processes__see(&c->processes, image->tgid, image->image, image->parent_image);
}

static int see_task(struct capture *c, const void *data, size_t sz)
{
	(void)sz;
	return take_task(c, &((const struct cs_task_event *)data)->task);
}

static int see_task_hist(struct capture *c, const void *data, size_t sz)
{
	(void)sz;
	return take_task_hist(c, &((const struct cs_task_hist_event *)data)->record);
}

static int see_module(struct capture *c, const void *data, size_t sz)
{
	int r;

	(void)sz;
	/* First all that is new: a process may be gone before the table of its file is made. */
	c->mapped.hold = c->polling || !capture_may_work(c);
	r = mapped__see(&c->mapped, data);
	return r ? r : roots__see(&c->roots, ((const struct cs_module_event *)data)->tgid);
}

static int see_runtime(struct capture *c, const void *data, size_t sz)
{
	const struct cs_image_event *image = data;
	int r = code_places__see(&c->code_places, image->tgid);

	(void)sz;
	return r ? r : readers__see(&c->readers, image->tgid, image->image, &c->mapped.notices);
}

static int see_requests(struct capture *c, const void *data, size_t sz)
{
	const struct cs_image_event *image = data;

	(void)sz;
	return thread_contexts__see(&c->thread_contexts, image->tgid, image->image);
}

static int see_postponed(struct capture *c, const void *data, size_t sz)
{
	(void)sz;
	programs__control(c->programs)->postponed_seen++;
	return postponed__take(&c->postponed, data);
}

static int see_moved(struct capture *c, const void *data, size_t sz)
{
	(void)data;
	(void)sz;
	programs__watch_wakeups(c->programs);
	return 0;
}

static int see_cgroup(struct capture *c, const void *data, size_t sz)
{
	const struct cs_cgroup_event *cg = data;

	(void)sz;
	return cgroup_paths__tell(&c->cgroups, cg->cgroup_id, cg->path,
				  strnlen(cg->path, cg->path_len));
}

static int see_rescan(struct capture *c, const void *data, size_t sz)
{
	c->rescan = true;
	return see_cgroup(c, data, sz);
}

struct event_type {
	size_t sz; /* at least; 0: no such kind */
	int (*see)(struct capture *c, const void *data, size_t sz); /* NULL: it only wakes us */
};

static const struct event_type event_types[] = {
	[CS_EVENT_IMAGE] = { sizeof(struct cs_image_event), see_image },
	[CS_EVENT_TASK] = { sizeof(struct cs_task_event), see_task },
	[CS_EVENT_RESCAN] = { sizeof(struct cs_cgroup_event), see_rescan },
	[CS_EVENT_TARGET_EXIT] = { sizeof(struct cs_event), NULL },
	[CS_EVENT_MODULE] = { sizeof(struct cs_module_event), see_module },
	[CS_EVENT_RUNTIME] = { sizeof(struct cs_image_event), see_runtime },
	[CS_EVENT_MOVED] = { sizeof(struct cs_event), see_moved },
	[CS_EVENT_REQUESTS] = { sizeof(struct cs_image_event), see_requests },
	[CS_EVENT_POSTPONED] = { sizeof(struct cs_postponed), see_postponed },
	[CS_EVENT_TASK_HIST] = { sizeof(struct cs_task_hist_event), see_task_hist },
	[CS_EVENT_CGROUP] = { sizeof(struct cs_cgroup_event), see_cgroup },
};

static int see_event(struct capture *c, const void *data, size_t sz)
{
	const struct cs_event *ev = data;
	const struct event_type *type;

	if (sz < sizeof(*ev))
		return -EPROTO;
	if (ev->kind >= ARRAY_LEN(event_types) || !event_types[ev->kind].sz)
		return readers__take(&c->readers, ev->kind, data, sz);
	type = &event_types[ev->kind];
	if (sz < type->sz)
		return -EPROTO;
	return type->see ? type->see(c, data, sz) : 0;
}

static void take_mark(struct capture *c, const struct cs_mark *m, const struct request_head *head)
{
	slow_marks__see(&c->slow_marks, m,
			request_probes__begins_anew(&c->requests, m->probe >> 1));
	if (m->at_ns >= c->now.begin_ns)
		moments__take_mark(&c->now.moments, m, head);
	else if (c->closed.end_ns)
		moments__take_mark(&c->closed.moments, m, head);
	else if (m->at_ns >= c->first_ns) /* the profile of its window is finished */
		c->now.moments.marks_lost++;
}

static void take_head(struct capture *c, const struct cs_head *h)
{
	struct request_head head;

	if (request_heads__see(&c->request_heads, h, &head))
		c->ring_error = -ENOMEM;
	else
		take_mark(c, &h->mark, &head);
}

/* No name: only what the thread itself says. */
static void take_traced(struct capture *c, const struct cs_traced_mark *t)
{
	struct request_head head = { 0 };

	mark_trace_text(t->trace, head.trace);
	take_mark(c, &t->mark, &head);
}

int capture_take_moment(void *arg, void *data, size_t sz)
{
	const struct cs_moment *m = data;
	struct capture *c = arg;

	if (sz == sizeof(struct cs_mark))
		take_mark(c, data, NULL);
	else if (sz == sizeof(struct cs_traced_mark))
		take_traced(c, data);
	else if (sz == sizeof(struct cs_head))
		take_head(c, data);
	else if (sz < sizeof(*m))
		c->ring_error = c->ring_error ? c->ring_error : -EPROTO;
	else if (m->end_ns > c->now.begin_ns)
		moments__take(&c->now.moments, m);
	else if (c->closed.end_ns)
		moments__take(&c->closed.moments, m);
	else /* the profile of its window is finished */
		moments__lose(&c->now.moments, m);
	return 0;
}

int capture_take_event(void *arg, void *data, size_t sz)
{
	struct capture *c = arg;
	int r = see_event(c, data, sz);

	if (r && !c->ring_error)
		c->ring_error = r;
	return 0;
}
