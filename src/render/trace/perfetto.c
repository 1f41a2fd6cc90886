/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace for ui.perfetto.dev and trace_processor: protos/perfetto/trace of google/perfetto, with
 * track events. Each thread has a track with slices: what it waited for, its waiting for a CPU, and
 * its time on one. Where a recorded thread woke another one, an arrow leads from it.
 *
 * Timestamps are CLOCK_MONOTONIC. Slices of a track follow each other, so their sum by name equals
 * the sums of the recording.
 */
#include <errno.h>

#include "base/text/utf8.h"
#include "render/encode/proto.h"
#include "render/render.h"
#include "render/timeline_names.h"

/* Numbers of fields, by message. */
enum {
	TRACE_PACKET = 1,

	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_DESCRIPTOR = 60,

	DESCRIPTOR_UUID = 1,
	DESCRIPTOR_PROCESS = 3,
	DESCRIPTOR_THREAD = 4,
	DESCRIPTOR_PARENT = 5,

	PROCESS_PID = 1,
	PROCESS_NAME = 6,

	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,

	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORY = 22,
	EVENT_NAME = 23,
	EVENT_FLOW = 47,
	EVENT_FLOW_ENDS = 48,

	ANNOTATION_TEXT = 6,
	ANNOTATION_NAME = 10,
};

enum event_type {
	EVENT_BEGIN = 1,
	EVENT_END = 2,
	EVENT_INSTANT = 3,
};

/* One writer. */
#define SEQUENCE 1

struct perfetto {
	const struct profile *p;
	struct sink *out;
	struct timeline_names names;
	/* from the outside in: a field of the trace, a packet, its content, what is in that */
	struct proto field;
	struct proto packet;
	struct proto content;
	struct proto inner;
};

static void put_str(struct proto *m, u32 field, const char *text)
{
	struct sink clean;

	/* names of threads and files may hold any bytes; a string of protobuf is UTF-8 */
	sink__init_mem(&clean);
	utf8_put_harmless(&clean, text);
	if (sink__finish(&clean, NULL))
		m->error = -ENOMEM;
	else
		proto__bytes(m, field, clean.buf, clean.len);
	sink__done(&clean);
}

static void put_packet(struct perfetto *w)
{
	proto__message(&w->field, TRACE_PACKET, &w->packet);
	sink__put(w->out, w->field.bytes.data, w->field.bytes.len);
	proto__reset(&w->field);
}

static u64 thread_track(u32 task)
{
	return (u64)task << 1;
}

static u64 process_track(u32 tgid)
{
	return (u64)tgid << 1 | 1;
}

static void put_process(struct perfetto *w, const struct profile_task *t)
{
	proto__u64(&w->inner, PROCESS_PID, t->tgid);
	put_str(&w->inner, PROCESS_NAME, profile__str(w->p, t->group_comm));
	proto__u64(&w->content, DESCRIPTOR_UUID, process_track(t->tgid));
	proto__message(&w->content, DESCRIPTOR_PROCESS, &w->inner);
	proto__u64(&w->packet, PACKET_SEQUENCE, SEQUENCE);
	proto__message(&w->packet, PACKET_DESCRIPTOR, &w->content);
	put_packet(w);
}

static void put_thread(struct perfetto *w, u32 task)
{
	const struct profile_task *t = &w->p->tasks[task];

	proto__u64(&w->inner, THREAD_PID, t->tgid);
	proto__u64(&w->inner, THREAD_TID, t->tid);
	put_str(&w->inner, THREAD_NAME, profile__str(w->p, t->comm));
	proto__u64(&w->content, DESCRIPTOR_UUID, thread_track(task));
	proto__message(&w->content, DESCRIPTOR_THREAD, &w->inner);
	proto__u64(&w->content, DESCRIPTOR_PARENT, process_track(t->tgid));
	proto__u64(&w->packet, PACKET_SEQUENCE, SEQUENCE);
	proto__message(&w->packet, PACKET_DESCRIPTOR, &w->content);
	put_packet(w);
}

/* A process is described again for each of its threads: readers take the last. */
static void put_tracks(struct perfetto *w)
{
	u32 i;

	for (i = 1; i < w->p->tasks_len; i++) {
		if (i == 1 || w->p->tasks[i].tgid != w->p->tasks[i - 1].tgid)
			put_process(w, &w->p->tasks[i]);
		put_thread(w, i);
	}
}

static void begin_event(struct perfetto *w, u32 task, enum event_type type)
{
	proto__u64(&w->content, EVENT_TYPE, type);
	proto__u64(&w->content, EVENT_TRACK, thread_track(task));
}

