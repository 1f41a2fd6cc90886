/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNIT_PROFILE_SAMPLE_H
#define UNIT_PROFILE_SAMPLE_H

#include "profile/builder.h"

/*
 * A small profile with something of everything. Thread 1 has two listed waits and a rest of 100 ns
 * blocked (D) and 30 ns for a CPU; thread 2 is listed whole; thread 3 is thread 2 after an exec and
 * has no wait. One wait has no thread.
 */
enum sample_id {
	SAMPLE_TASK_POOL = 1,
	SAMPLE_TASK_BEFORE_EXEC = 2,
	SAMPLE_TASK_AFTER_EXEC = 3,
};

struct sample_ids {
	u32 comm, path, module, kframe, uframe, main_frame;
	u32 kstack, ustack, usub;
};

static inline void sample_add_code(struct builder *b, struct sample_ids *ids)
{
	struct profile_module m = { .kind = MODULE_ELF, .dev = 1, .ino = 2 };

	builder__str(b, "/usr/bin/pool", &ids->path);
	m.path = ids->path;
	builder__module(b, &m, &ids->module);
	builder__frame(b, 0, 0xffffffff81000000ULL, FRAME_KERNEL, FRAME_NOT_TRIED, &ids->kframe);
	builder__frame(b, ids->module, 0x1000, 0, FRAME_NOT_TRIED, &ids->main_frame);
	builder__frame(b, ids->module, 0x2000, FRAME_RETURN, FRAME_NOT_TRIED, &ids->uframe);
	builder__stack(b, 0, ids->kframe, &ids->kstack);
	builder__stack(b, 0, ids->main_frame, &ids->usub);
	builder__stack(b, ids->usub, ids->uframe, &ids->ustack);
	builder__stack_flags(b, ids->ustack, STACK_CUT);
}

static inline void sample_add_tasks(struct builder *b, struct sample_ids *ids)
{
	struct profile_task t = { .tid = 11, .tgid = 10, .start_boottime_ns = 5, .wall_ns = 1000 };
	u32 id;

	builder__str(b, "pool", &ids->comm);
	t.comm = ids->comm;
	t.group_comm = ids->comm;
	t.on_ns = 200;
	t.preempted_ns = 50;
	t.runq_ns = 100;
	t.blocked_ns[1] = 440;
	t.blocked_ns[2] = 200;
	t.unaccounted_ns = 10;
	t.switches = 7;
	t.preemptions = 2;
	t.wakeups = 5;
	t.migrations = 1;
	builder__task(b, &t, &id);
	t = (struct profile_task){ .tid = 12, .tgid = 12, .start_boottime_ns = 6, .wall_ns = 400 };
	t.flags = TASK_EXECED;
	t.on_ns = 100;
	t.blocked_ns[1] = 300;
	t.switches = 1;
	builder__task(b, &t, &id);
	t.flags = TASK_EXITED;
	t.on_ns = 400;
	t.blocked_ns[1] = 0;
	builder__task(b, &t, &id);
}

static inline void sample_add_waits(struct builder *b, const struct sample_ids *ids)
{
	struct profile_wait w = { .task = SAMPLE_TASK_POOL, .sysno = 202, .state = 1 };

	w.ustack = ids->ustack;
	w.kstack = ids->kstack;
	w.blocked_ns = 440;
	w.runq_ns = 60;
	w.count = w.samples = 3;
	w.max_ns = 400;
	w.hist[0] = 3;
	builder__wait(b, &w);
	w.state = 2;
	w.sysno = -1;
	w.flags = WAIT_IOWAIT;
	w.blocked_ns = 100;
	w.max_ns = 160;
	w.count = w.samples = 1;
	w.hist[0] = 1;
	builder__wait(b, &w);
	w.task = SAMPLE_TASK_BEFORE_EXEC;
	w.state = 1;
	w.flags = 0;
	w.ustack = ids->usub;
	w.blocked_ns = 300;
	w.runq_ns = 0;
	w.max_ns = 300;
	builder__wait(b, &w);
	w.task = 0;
	w.blocked_ns = 9999;
	w.max_ns = 9999;
	w.hist[0] = 0;
	w.hist[4] = 1;
	builder__wait(b, &w);
}

/* Adds all of it; returns the error of the builder. */
static inline int sample_add(struct builder *b)
{
	struct sample_ids ids = { 0 };
	u32 host;
	int r;

	sample_add_code(b, &ids);
	sample_add_tasks(b, &ids);
	sample_add_waits(b, &ids);
	builder__loss(b, LOSS_STACK_CUT, 4, 0);
	builder__loss(b, LOSS_STACK_CUT, 1, 7);
	r = builder__str(b, "box", &host);
	builder__header(b)->host = host;
	builder__header(b)->window_ns = 1000;
	builder__header(b)->max_ns = ~0ULL;
	builder__header(b)->sides = SIDE_USER | SIDE_KERNEL;
	return r;
}

/* The frozen sample, or NULL. */
static inline struct profile *sample_profile(u32 filtered)
{
	struct builder *b = builder__new();
	struct profile *p = NULL;

	if (!b)
		return NULL;
	sample_add(b);
	builder__header(b)->filtered = filtered;
	if (builder__freeze(b, &p, NULL))
		p = NULL;
	builder__free(b);
	return p;
}

#endif
