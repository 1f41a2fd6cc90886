/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer and the reader of a block must agree on. */
#include "recording/block/sections.h"

#include "profile/profile.h"

const u8 section_columns[SECTION_TAG_CNT] = {
	[SECTION_HEADER] = HEADER_COLUMNS,	 [SECTION_LOSSES] = LOSSES_COLUMNS,
	[SECTION_BLOCKS] = BLOCKS_COLUMNS,	 [SECTION_TABLES] = TABLES_COLUMNS,
	[SECTION_STRINGS] = STRINGS_COLUMNS,	 [SECTION_TASKS] = TASKS_COLUMNS,
	[SECTION_MODULES] = MODULES_COLUMNS,	 [SECTION_FRAMES] = FRAMES_COLUMNS,
	[SECTION_STACKS] = STACKS_COLUMNS,	 [SECTION_WAITS] = WAITS_COLUMNS,
	[SECTION_INTERVALS] = INTERVALS_COLUMNS, [SECTION_REPLICATES] = REPLICATES_COLUMNS,
	[SECTION_HOTS] = HOTS_COLUMNS,		 [SECTION_BINS] = BINS_COLUMNS,
	[SECTION_OBJECTS] = OBJECTS_COLUMNS,	 [SECTION_WAKERS] = WAKERS_COLUMNS,
	[SECTION_WAKES] = WAKES_COLUMNS,	 [SECTION_MOMENTS] = MOMENTS_COLUMNS,
	[SECTION_MARKS] = MARKS_COLUMNS,	 [SECTION_BASE] = BASE_COLUMNS,
	[SECTION_USED_MODULES] = USED_COLUMNS,	 [SECTION_USED_FRAMES] = USED_COLUMNS,
	[SECTION_USED_STACKS] = USED_COLUMNS,	 [SECTION_MEASURED] = MEASURED_COLUMNS,
};

_Static_assert(HEADER_COLUMNS <= SECTION_COLUMNS && TASKS_COLUMNS <= SECTION_COLUMNS,
	       "more columns than a section can have");
_Static_assert(HEADER_WHOLE_ON - HEADER_IDLE == PROFILE_STATES, "a column for each state");
_Static_assert(TASKS_HIST_ON - TASKS_BLOCKED == PROFILE_STATES, "a column for each state");

#define TASK(column, member) SECTION_FIELD(TASKS_##column, struct profile_task, member, false)
#define TASK_DELTA(column, member) SECTION_FIELD(TASKS_##column, struct profile_task, member, true)
#define BLOCKED(state)                                                                             \
	SECTION_FIELD(TASKS_BLOCKED + (state), struct profile_task, blocked_ns[state], false)
const struct section_field task_fields[] = {
	TASK_DELTA(TID, tid),
	TASK_DELTA(TGID, tgid),
	TASK(FLAGS, flags),
	TASK_DELTA(START, start_boottime_ns),
	TASK_DELTA(CGROUP, cgroup_id),
	TASK(BEGIN, begin_ns),
	TASK(ON, on_ns),
	TASK(PREEMPTED, preempted_ns),
	TASK(RUNQ, runq_ns),
	TASK(UNACCOUNTED, unaccounted_ns),
	TASK(SWITCHES, switches),
	TASK(PREEMPTIONS, preemptions),
	TASK(WAKEUPS, wakeups),
	TASK(MIGRATIONS, migrations),
	BLOCKED(0),
	BLOCKED(1),
	BLOCKED(2),
	BLOCKED(3),
	BLOCKED(4),
	BLOCKED(5),
	BLOCKED(6),
	BLOCKED(7),
	BLOCKED(8),
	TASK(HIST_ON, hist_on_ns),
	TASK(HIST_RUNQ, hist_runq_ns),
	TASK(HIST_BLOCKED, hist_blocked_ns),
	TASK(PARTS, parts),
	TASK(THREADS, threads),
	TASK(PROCESSES, processes),
	TASK(GAP_WAIT, gap_wait_ns),
};
const size_t task_fields_len = ARRAY_LEN(task_fields);