static void put_event(struct perfetto *w, u64 at_ns)
{
	proto__u64(&w->packet, PACKET_TIMESTAMP, w->p->hdr.begin_mono_ns + at_ns);
	proto__message(&w->packet, PACKET_EVENT, &w->content);
	proto__u64(&w->packet, PACKET_SEQUENCE, SEQUENCE);
	put_packet(w);
}

static void put_end(struct perfetto *w, u32 task, u64 at_ns)
{
	begin_event(w, task, EVENT_END);
	put_event(w, at_ns);
}

static void annotate(void *arg, const char *name, const char *text)
{
	struct perfetto *w = arg;

	put_str(&w->inner, ANNOTATION_NAME, name);
	put_str(&w->inner, ANNOTATION_TEXT, text);
	proto__message(&w->content, EVENT_ANNOTATION, &w->inner);
}

static int annotate_wait(struct perfetto *w, u32 moment)
{
	return timeline_names__facts(&w->names, w->p, moment, annotate, w);
}

/* The arrow of a moment, from its waker. */
static u64 flow_of(u32 moment)
{
	return (u64)moment + 1;
}

static void put_wakeup(struct perfetto *w, u32 moment)
{
	const struct profile_moment *m = &w->p->moments[moment];
	u32 by = timeline_waking_task(w->p, moment);

	if (!by)
		return;
	begin_event(w, by, EVENT_INSTANT);
	put_str(&w->content, EVENT_NAME, "wakes");
	proto__fixed64(&w->content, EVENT_FLOW, flow_of(moment));
	put_event(w, m->end_ns - m->runq_ns);
}

static int put_blocked(struct perfetto *w, const struct timeline_step *s)
{
	const struct profile_moment *m = &w->p->moments[s->moment];
	int r;

	if (!m->blocked_ns)
		return 0;
	begin_event(w, s->task, EVENT_BEGIN);
	put_str(&w->content, EVENT_CATEGORY, class_name(causes__class(&w->names.causes, m->wait)));
	put_str(&w->content, EVENT_NAME, cause_name(causes__of(&w->names.causes, m->wait)));
	r = annotate_wait(w, s->moment);
	put_event(w, s->begin_ns);
	put_end(w, s->task, s->begin_ns + m->blocked_ns);
	return r;
}

static int put_runq(struct perfetto *w, const struct timeline_step *s)
{
	const struct profile_moment *m = &w->p->moments[s->moment];
	int r = 0;

	if (!m->runq_ns)
		return 0;
	begin_event(w, s->task, EVENT_BEGIN);
	put_str(&w->content, EVENT_CATEGORY, "run queue");
	put_str(&w->content, EVENT_NAME, "waiting for a CPU");
	if (timeline_waking_task(w->p, s->moment))
		proto__fixed64(&w->content, EVENT_FLOW_ENDS, flow_of(s->moment));
	if (!m->blocked_ns)
		r = annotate_wait(w, s->moment);
	put_event(w, m->end_ns - m->runq_ns);
	put_end(w, s->task, m->end_ns);
	return r;
}

static int put_step(struct perfetto *w, const struct timeline_step *s)
{
	int r;

	if (s->kind == TIMELINE_WAIT) {
		r = put_blocked(w, s);
		put_wakeup(w, s->moment);
		return r ? r : put_runq(w, s);
	}
	begin_event(w, s->task, EVENT_BEGIN);
	put_str(&w->content, EVENT_CATEGORY, "cpu");
	put_str(&w->content, EVENT_NAME, s->kind == TIMELINE_ON_CPU ? "on a CPU" : "not known");
	put_event(w, s->begin_ns);
	put_end(w, s->task, s->begin_ns + s->ns);
	return 0;
}

static int begin(struct perfetto *w, const struct render_options *opt, struct err *err)
{
	proto__init(&w->field);
	proto__init(&w->packet);
	proto__init(&w->content);
	proto__init(&w->inner);
	return timeline_names__init(&w->names, w->p, opt->memo, err);
}

static void end(struct perfetto *w)
{
	timeline_names__done(&w->names);
	proto__done(&w->field);
	proto__done(&w->packet);
	proto__done(&w->content);
	proto__done(&w->inner);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct perfetto w = { .p = p, .out = out };
	size_t i;
	int r;

	r = begin(&w, opt, err);
	if (!r)
		put_tracks(&w);
	for (i = 0; !r && i < w.names.timeline.steps.len; i++) {
		if (put_step(&w, vec__at(&w.names.timeline.steps, i)))
			r = err__nomem(err);
	}
	if (!r && w.field.error)
		r = err__nomem(err);
	end(&w);
	return r;
}

const struct render_ops render_perfetto = {
	.name = "perfetto",
	.endings = ".perfetto .pftrace",
	.mime = "application/octet-stream",
	.bare = true,
	.help = "timeline for ui.perfetto.dev; needs record --events",
	.needs_moments = true,
	.render = render,
};
