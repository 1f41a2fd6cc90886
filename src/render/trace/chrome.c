/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trace event format of Chrome, as JSON: for chrome://tracing, Perfetto, speedscope, and
 * scripts. The slices, their names and their arrows are those of perfetto.c.
 *
 * Times are in microseconds with three decimals, so they are exact to the ns; they count from the
 * begin of the recording.
 */
#include <errno.h>

#include "render/encode/json_writer.h"
#include "render/render.h"
#include "render/timeline_names.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"

struct chrome {
	const struct profile *p;
	struct json to;
	struct timeline_names names;
};

static void put_us(struct json *to, const char *key, u64 ns)
{
	json__printf(to, key, "%llu.%03llu", ns / NSEC_PER_USEC, ns % NSEC_PER_USEC);
}

/* Each event is one line; json__end_object() ends it. */
static void begin_event(struct chrome *w, const char *phase, u32 task)
{
	json__line(&w->to);
	json__object(&w->to, NULL);
	json__text(&w->to, "ph", phase);
	json__u64(&w->to, "pid", w->p->tasks[task].tgid);
	json__u64(&w->to, "tid", w->p->tasks[task].tid);
}

static void put_name(struct chrome *w, const char *what, u32 task, u32 name)
{
	begin_event(w, "M", task);
	json__text(&w->to, "name", what);
	json__object(&w->to, "args");
	json__text(&w->to, "name", profile__str(w->p, name));
	json__end_object(&w->to);
	json__end_object(&w->to);
}

static void put_tracks(struct chrome *w)
{
	const struct profile_task *tasks = w->p->tasks;
	u32 i;

	for (i = 1; i < w->p->tasks_len; i++) {
		if (i == 1 || tasks[i].tgid != tasks[i - 1].tgid)
			put_name(w, "process_name", i, tasks[i].group_comm);
		put_name(w, "thread_name", i, tasks[i].comm);
	}
}

static void begin_slice(struct chrome *w, u32 task, u64 begin_ns, u64 ns, const char *name,
			const char *category)
{
	begin_event(w, "X", task);
	put_us(&w->to, "ts", begin_ns);
	put_us(&w->to, "dur", ns);
	json__text(&w->to, "name", name);
	json__text(&w->to, "cat", category);
}

static void put_fact(void *arg, const char *name, const char *text)
{
	struct chrome *w = arg;

	json__text(&w->to, name, text);
}

static int put_facts(struct chrome *w, u32 moment)
{
	int r;

	json__object(&w->to, "args");
	r = timeline_names__facts(&w->names, w->p, moment, put_fact, w);
	json__end_object(&w->to);
	return r;
}

static void put_arrow_end(struct chrome *w, const char *phase, u32 task, u64 at_ns, u32 moment)
{
	begin_event(w, phase, task);
	put_us(&w->to, "ts", at_ns);
	json__text(&w->to, "name", "wakes");
	json__text(&w->to, "cat", "wakeup");
	json__u64(&w->to, "id", (u64)moment + 1);
	/* of the slice that begins there, not of the next one */
	if (*phase == 'f')
		json__text(&w->to, "bp", "e");
	json__end_object(&w->to);
}

/* From who ended a wait, at that instant, to the run queue time that began. */
static void put_arrow(struct chrome *w, const struct timeline_step *s)
{
	const struct profile_moment *m = &w->p->moments[s->moment];
	u64 at_ns = m->end_ns - m->runq_ns;
	u32 by = timeline_waking_task(w->p, s->moment);

	if (!by || !m->runq_ns)
		return;
	put_arrow_end(w, "s", by, at_ns, s->moment);
	put_arrow_end(w, "f", s->task, at_ns, s->moment);
}

static int put_wait(struct chrome *w, const struct timeline_step *s)
{
	const struct profile_moment *m = &w->p->moments[s->moment];
	int r = 0;

	if (m->blocked_ns) {
		begin_slice(w, s->task, s->begin_ns, m->blocked_ns,
			    cause_name(causes__of(&w->names.causes, m->wait)),
			    class_name(causes__class(&w->names.causes, m->wait)));
		r = put_facts(w, s->moment);
		json__end_object(&w->to);
	}
	if (m->runq_ns) {
		begin_slice(w, s->task, m->end_ns - m->runq_ns, m->runq_ns, "waiting for a CPU",
			    "run queue");
		if (!m->blocked_ns)
			r = put_facts(w, s->moment);
		json__end_object(&w->to);
	}
	put_arrow(w, s);
	return r;
}

static int put_step(struct chrome *w, const struct timeline_step *s)
{
	if (s->kind == TIMELINE_WAIT)
		return put_wait(w, s);
	begin_slice(w, s->task, s->begin_ns, s->ns,
		    s->kind == TIMELINE_ON_CPU ? "on a CPU" : "not known", "cpu");
	json__end_object(&w->to);
	return 0;
}

/* What viewers show beside the trace. */
static void put_other(struct chrome *w)
{
	char text[SCOPE_TEXT_SZ]; /* LOSS_TEXT_SZ is smaller */
	enum scope scope;
	u32 i;

	json__line(&w->to);
	json__object(&w->to, "otherData");
	json__text(&w->to, "target", profile__str(w->p, w->p->hdr.target));
	json__array(&w->to, "scope");
	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(w->p, scope, text, sizeof(text)))
			json__text(&w->to, NULL, text);
	}
	json__end_array(&w->to);
	json__array(&w->to, "lost");
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(w->p, (enum profile_loss_kind)i, text, sizeof(text)))
			json__text(&w->to, NULL, text);
	}
	json__end_array(&w->to);
	json__end_object(&w->to);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct chrome w = { .p = p, .to = JSON_TO(out) };
	size_t i;
	int r;

	r = timeline_names__init(&w.names, p, opt->memo, err);
	if (!r) {
		json__object(&w.to, NULL);
		json__text(&w.to, "displayTimeUnit", "ns");
		put_other(&w);
		json__line(&w.to);
		json__array(&w.to, "traceEvents");
		put_tracks(&w);
	}
	for (i = 0; !r && i < w.names.timeline.steps.len; i++) {
		if (put_step(&w, vec__at(&w.names.timeline.steps, i)))
			r = err__nomem(err);
	}
	if (!r) {
		json__end_array(&w.to);
		json__end_object(&w.to);
	}
	timeline_names__done(&w.names);
	return r;
}

const struct render_ops render_chrome = {
	.name = "chrome",
	.endings = ".trace.json",
	.mime = "application/json",
	.help = "timeline as Chrome trace events (JSON); needs record --events",
	.needs_moments = true,
	.render = render,
};
