/* SPDX-License-Identifier: Apache-2.0 */
/* From the options of record, and of top, to what is recorded. */
#include "cli/record_whom.h"

#include <limits.h>
#include <stdio.h>

#include "app/recording_file.h"
#include "proc/cgroup/cgroup.h"
#include "proc/cgroup/container.h"
#include "proc/cgroup/unit.h"

#define DEFAULT_HZ 99
#define DEFAULT_EVENTS 1000000
/* Default limit for a recording of the whole machine, in millionths of its CPU time. */
#define DEFAULT_OVERHEAD_PPM 10000
/* A window in which each thread is visited several times. */
#define LEAST_VISITED_NS NSEC_PER_SEC

/* Recordings of selected threads are unlimited by default; whole-machine recordings are not. */
static u64 overhead_ppm(const struct record_values *v)
{
	bool some = v->pids.len || v->tids.len || v->cmd.argv || v->program || v->comm || v->cgroup;

	if (v->exact || record_wants_events(v) || v->sample_hz || v->period_ns != ~0ULL)
		return 0;
	if (v->overhead_ppm)
		return v->overhead_ppm;
	return v->all || !some ? DEFAULT_OVERHEAD_PPM : 0;
}

bool record_may_visit(const struct record_values *v)
{
	bool whole = !v->pids.len && !v->tids.len && !v->cmd.argv && !v->program;
	bool lengths = v->wakers || v->hist || v->min_ns || v->max_ns != ~0ULL;

	return whole && !v->tasks && overhead_ppm(v) && !lengths && !v->split && !v->resume &&
	       (!v->every_ns || v->every_ns >= LEAST_VISITED_NS);
}

static bool follows(const struct record_values *v)
{
	return v->cmd.argv ? !v->no_follow : v->tree || v->follow || v->program;
}

void record_fill_capture(struct capture_options *c, const struct record_values *v)
{
	const struct vec *ids = v->tids.len ? &v->tids : &v->pids;

	*c = (struct capture_options){
		.target = v->tids.len				   ? CAPTURE_THREADS :
			  v->pids.len || v->cmd.argv || v->program ? CAPTURE_PROCESSES :
								     CAPTURE_ALL,
		.ids = ids->data,
		.ids_len = ids->len,
		.follow = follows(v),
		.user_threads = !v->kernel_threads,
		.kernel_threads = !v->user_threads,
		.program = v->program,
		.comm = v->comm,
		.cgroup = v->cgroup,
		.min_ns = v->min_ns,
		.max_ns = v->max_ns,
		.state_mask = v->states.mask,
		.state_any = v->states.any,
		.state_r = v->states.runnable,
		.user_stacks = !v->kernel_stacks,
		.kernel_stacks = !v->user_stacks,
		.objects = !v->no_objects,
		.wakers = v->wakers,
		.task_events = v->task_events,
		.max_moments = !record_wants_events(v) ? 0 :
			       v->max_events	       ? v->max_events :
							 DEFAULT_EVENTS,
		.requests = v->requests.data,
		.requests_len = v->requests.len,
		.cgroup_paths = true,
		.split = v->split,
		.resume = v->resume,
		.command = v->cmd.argv ? v->cmd.argv[0] : NULL,
		.proc_maps = v->mappings,
		.plain = v->plain,
		.fp_only = v->unwind,
		.stack_depth = (u32)v->stack_depth,
		.max_memory = v->max_memory,
		.table_bytes = v->table_bytes,
		.max_waits = (u32)v->max_waits,
		.max_stacks = (u32)v->max_stacks,
		.ring_bytes = v->ring_bytes,
		.on_cpu_hz = !v->on_cpu ? 0 :
			     v->hz	? (u32)v->hz :
					  DEFAULT_HZ,
		.visit_hz = (u32)v->sample_hz,
		.hist_unit_ns = v->hist ? HIST_UNIT_NS : 0,
		.period_ns = v->period_ns != ~0ULL ? v->period_ns : 0,
		.overhead_ppm = overhead_ppm(v),
		.interval_ns = record_values__recordings(v) && !v->last_ns ? v->interval_ns : 0,
		.windows = v->every_ns || v->last_ns,
	};
}

void record_join_command(int argc, char **argv, char *buf, size_t sz)
{
	size_t len = 0;

	len += (size_t)snprintf(buf, sz, "coldspot");
	for (int i = 0; i < argc && len < sz; i++)
		len += (size_t)snprintf(buf + len, sz - len, " %s", argv[i]);
}

/* From the name that people know to the directory. */
int record_find_cgroup(struct record_values *v, char *buf, size_t sz, struct err *err)
{
	char mount[PATH_MAX];
	int r;

	if (!v->unit && !v->container)
		return 0;
	r = cgroup_find_mount(mount, sizeof(mount));
	if (r)
		return err__set(err, r, "cannot read the mounts: %s", err_str(r));
	v->cgroup = buf;
	return v->unit ? unit_find(mount, v->unit, buf, sz, err) :
			 container_find(mount, "", v->container, buf, sz, err);
}

struct target record_target(struct record_values *v)
{
	return (struct target){
		.pids = &v->pids,
		.tids = &v->tids,
		.command = v->cmd.argv ? v->cmd.argv[0] : NULL,
		.program = v->program,
		.comm = v->comm,
		.cgroup = v->cgroup,
		.follow = follows(v),
		.user_only = v->user_threads,
		.kernel_only = v->kernel_threads,
		.tasks = v->tasks,
	};
}
