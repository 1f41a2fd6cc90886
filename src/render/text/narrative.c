/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads did, in the order of time: a line for each wait, and one for what is between two;
 * then, after an empty line, the scope and the losses.
 */
#include "analysis/name/object_label.h"
#include "analysis/name/waker_label.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/render.h"
#include "render/timeline_names.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"

#define TIME_SZ 32

struct narrative {
	const struct profile *p;
	struct sink *out;
	struct timeline_names names;
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
	int r = places__wait(&n->names.places, w, &text);

	if (r || !*places__text(&n->names.places, text))
		return r;
	sink__puts(n->out, ", at ");
	utf8_put_harmless(n->out, places__text(&n->names.places, text));
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
	const char *cause = cause_name(causes__of(&n->names.causes, m->wait));
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

/* What the lines are a part of, and what is missing. */
static void put_foot(const struct narrative *n)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	sink__puts(n->out, "\n");
	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(n->p, scope, text, sizeof(text)))
			sink__printf(n->out, "%s\n", text);
	}
	losses_put(n->p, n->out);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct narrative n = { .p = p, .out = out };
	size_t i;
	int r;

	r = timeline_names__init(&n.names, p, opt->memo, err);
	for (i = 0; !r && i < n.names.timeline.steps.len; i++) {
		if (put_step(&n, vec__at(&n.names.timeline.steps, i)))
			r = err__nomem(err);
	}
	if (!r)
		put_foot(&n);
	timeline_names__done(&n.names);
	return r;
}

const struct render_ops render_narrative = {
	.name = "narrative",
	.endings = ".narrative.txt",
	.mime = "text/plain; charset=utf-8",
	.help = "what threads did, in the order of time; needs record --events",
	.needs_moments = true,
	.render = render,
};
