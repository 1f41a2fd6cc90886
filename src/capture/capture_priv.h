/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CAPTURE_PRIV_H
#define CAPTURE_CAPTURE_PRIV_H

/* The inside of a capture, for capture.c, which runs the trace, and drain.c, which reads it. */
#include "abi/task.h"
#include "base/vec.h"
#include "capture/ageing.h"
#include "capture/capture.h"
#include "capture/capture_window.h"
#include "capture/mapping/code_places.h"
#include "capture/cost/governor.h"
#include "capture/mapping/endings.h"
#include "capture/leavers.h"
#include "capture/postponed.h"
#include "capture/mapping/mapped.h"
#include "capture/cost/pace.h"
#include "capture/mapping/processes.h"
#include "capture/program/programs.h"
#include "capture/request/request_probes.h"
#include "capture/program/sampler.h"
#include "capture/runtime/readers.h"
#include "capture/request/request_heads.h"
#include "capture/request/slow_marks.h"
#include "capture/request/thread_contexts.h"
#include "capture/program/stacks.h"
#include "proc/cgroup/cgroup_paths.h"
#include "proc/cgroup/container_names.h"
#include "proc/roots.h"

struct ring_buffer;

struct capture {
	struct programs *programs;
	struct processes processes; /* used if the programs cannot look up mappings */
	struct segments segments;
	struct mapped mapped;
	struct code_places code_places;
	struct endings endings;
	struct roots roots;
	struct cgroup_paths cgroups;
	struct container_names containers;
	const char *cgroup2_path; /* where version 2 is mounted; "": nowhere. Borrowed */
	bool no_cgroup2; /* not mounted: the kernel reports its root for every thread */
	struct readers readers; /* of interpreted functions */
	struct stacks stacks; /* of the closed window */
	struct postponed postponed; /* walks to be repeated */
	bool polling; /* hold back new tables until all events are taken */
	struct ageing ageing;
	bool addresses_hidden; /* /proc/kallsyms hides them, so we show none either */
	struct ring_buffer *ring;
	bool rescan; /* the mark iterator must run again */
	int ring_error; /* first failure inside a ring callback */
	bool filtered; /* the list omits waits, by length or state */
	u32 sides;
	bool wakers;
	u64 max_moments;
	struct request_probes requests;
	struct slow_marks slow_marks;
	struct request_heads request_heads;
	struct thread_contexts thread_contexts;
	u32 on_cpu_hz;
	u32 visit_hz;
	u64 first_ns; /* begin of the first window */
	u64 gap_from_ns; /* see struct capture_options */
	u64 end_ns; /* of the last window; 0: not set */
	struct sampler sampler;
	u32 hist_unit_ns;
	u64 min_ns;
	u64 max_ns;
	u64 interval_ns;
	struct capture_window now; /* the open window */
	struct capture_window closed; /* the previous one, until it is drained */
	u64 there; /* threads at the start of the open window; see struct roll_call */
	u64 last_id; /* the last thread number assigned by then */
	/* Threads numbered before the window was closed that began after its end. */
	struct map64 young;
	u64 younger;
	struct leavers leavers;
	bool ended; /* no window follows */
	/* Counters as they were when the last window was closed. */
	struct cs_stats stats;
	struct programs_cost cost;
	u64 cpu_ns;
	u64 tables_full;
	bool governed;
	struct governor governor;
	struct pace pace; /* of our own process */
	char floor_notice[256];
};

/* Adds a thread's record to a window, or counts it as lost if memory is short. -ENOMEM or 0. */
int capture_take_record(struct capture *c, struct capture_window *w,
			const struct cs_task_record *rec);
int capture_take_hist_record(struct capture *c, struct capture_window *w,
			     const struct cs_task_hist_record *rec);

/* Does the budget allow our process to work now? */
bool capture_may_work(struct capture *c);
/* Builds the tables of new files while the budget allows it. -ENOMEM or 0. */
int capture_build_tables(struct capture *c);

#endif
