/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles of type "evented" for https://www.speedscope.app, one for each thread: its view in the
 * order of time shows what the thread did when. The first frame is the state, named as in
 * perfetto.c; those of the code that waited follow. So the slices at the root of a thread add up to
 * its time, to the ns.
 */
#include <errno.h>

#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "render/encode/json_writer.h"
#include "render/render.h"
#include "render/timeline_names.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"

struct frame_key {
	u32 name; /* in `texts` */
	u32 kernel;
};

struct evented {
	const struct profile *p;
	struct json to;
	struct timeline_names names;
	struct strtab texts;
	struct intern frames; /* struct frame_key; the id less 1 is the index */
	struct vec path; /* u32 indexes of the frames that are open, from the root */
	struct vec nodes; /* u32 nodes of a stack on the way to its root */
	u32 *first_step; /* by task, an index + 1; 0: none */
	u32 *next_step; /* of the same task */
};

static int push(struct evented *e, const char *name, bool kernel)
{
	struct frame_key key = { .kernel = kernel };
	u32 *slot = vec__push(&e->path), id;
	int r = slot ? strtab__add(&e->texts, *name ? name : "[no name]", &key.name) : -ENOMEM;

	if (!r)
		r = intern__add(&e->frames, &key, &id);
	if (!r)
		*slot = id - 1;
	return r;
}

static int push_stack(struct evented *e, u32 leaf, bool kernel)
{
	int r = 0;

	vec__reset(&e->nodes);
	for (u32 at = leaf; at; at = e->p->stacks[at].parent) {
		u32 *slot = vec__push(&e->nodes);

		if (!slot)
			return -ENOMEM;
		*slot = e->p->stacks[at].frame;
	}
	while (e->nodes.len && !r)
		r = push(e,
			 labels__frame(&e->names.labels,
				       *(u32 *)vec__at(&e->nodes, --e->nodes.len)),
			 kernel);
	return r;
}

static void put_event(struct evented *e, const char *type, size_t at, u64 ns)
{
	json__object(&e->to, NULL);
	json__text(&e->to, "type", type);
	json__u64(&e->to, "frame", *(u32 *)vec__at(&e->path, at));
	json__u64(&e->to, "at", ns);
	json__end_object(&e->to);
}

/* A slice of one state; `wait` is 0 where no code is known. */
static int put_slice(struct evented *e, const char *state, u32 wait, u64 begin_ns, u64 ns)
{
	struct wait_stacks s = { 0 };
	size_t i;
	int r;

	if (!ns)
		return 0;
	if (wait)
		s = wait_stacks_of(e->p, wait, 0);
	vec__reset(&e->path);
	r = push(e, state, false);
	if (!r)
		r = push_stack(e, s.user, false);
	if (!r)
		r = push_stack(e, s.kernel, true);
	if (r)
		return r;
	json__line(&e->to);
	for (i = 0; i < e->path.len; i++)
		put_event(e, "O", i, begin_ns);
	for (i = e->path.len; i-- > 0;)
		put_event(e, "C", i, begin_ns + ns);
	return 0;
}

static int put_step(struct evented *e, const struct timeline_step *s)
{
	const struct profile_moment *m;
	int r;

	if (s->kind != TIMELINE_WAIT)
		return put_slice(e, s->kind == TIMELINE_ON_CPU ? "on a CPU" : "not known", 0,
				 s->begin_ns, s->ns);
	m = &e->p->moments[s->moment];
	r = put_slice(e, cause_name(causes__of(&e->names.causes, m->wait)), m->wait, s->begin_ns,
		      m->blocked_ns);
	return r ? r :
		   put_slice(e, "waiting for a CPU", m->wait, m->end_ns - m->runq_ns, m->runq_ns);
}

