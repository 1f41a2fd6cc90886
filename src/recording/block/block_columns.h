/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_BLOCK_BLOCK_COLUMNS_H
#define RECORDING_BLOCK_BLOCK_COLUMNS_H

/*
 * Columns of the sections of waits and of tasks. Append only. profile/row_type.c has their numbers.
 */

enum waits_column {
	WAITS_TASK, /* difference */
	WAITS_USTACK, /* difference */
	WAITS_KSTACK,
	WAITS_SYSNO, /* plus 1; 0: no call */
	WAITS_STATE,
	WAITS_FLAGS, /* enum profile_wait_flag */
	WAITS_BLOCKED,
	WAITS_RUNQ,
	WAITS_BELOW_SUM, /* the longest, as what the rest of the sum is */
	WAITS_SAMPLES, /* what the count is beyond them */
	WAITS_VAR,
	WAITS_HIST_MASK, /* which buckets are not 0 */
	WAITS_HIST, /* these buckets; the count is their sum */
	WAITS_OBJECT, /* 0: none */
	WAITS_OWNER, /* task; 0: none */
	WAITS_OWNER_TID,
	WAITS_REST, /* count of a WAIT_LOST or WAIT_SUMMED, which has no histogram; of others 0 */
	/*
	 * 0: the row has all columns. Else it is one sample (single.h), and only BLOCKED and RUNQ,
	 * of that wait, and SAMPLES, whether its count was rounded up, have a number for it. 1: it
	 * stands for itself; 2 + n: for weight n of the section. Needed.
	 */
	WAITS_SINGLE,
	WAITS_WEIGHT, /* of each n that is the next new one */
	WAITS_COLUMNS,
};

enum intervals_column {
	INTERVALS_LENGTH,
	INTERVALS_BEGIN, /* difference */
	INTERVALS_COLUMNS,
};

enum replicates_column {
	REPLICATES_WAIT, /* difference: its number in the section of waits, from 1 */
	REPLICATES_INTERVAL, /* number from 0; a difference to a row of the same wait */
	REPLICATES_NS,
	/* 1: all that the wait has and earlier rows do not; NS has no number for it. Needed. */
	REPLICATES_REST,
	REPLICATES_COLUMNS,
};

enum hots_column {
	HOTS_TASK, /* difference */
	HOTS_USTACK, /* difference */
	HOTS_KSTACK,
	HOTS_SYSNO, /* plus 1; 0: no call */
	HOTS_FLAGS, /* enum profile_hot_flag */
	HOTS_ON,
	HOTS_SAMPLES,
	HOTS_VAR,
	HOTS_COLUMNS,
};

enum measured_column {
	MEASURED_TASK, /* difference, and the next two */
	MEASURED_USTACK,
	MEASURED_WAKER_USTACK,
	MEASURED_TOTAL,
	MEASURED_MAX,
	MEASURED_HIST_MASK, /* as of waits, and the next */
	MEASURED_HIST,
	MEASURED_COLUMNS,
};

enum objects_column {
	OBJECTS_KIND, /* enum object_kind */
	OBJECTS_FUTEX, /* enum futex_kind */
	OBJECTS_ROLE, /* enum socket_role */
	OBJECTS_FAMILY,
	OBJECTS_TYPE,
	OBJECTS_PROTOCOL,
	OBJECTS_PORT,
	OBJECTS_NUMBER,
	OBJECTS_TGID,
	OBJECTS_MORE,
	OBJECTS_NAME, /* reference, and the next two */
	OBJECTS_PEER,
	OBJECTS_FILE,
	OBJECTS_DEV,
	OBJECTS_INO,
	OBJECTS_ADDR,
	OBJECTS_NAME_OFF,
	OBJECTS_COLUMNS,
};

