/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of markers is one array for each column, so its rows are gone through once for each.
 * Samples are waits only: time on a CPU has no stack, and would hide the others in the call tree.
 */
#include "render/json/firefox_markers.h"

#include <errno.h>

#include "base/mem.h"
#include "base/vec.h"

#define PHASE_INSTANT 0
#define PHASE_INTERVAL 1

/* A row of the table. */
struct marker {
	u64 begin_ns;
	u64 end_ns;
	u32 name;
	u32 category;
	u32 phase;
	u32 wait; /* a moment + 1: who waited, with what is known of it */
	u32 woken; /* a moment + 1: whom this thread woke */
};

void firefox_put_ms(struct json *to, const char *key, u64 ns)
{
	json__printf(to, key, "%llu.%06llu", ns / NSEC_PER_MSEC, ns % NSEC_PER_MSEC);
}

void firefox_put_empty(struct json *to, const char *key)
{
	json__array(to, key);
	json__end_array(to);
}

static int add_names(struct firefox_markers *m, struct firefox_code *code)
{
	int r = firefox_code__string(code, "on a CPU", &m->on_cpu_name);

	if (!r)
		r = firefox_code__string(code, "waiting for a CPU", &m->runq_name);
	if (!r)
		r = firefox_code__string(code, "not known", &m->unknown_name);
	if (!r)
		r = firefox_code__string(code, "wakes", &m->wakes_name);
	for (u32 i = 0; i < CAUSE_CNT && !r; i++)
		r = firefox_code__string(code, cause_name((enum cause)i), &m->cause_names[i]);
	return r;
}

/* Backwards, so that those of a task are in their order. */
static void link_all(struct firefox_markers *m)
{
	const struct vec *steps = &m->names.timeline.steps;
	u32 i;

	for (i = (u32)steps->len; i > 0; i--) {
		const struct timeline_step *s = vec__at(steps, i - 1);

		m->next_step[i] = m->first_step[s->task];
		m->first_step[s->task] = i;
	}
	for (i = m->p->moments_len; i > 0; i--) {
		u32 by = timeline_waking_task(m->p, i - 1);

		m->next_wake[i] = m->first_wake[by];
		m->first_wake[by] = i;
	}
}

int firefox_markers__init(struct firefox_markers *m, const struct profile *p,
			  struct firefox_code *code, struct cause_memo *memo)
{
	int r = timeline_names__init(&m->names, p, memo, NULL);

	m->p = p;
	m->first_step = mem_array((size_t)p->tasks_len + 1, sizeof(u32));
	m->first_wake = mem_array((size_t)p->tasks_len + 1, sizeof(u32));
	m->next_step = mem_array(m->names.timeline.steps.len + 1, sizeof(u32));
	m->next_wake = mem_array((size_t)p->moments_len + 1, sizeof(u32));
	if (r || !m->first_step || !m->first_wake || !m->next_step || !m->next_wake)
		return -ENOMEM;
	link_all(m);
	return add_names(m, code);
}

void firefox_markers__done(struct firefox_markers *m)
{
	mem_free(m->first_step);
	mem_free(m->first_wake);
	mem_free(m->next_step);
	mem_free(m->next_wake);
	timeline_names__done(&m->names);
}

static void put_field(struct json *to, const char *key, const char *label)
{
	json__object(to, NULL);
	json__text(to, "key", key);
	json__text(to, "label", label);
	json__text(to, "format", "string");
	json__end_object(to);
}

static void put_schema(struct json *to, const char *name, const char *label,
		       const char *const (*fields)[2], size_t len)
{
	json__line(to);
	json__object(to, NULL);
	json__text(to, "name", name);
	json__text(to, "tableLabel", label);
	json__array(to, "display");
	json__text(to, NULL, "marker-chart");
	json__text(to, NULL, "marker-table");
	json__text(to, NULL, "timeline-overview");
	json__end_array(to);
	json__array(to, "fields");
	for (size_t i = 0; i < len; i++)
		put_field(to, fields[i][0], fields[i][1]);
	json__end_array(to);
	json__end_object(to);
}

void firefox_markers_put_schema(const struct firefox_markers *m, struct json *to)
{
	/* keys are those of timeline_names__facts() */
	static const char *const wait[][2] = { { "place", "Place" },
					       { "kernel", "Kernel" },
					       { "object", "For" },
					       { "owner", "Held by" },
					       { "waker", "Woken by" } };
	static const char *const wake[][2] = { { "thread", "Thread" } };

	json__array(to, "markerSchema");
	if (m) {
		put_schema(to, "Wait", "{marker.name}: {marker.data.place}", wait, ARRAY_LEN(wait));
		put_schema(to, "Wake", "{marker.name} {marker.data.thread}", wake, ARRAY_LEN(wake));
		put_schema(to, "State", "{marker.name}", NULL, 0);
	}
	json__end_array(to);
}

static const struct timeline_step *step_at(const struct firefox_markers *m, u32 i)
{
	return vec__at(&m->names.timeline.steps, i - 1);
}