static int put_thread(struct evented *e, u32 task)
{
	const struct profile_task *t = &e->p->tasks[task];
	struct json *to = &e->to;
	char name[128];
	int r = 0;

	snprintf(name, sizeof(name), "%s (%u)", profile__str(e->p, t->comm), t->tid);
	json__line(to);
	json__object(to, NULL);
	json__text(to, "type", "evented");
	json__text(to, "name", name);
	json__text(to, "unit", "nanoseconds");
	json__u64(to, "startValue", t->begin_ns);
	json__u64(to, "endValue", t->begin_ns + t->wall_ns);
	json__array(to, "events");
	for (u32 i = e->first_step[task]; i && !r; i = e->next_step[i])
		r = put_step(e, vec__at(&e->names.timeline.steps, i - 1));
	json__end_array(to);
	json__end_object(to);
	return r;
}

static int gather(struct evented *e)
{
	const struct vec *steps = &e->names.timeline.steps;

	e->first_step = mem_array((size_t)e->p->tasks_len + 1, sizeof(u32));
	e->next_step = mem_array(steps->len + 1, sizeof(u32));
	if (!e->first_step || !e->next_step)
		return -ENOMEM;
	/* backwards, so that those of a task are in their order */
	for (u32 i = (u32)steps->len; i > 0; i--) {
		const struct timeline_step *s = vec__at(steps, i - 1);

		e->next_step[i] = e->first_step[s->task];
		e->first_step[s->task] = i;
	}
	return 0;
}

static void put_frames(struct evented *e)
{
	struct json *to = &e->to;

	json__line(to);
	json__object(to, "shared");
	json__array(to, "frames");
	for (u32 i = 1; i < intern__len(&e->frames); i++) {
		const struct frame_key *key = intern__at(&e->frames, i);

		json__line(to);
		json__object(to, NULL);
		json__text(to, "name", strtab__get(&e->texts, key->name));
		if (key->kernel)
			json__text(to, "file", "[kernel]");
		json__end_object(to);
	}
	json__end_array(to);
	json__end_object(to);
}

/* The viewer can show scope and losses only in the name. */
static int put_name(struct evented *e)
{
	const char *target = profile__str(e->p, e->p->hdr.target);
	char text[SCOPE_TEXT_SZ]; /* LOSS_TEXT_SZ is smaller */
	struct sink name;
	enum scope scope;
	int i, r;

	sink__init_mem(&name);
	sink__printf(&name, "timeline of %s", *target ? target : "unknown threads");
	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(e->p, scope, text, sizeof(text)))
			sink__printf(&name, "; %s", text);
	}
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(e->p, (enum profile_loss_kind)i, text, sizeof(text)))
			sink__printf(&name, "; lost: %s", text);
	}
	r = sink__finish(&name, NULL);
	if (!r)
		json__text(&e->to, "name", name.buf);
	sink__done(&name);
	return r;
}

static int put_all(struct evented *e)
{
	struct json *to = &e->to;
	int r;

	json__object(to, NULL);
	json__text(to, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json__line(to);
	json__text(to, "exporter", "coldspot");
	json__line(to);
	r = put_name(e);
	json__line(to);
	json__u64(to, "activeProfileIndex", 0);
	json__line(to);
	json__array(to, "profiles");
	for (u32 i = 1; i < e->p->tasks_len && !r; i++)
		r = put_thread(e, i);
	json__end_array(to);
	/* behind the events, which fill it */
	put_frames(e);
	json__end_object(to);
	sink__puts(to->out, "\n");
	return r;
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct evented e = { .p = p, .to = JSON_TO(out) };
	int r = timeline_names__init(&e.names, p, opt->memo, err);

	vec__init(&e.path, sizeof(u32));
	vec__init(&e.nodes, sizeof(u32));
	if (!r)
		r = strtab__init(&e.texts);
	if (!r)
		r = intern__init(&e.frames, sizeof(struct frame_key), sizeof(struct frame_key));
	if (!r)
		r = gather(&e);
	if (!r)
		r = put_all(&e);
	mem_free(e.first_step);
	mem_free(e.next_step);
	vec__done(&e.path);
	vec__done(&e.nodes);
	intern__done(&e.frames);
	strtab__done(&e.texts);
	timeline_names__done(&e.names);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_speedscope_timeline = {
	.name = "speedscope-timeline",
	.endings = ".timeline.speedscope.json",
	.mime = "application/json",
	.help = "timeline of each thread for speedscope; needs record --events",
	.needs_moments = true,
	.render = render,
};
