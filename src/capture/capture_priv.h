/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_CAPTURE_PRIV_H
#define CAPTURE_CAPTURE_PRIV_H

/* The inside of a capture: for capture.c, which runs the trace, and drain.c, which reads it. */
#include "abi/task.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "capture/code_places.h"
#include "capture/governor.h"
#include "capture/javas.h"
#include "capture/mapped.h"
#include "capture/pace.h"
#include "capture/peers.h"
#include "capture/period_log.h"
#include "capture/processes.h"
#include "capture/programs.h"
#include "capture/python_codes.h"
#include "capture/replicates.h"
#include "capture/stacks.h"
#include "capture/task_hists.h"
#include "proc/cgroup_paths.h"
#include "proc/roots.h"

struct ring_buffer;

struct capture {
	struct programs *programs;
	struct processes processes; /* where the programs do not find mappings by themselves */
	struct segments segments;
	struct mapped mapped;
	struct code_places code_places;
	struct roots roots;
	struct cgroup_paths cgroups;
	bool no_cgroup2; /* not mounted: all threads seem to be in its root */
	struct python_codes codes;
	struct javas javas;
	struct stacks stacks; /* read at the stop */
	bool addresses_hidden; /* /proc/kallsyms shows none, and so we do */
	struct vec records; /* struct cs_task_record, finished ones */
	struct task_hists hists; /* of the records, in their order; empty: none are kept */
	u64 records_lost; /* that our own memory had no room for */
	u64 records_lost_ns;
	u64 records_missing; /* that never came */
	struct peers peers; /* of objects; empty without them */
	u64 peers_left_out; /* objects of which not everybody may have been found */
	struct ring_buffer *ring;
	bool rescan; /* the mark iterator must run again */
	int ring_error; /* first failure inside a ring callback */
	bool filtered; /* bounds or states leave waits out of the list */
	u32 sides;
	u32 on_cpu_hz;
	u32 hist_unit_ns;
	u64 min_ns;
	u64 max_ns;
	u64 begin_ns; /* window, CLOCK_MONOTONIC */
	u64 end_ns;
	u64 begin_wall_ns;
	u64 begin_cpu_ns; /* our own CPU time */
	u64 self_cpu_ns;
	u64 memory_bytes;
	bool governed;
	struct governor governor;
	struct pace pace; /* of our process in the window */
	struct period_log periods;
	struct replicates replicates;
	char floor_notice[256];
	struct cs_stats begin_stats;
	struct cs_stats stats;
	struct programs_cost cost;
};

/* The part of [from_ns, to_ns) that is in the window, whose end is 0 until it is known. */
u64 capture_clip(const struct capture *c, u64 from_ns, u64 to_ns);

#endif