void firefox_markers__put_samples(const struct firefox_markers *m, u32 task,
				  const u32 *stack_of_wait, struct json *to)
{
	const struct profile_moment *moments = m->p->moments;
	u32 i, n = 0;

	json__line(to);
	json__object(to, "samples");
	json__array(to, "stack");
	for (i = m->first_step[task]; i; i = m->next_step[i]) {
		if (step_at(m, i)->kind != TIMELINE_WAIT)
			continue;
		json__u64(to, NULL, stack_of_wait[moments[step_at(m, i)->moment].wait]);
		n++;
	}
	json__end_array(to);
	json__array(to, "time");
	for (i = m->first_step[task]; i; i = m->next_step[i]) {
		if (step_at(m, i)->kind == TIMELINE_WAIT)
			firefox_put_ms(to, NULL, step_at(m, i)->begin_ns);
	}
	json__end_array(to);
	json__array(to, "weight");
	for (i = m->first_step[task]; i; i = m->next_step[i]) {
		if (step_at(m, i)->kind == TIMELINE_WAIT)
			firefox_put_ms(to, NULL, step_at(m, i)->ns);
	}
	json__end_array(to);
	json__text(to, "weightType", "tracing-ms");
	json__u64(to, "length", n);
	json__end_object(to);
}

static int push(struct vec *rows, struct marker row)
{
	struct marker *slot = vec__push(rows);

	if (!slot)
		return -ENOMEM;
	*slot = row;
	return 0;
}

static int add_step(const struct firefox_markers *m, const struct timeline_step *s,
		    struct vec *rows)
{
	const struct profile_moment *at;
	enum cause cause;
	u64 woken_ns;
	int r = 0;

	if (s->kind != TIMELINE_WAIT) {
		bool on_cpu = s->kind == TIMELINE_ON_CPU;

		return push(rows, (struct marker){ s->begin_ns, s->begin_ns + s->ns,
						   on_cpu ? m->on_cpu_name : m->unknown_name,
						   on_cpu ? FIREFOX_USER : FIREFOX_OTHER,
						   PHASE_INTERVAL, 0, 0 });
	}
	at = &m->p->moments[s->moment];
	cause = causes__of(&m->names.causes, at->wait);
	woken_ns = at->end_ns - at->runq_ns;
	if (at->blocked_ns)
		r = push(rows, (struct marker){ s->begin_ns, woken_ns, m->cause_names[cause],
						FIREFOX_CAUSES + (u32)cause, PHASE_INTERVAL,
						s->moment + 1, 0 });
	if (!r && at->runq_ns)
		r = push(rows,
			 (struct marker){ woken_ns, at->end_ns, m->runq_name, FIREFOX_OTHER,
					  PHASE_INTERVAL, at->blocked_ns ? 0 : s->moment + 1, 0 });
	return r;
}

static int add_rows(const struct firefox_markers *m, u32 task, struct vec *rows)
{
	int r = 0;

	for (u32 i = m->first_step[task]; i && !r; i = m->next_step[i])
		r = add_step(m, step_at(m, i), rows);
	for (u32 i = task ? m->first_wake[task] : 0; i && !r; i = m->next_wake[i]) {
		const struct profile_moment *at = &m->p->moments[i - 1];
		u64 ns = at->end_ns - at->runq_ns;

		r = push(rows, (struct marker){ ns, ns, m->wakes_name, FIREFOX_OTHER, PHASE_INSTANT,
						0, i });
	}
	return r;
}

static void put_fact(void *arg, const char *name, const char *text)
{
	json__text(arg, name, text);
}

static int put_data(struct firefox_markers *m, const struct marker *row, struct json *to)
{
	const struct profile *p = m->p;
	int r = 0;

	json__object(to, NULL);
	json__text(to, "type", row->wait ? "Wait" : row->woken ? "Wake" : "State");
	if (row->wait)
		r = timeline_names__facts(&m->names, p, row->wait - 1, put_fact, to);
	if (row->woken) {
		const struct profile_task *t =
			&p->tasks[p->waits[p->moments[row->woken - 1].wait].task];
		char thread[128];

		snprintf(thread, sizeof(thread), "%s (%u)", profile__str(p, t->comm), t->tid);
		json__text(to, "thread", thread);
	}
	json__end_object(to);
	return r;
}

static void put_numbers(const struct vec *rows, const char *key, size_t off, struct json *to)
{
	json__array(to, key);
	for (size_t i = 0; i < rows->len; i++)
		json__u64(to, NULL, *(const u32 *)((const char *)vec__at(rows, i) + off));
	json__end_array(to);
}

static void put_times(const struct vec *rows, struct json *to)
{
	size_t i;

	json__array(to, "startTime");
	for (i = 0; i < rows->len; i++)
		firefox_put_ms(to, NULL, ((const struct marker *)vec__at(rows, i))->begin_ns);
	json__end_array(to);
	json__array(to, "endTime");
	for (i = 0; i < rows->len; i++) {
		const struct marker *row = vec__at(rows, i);

		if (row->phase == PHASE_INSTANT)
			json__null(to, NULL);
		else
			firefox_put_ms(to, NULL, row->end_ns);
	}
	json__end_array(to);
}

int firefox_markers__put(struct firefox_markers *m, u32 task, struct json *to)
{
	struct vec rows;
	int r = 0;

	vec__init(&rows, sizeof(struct marker));
	if (m)
		r = add_rows(m, task, &rows);
	json__line(to);
	json__object(to, "markers");
	json__array(to, "data");
	for (size_t i = 0; i < rows.len && !r; i++)
		r = put_data(m, vec__at(&rows, i), to);
	json__end_array(to);
	put_numbers(&rows, "name", offsetof(struct marker, name), to);
	put_times(&rows, to);
	put_numbers(&rows, "phase", offsetof(struct marker, phase), to);
	put_numbers(&rows, "category", offsetof(struct marker, category), to);
	json__u64(to, "length", rows.len);
	json__end_object(to);
	vec__done(&rows);
	return r;
}