#define OBJECT(column, member) SECTION_FIELD(OBJECTS_##column, struct profile_object, member, false)
const struct section_field object_fields[] = {
	OBJECT(KIND, kind), OBJECT(FUTEX, futex),	OBJECT(ROLE, role), OBJECT(FAMILY, family),
	OBJECT(TYPE, type), OBJECT(PROTOCOL, protocol), OBJECT(PORT, port), OBJECT(NUMBER, number),
	OBJECT(TGID, tgid), OBJECT(MORE, more),		OBJECT(DEV, dev),   OBJECT(INO, ino),
	OBJECT(ADDR, addr), OBJECT(NAME_OFF, name_off),
};
const size_t object_fields_len = ARRAY_LEN(object_fields);

#define WAKER(column, member) SECTION_FIELD(WAKERS_##column, struct profile_waker, member, false)
const struct section_field waker_fields[] = {
	WAKER(TASK, task),     WAKER(TID, tid),
	WAKER(TGID, tgid),     WAKER(CONTEXT, context),
	WAKER(END, end),       SECTION_FIELD(WAKERS_USTACK, struct profile_waker, ustack, true),
	WAKER(KSTACK, kstack), WAKER(FLAGS, flags),
};
const size_t waker_fields_len = ARRAY_LEN(waker_fields);

#define HEADER(column, member) SECTION_FIELD(HEADER_##column, struct profile_header, member, false)
#define IDLE(state)                                                                                \
	SECTION_FIELD(HEADER_IDLE + (state), struct profile_header, idle_ns[state], false)
const struct section_field header_fields[] = {
	HEADER(BEGIN_WALL, begin_wall_ns),
	HEADER(BEGIN_MONO, begin_mono_ns),
	HEADER(WINDOW, window_ns),
	HEADER(NCPU, ncpu),
	HEADER(PERIOD, period_ns),
	HEADER(PERIOD_MIN, period_min_ns),
	HEADER(PERIOD_MAX, period_max_ns),
	HEADER(PERIOD_SUM, period_sum_ns),
	HEADER(MIN, min_ns),
	HEADER(MAX, max_ns),
	HEADER(SWITCHES_SEEN, switches_seen),
	HEADER(WAITS_CHOSEN, waits_chosen),
	HEADER(PROG_RUNS, prog_runs),
	HEADER(PROG_NS, prog_ns),
	HEADER(SELF_CPU, self_cpu_ns),
	HEADER(KERNEL_BYTES, kernel_bytes),
	HEADER(FILTERED, filtered),
	HEADER(SIDES, sides),
	HEADER(PERIOD_CHANGES, period_changes),
	HEADER(WINDOWS, windows),
	HEADER(GAP, gap_ns),
	HEADER(OVERLAP, overlap_ns),
	HEADER(MACHINE, machine_ns),
	HEADER(WHOLE_OFF, whole_off_ns),
	HEADER(WHOLE_WALL, whole_wall_ns),
	HEADER(WHOLE_THREADS, whole_threads),
	HEADER(ON_CPU_HZ, on_cpu_hz),
	HEADER(ON_CPU_SAMPLES, on_cpu_samples),
	HEADER(HIST_UNIT, hist_unit_ns),
	HEADER(IDLE_KNOWN, idle_known),
	HEADER(IDLE_VAR, idle_var_us2),
	IDLE(0),
	IDLE(1),
	IDLE(2),
	IDLE(3),
	IDLE(4),
	IDLE(5),
	IDLE(6),
	IDLE(7),
	IDLE(8),
	HEADER(WHOLE_ON, whole_on_ns),
	HEADER(WAKERS, wakers),
	HEADER(UNKNOWN, unknown),
	HEADER(VISIT_HZ, visit_hz),
	HEADER(VISITS, visits),
	HEADER(VISITS_CHANGED, visits_changed),
	HEADER(VISIT_PASSES, visit_passes),
	HEADER(VISIT_PASSES_MISSED, visit_passes_missed),
	HEADER(VISIT_LATE, visit_late_ns),
	HEADER(VISIT_LATE_MAX, visit_late_max_ns),
	HEADER(VISIT_SOURCES, visit_sources),
	HEADER(VISITED, visited_ns),
	HEADER(MAX_MOMENTS, max_moments),
	HEADER(MEASURED, measured),
	HEADER(MEASURED_NS, measured_ns),
	HEADER(MEASURE_HITS, measure_hits),
	HEADER(MEASURE_COST, measure_cost_ns),
};
const size_t header_fields_len = ARRAY_LEN(header_fields);