enum wakers_column {
	WAKERS_TASK, /* 0: none */
	WAKERS_TID,
	WAKERS_TGID,
	WAKERS_COMM, /* reference, and the next */
	WAKERS_GROUP_COMM,
	WAKERS_CONTEXT, /* enum profile_waker_context */
	WAKERS_END, /* enum profile_chain_end */
	WAKERS_USTACK, /* difference */
	WAKERS_KSTACK,
	WAKERS_NEXT, /* how far before this one; 0: none */
	WAKERS_FLAGS, /* enum profile_waker_flag */
	WAKERS_COLUMNS,
};

enum wakes_column {
	WAKES_TASK, /* difference */
	WAKES_USTACK, /* difference */
	WAKES_KSTACK,
	WAKES_SYSNO, /* plus 1; 0: no call */
	WAKES_STATE,
	WAKES_FLAGS, /* enum profile_wait_flag */
	WAKES_OBJECT, /* 0: none */
	WAKES_OWNER, /* task; 0: none */
	WAKES_OWNER_TID,
	WAKES_WAKER,
	WAKES_DOING, /* enum profile_doing */
	WAKES_DID_USTACK, /* of the waker's own wait, and the next five */
	WAKES_DID_KSTACK,
	WAKES_DID_SYSNO, /* plus 1; 0: no call */
	WAKES_DID_STATE,
	WAKES_DID_FLAGS,
	WAKES_DID_OBJECT,
	WAKES_NS,
	WAKES_COUNT,
	WAKES_BURSTS,
	WAKES_CROWD,
	WAKES_BRIEF,
	WAKES_AGAIN,
	WAKES_BRIEF_NS,
	WAKES_COLUMNS,
};

/* Of profile/moment.h. */
enum moments_column {
	MOMENTS_END, /* since the end of the one before */
	MOMENTS_WAIT,
	MOMENTS_BLOCKED,
	MOMENTS_RUNQ,
	MOMENTS_WAKER, /* 0: none */
	MOMENTS_COLUMNS,
};

/* Of struct profile_mark. */
enum marks_column {
	MARKS_AT, /* since the one before */
	MARKS_TASK,
	MARKS_KIND, /* enum mark_kind */
	MARKS_CLASS, /* reference */
	MARKS_CONNECTION, /* 0: of a probe */
	MARKS_HAS_TRACE,
	/* Of each that has one, 16 bytes: references would number strings for older readers. */
	MARKS_TRACE,
	MARKS_COLUMNS,
};

enum tasks_column {
	TASKS_TID, /* difference */
	TASKS_TGID, /* difference */
	TASKS_COMM, /* reference */
	TASKS_GROUP_COMM, /* reference */
	TASKS_FLAGS,
	TASKS_START, /* difference */
	TASKS_CGROUP, /* difference */
	TASKS_BEGIN,
	TASKS_ON,
	TASKS_PREEMPTED,
	TASKS_RUNQ,
	TASKS_UNACCOUNTED, /* wall time is the sum of the parts */
	TASKS_SWITCHES,
	TASKS_PREEMPTIONS,
	TASKS_WAKEUPS,
	TASKS_MIGRATIONS,
	TASKS_BLOCKED, /* and eight more: by state, in the order of "RSDTtXZPI" */
	TASKS_HIST_ON = TASKS_BLOCKED + 9, /* the part that is in histograms */
	TASKS_HIST_RUNQ,
	TASKS_HIST_BLOCKED,
	TASKS_CGROUP_PATH, /* reference; behind those of all rows to other strings */
	TASKS_PARTS, /* of a sum of threads that ended, and the next two */
	TASKS_THREADS,
	TASKS_PROCESSES,
	TASKS_CONTAINER_NAME, /* reference; behind those of all rows to TASKS_CGROUP_PATH */
	TASKS_GAP_WAIT,
	TASKS_COLUMNS,
};

enum bins_column {
	BINS_TASK, /* difference */
	BINS_KIND, /* enum hist_kind */
	BINS_BUCKET,
	BINS_COUNT,
	BINS_COLUMNS,
};

#endif
