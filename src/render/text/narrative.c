/* SPDX-License-Identifier: Apache-2.0 */
/* What threads did, in the order of time: a line for each wait, and one for what is between two. */
#include "analysis/cause/cause_memo.h"
#include "analysis/model/timeline.h"
#include "analysis/name/label.h"
#include "analysis/name/object_label.h"
#include "analysis/name/place.h"
#include "analysis/name/waker_label.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/render.h"

#define TIME_SZ 32

struct narrative {
	const struct profile *p;
	struct sink *out;
	struct timeline timeline;
	struct labels labels;
	struct places places;
	struct causes causes;
};

static const char *time_of(u64 ns, char *buf)
{
	units_format_ns(ns, buf, TIME_SZ);
	return buf;
}

static void put_instant(const struct narrative *n, const struct timeline_step *s)
{
	const struct profile_task *t = &n->p->tasks[s->task];
	u64 us = s->begin_ns / NSEC_PER_USEC;

	sink__printf(n->out, "%4llu.%06llu  ", us / 1000000, us % 1000000);
	utf8_put_harmless(n->out, profile__str(n->p, t->comm));
	sink__printf(n->out, " (%u)  ", t->tid);
}

/* Nothing if the stack has no place. */
static int put_place(struct narrative *n, const struct profile_wait *w)
{
	u32 text;
	int r = places__user(&n->places, w->ustack, &text);

	if (!r && !*places__text(&n->places, text))
		r = places__kernel(&n->places, w->kstack, &text);
	if (r || !*places__text(&n->places, text))
		return r;
	sink__puts(n->out, ", at ");
	utf8_put_harmless(n->out, places__text(&n->places, text));
	return 0;
}

static void put_object(const struct narrative *n, const struct profile_wait *w)
{
	char object[OBJECT_LABEL_SZ], owner[OWNER_LABEL_SZ];

	if (object_says_something(n->p, w->object)) {
		sink__puts(n->out, " for ");
		utf8_put_harmless(n->out, object_label_without_device(n->p, w->object, object,
								      sizeof(object)));
	}
	if (w->owner || w->owner_tid) {
		sink__puts(n->out, " held by ");
		utf8_put_harmless(n->out, owner_label(n->p, w, owner, sizeof(owner)));
	}
}

static void put_waker(const struct narrative *n, const struct profile_moment *m)
{
	char label[WAKER_LABEL_SZ];

	if (!m->waker)
		return;
	sink__puts(n->out, "; woken by ");
	utf8_put_harmless(n->out, waker_label(n->p, m->waker, label, sizeof(label)));
}

static int put_wait(struct narrative *n, const struct profile_moment *m)
{
	const struct profile_wait *w = &n->p->waits[m->wait];
	const char *cause = cause_name(causes__of(&n->causes, m->wait));
	char time[TIME_SZ];
	int r;

	if (m->blocked_ns)
		sink__printf(n->out, "blocked %s in %s", time_of(m->blocked_ns, time), cause);
	else
		sink__printf(n->out, "waited %s for a CPU (%s)", time_of(m->runq_ns, time), cause);
	put_object(n, w);
	r = put_place(n, w);
	put_waker(n, m);
	if (m->blocked_ns && m->runq_ns)
		sink__printf(n->out, "; then waited %s for a CPU", time_of(m->runq_ns, time));
	if (w->flags & WAIT_OPEN)
		sink__puts(n->out, "; not over at the end of the window");
	return r;
}

static int put_step(struct narrative *n, const struct timeline_step *s)
{
	char time[TIME_SZ];
	int r = 0;

	put_instant(n, s);
	if (s->kind == TIMELINE_WAIT)
		r = put_wait(n, &n->p->moments[s->moment]);
	else
		sink__printf(n->out, "%s %s", s->kind == TIMELINE_ON_CPU ? "on a CPU" : "not known",
			     time_of(s->ns, time));
	sink__puts(n->out, "\n");
	return r;
}

static int begin(struct narrative *n, const struct render_options *opt, struct err *err)
{
	int r = timeline__init(&n->timeline, n->p);

	if (r)
		return err__nomem(err);
	r = causes__recall(&n->causes, n->p, opt->memo, err);
	if (!r && labels__init(&n->labels, n->p, NULL))
		r = err__nomem(err);
	return r ? r : places__init(&n->places, n->p, &n->labels, err);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct narrative n = { .p = p, .out = out };
	size_t i;
	int r;

	r = begin(&n, opt, err);
	for (i = 0; !r && i < n.timeline.steps.len; i++) {
		if (put_step(&n, vec__at(&n.timeline.steps, i)))
			r = err__nomem(err);
	}
	places__done(&n.places);
	labels__done(&n.labels);
	causes__done(&n.causes);
	timeline__done(&n.timeline);
	return r;
}

const struct render_ops render_narrative = {
	.name = "narrative",
	.endings = ".narrative.txt",
	.mime = "text/plain; charset=utf-8",
	.help = "what threads did, in the order of time; needs record --events",
	.bare = true,
	.needs_moments = true,
	.render = render,
};
