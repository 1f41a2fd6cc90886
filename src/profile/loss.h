/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_LOSS_H
#define PROFILE_LOSS_H

#include "base/types.h"

/*
 * What a profile does not contain, or not as it should be: X(NAME, name, one, many, rest). `name`
 * is stable, for JSON; `rest` stands behind what one event, or several, are called. Events are
 * counted; ns is the time concerned, 0 where no time is. Append only.
 */
#define PROFILE_LOSSES(X)                                                                          \
	X(WAITS_FULL, "waits_full", "wait", "waits", " not listed: wait table full")               \
	X(STACKS_FULL, "stacks_full", "wait", "waits",                                             \
	  " listed without a stack: stack table full")                                             \
	X(STACK_UNREAD, "stack_unread", "wait", "waits",                                           \
	  " listed without a stack: it could not be read")                                         \
	X(STACK_CUT, "stack_cut", "kernel stack", "kernel stacks",                                 \
	  " truncated at the depth limit")                                                         \
	X(MISSED_SWITCH, "missed_switch", "context switch", "context switches",                    \
	  " that the kernel did not report")                                                       \
	X(TASK_STORAGE, "task_storage", "thread not recorded: no memory for its totals",           \
	  "threads not recorded: no memory for their totals", "")                                  \
	X(TASK_RECORD, "task_record",                                                              \
	  "exited thread whose totals were lost: ring buffer full, or exit event missed",          \
	  "exited threads whose totals were lost: ring buffer full, or exit event missed", "")     \
	X(PROCESS_EVENT, "process_event", "exec event", "exec events", " lost: ring buffer full")  \
	X(UNMARKED, "unmarked", "thread that matches the filter but was never traced",             \
	  "threads that match the filter but were never traced", "")                               \
	X(CLOCK_BACK, "clock_back", "interval", "intervals",                                       \
	  " of negative length, counted as zero")                                                  \
	X(ORPHAN_WAIT, "orphan_wait", "wait", "waits",                                             \
	  " listed without a thread: its record was lost")                                         \
	X(RECURSION, "recursion", "event", "events",                                               \
	  " dropped by the kernel because our program was running")                                \
	X(SPLIT_MISSING, "split_missing", "wait", "waits",                                         \
	  " whose wakeup was missed: shown as blocked")                                            \
	X(UNNAMED, "unnamed", "wait", "waits", " with an unresolved frame")                        \
	X(STACK_TRUNCATED, "truncated", "wait", "waits", " with a truncated user stack")           \
	X(PYTHON_UNREAD, "python_unread",                                                          \
	  "stack without its Python functions: they could not be read",                            \
	  "stacks without their Python functions: they could not be read", "")                     \
	X(CODE_LOST, "code_lost", "Python function", "Python functions",                           \
	  " whose names or lines were lost")                                                       \
	X(MODULES_FULL, "modules_full", "mapped file", "mapped files",                             \
	  " not recorded: table full, or event lost")                                              \
	X(TABLES_FULL, "tables_full", "file", "files",                                             \
	  " without an unwind table: out of table memory")                                         \
	X(STACK_DIFFERS, "stack_differs", "cached stack", "cached stacks",                         \
	  " failed verification: use --plain and report it")                                       \
	X(DAMAGED, "damaged", "wait", "waits",                                                     \
	  " lost, or listed without a stack: the file is damaged")                                 \
	X(USER_MEMORY, "user_memory", "wait", "waits",                                             \
	  " not listed: limit of --max-user-memory reached")                                       \
	X(TABLES_LATE, "tables_late", "file", "files",                                             \
	  " without an unwind table: building it would have exceeded --max-overhead")              \
	X(TARGETS_FULL, "targets_full", "child not followed, nor its descendants",                 \
	  "children not followed, nor their descendants", ": process table full")                  \
	X(SAMPLES_LOST, "samples_lost", "on-CPU sample", "on-CPU samples",                         \
	  " lost: table full, or thread not recorded")                                             \
	X(SAMPLES_BARE, "samples_bare", "on-CPU sample", "on-CPU samples",                         \
	  " without a stack: stack table full")                                                    \
	X(HISTS, "hists", "thread", "threads", " without histograms: no memory for them")          \
	X(OBJECTS_FULL, "objects_full", "wait", "waits",                                           \
	  " with object shown as other: object table full")                                        \
	X(PEERS, "peers", "object that may lack peers", "objects that may lack peers",             \
	  ": too many open files")                                                                 \
	X(OWNER_UNKNOWN, "owner_unknown", "wait", "waits",                                         \
	  " for a kernel or file lock with unknown owner: most are held by readers")               \
	X(JAVA_LOST, "java_lost", "Java method", "Java methods", " whose names were lost")         \
	X(CODE_FULL, "code_full", "JIT function", "JIT functions",                                 \
	  " not read: perf map or jitdump has over 2,097,152")                                     \
	X(WAKERS_FULL, "wakers_full", "wait", "waits",                                             \
	  " whose waker was not recorded: waker table full")                                       \
	X(WAKERS_MISSED, "wakers_missed", "wait", "waits",                                         \
	  " whose wakeup was not seen: waker unknown")                                             \
	X(WAKER_STACKS, "waker_stacks", "wakeup", "wakeups",                                       \
	  " listed without a stack of the waker: stack table full")                                \
	X(CODE_UNREAD, "code_unread", "perf map or jitdump", "perf maps or jitdumps",              \
	  " not read to the end: damaged, or over 1 GiB")                                          \
	X(OWNER_SEVERAL, "owner_several", "wait", "waits",                                         \
	  " for a file lock with several holders: one of them is shown as the owner")              \
	X(SOURCE_LOST, "source_lost", "event", "events", " lost by the tool that recorded")        \
	X(SOURCE_BARE, "source_bare", "stack", "stacks", " missing in what was imported")          \
	X(VISITS, "visits_missed", "round of visits", "rounds of visits",                          \
	  " left out: the one before took too long")                                               \
	X(MOMENTS, "events_lost", "wait", "waits",                                                 \
	  " whose instant was lost: --max-events reached, or ring buffer full")                    \
	X(MARKS, "marks_lost", "begin or end of a request lost",                                   \
	  "begins or ends of requests lost", ": --max-events reached, or ring buffer full")        \
	X(HEADS_CUT, "heads_cut", "request", "requests",                                           \
	  " whose head was not seen whole: a trace id may be missing")                             \
	X(HEADS_UNREAD, "heads_unread", "request", "requests",                                     \
	  " whose head could not be read: without path and trace id")                              \
	X(GAP_WAITS, "gap_waits", "wait", "waits",                                                 \
	  " open in a gap of the recording: the part in it is in no window")                       \
	X(GAP_UNKNOWN, "gap_unknown", "wait", "waits",                                             \
	  " open after a gap of the recording, begin unknown: may lack up to the gap")             \
	X(MEASURED_UNBEGUN, "measured_unbegun", "wait of a task", "waits of tasks",                \
	  " not measured: the begin was not seen")                                                 \
	X(MEASURED_UNENDED, "measured_unended", "wait of a task", "waits of tasks",                \
	  " not measured: the end was not seen")                                                   \
	X(MEASURED_FULL, "measured_full", "wait of a task", "waits of tasks",                      \
	  " not measured: table full")                                                             \
	X(MEASURED_BARE, "measured_bare", "measured wait or wakeup", "measured waits or wakeups",  \
	  " without a stack: unreadable, or table full")                                           \
	X(CONTEXTS_UNREAD, "contexts_unread", "begin or end of a request",                         \
	  "begins or ends of requests",                                                            \
	  " whose thread context could not be read: a trace id may be missing")

enum profile_loss_kind {
#define X(NAME, name, one, many, rest) LOSS_##NAME,
	PROFILE_LOSSES(X)
#undef X
		LOSS_CNT
};

struct profile_loss {
	u64 events;
	u64 ns;
};

/* Time that a number cannot hold is the largest number. */
static inline void loss_add(struct profile_loss *sum, const struct profile_loss *l)
{
	sum->events += l->events;
	if (__builtin_add_overflow(sum->ns, l->ns, &sum->ns))
		sum->ns = ~0ULL;
}

/* The stable short name and the sentence of a kind. */
const char *loss_name(enum profile_loss_kind kind);
const char *loss_sentence(enum profile_loss_kind kind);
/* The sentence behind the number 1. */
const char *loss_sentence_of_one(enum profile_loss_kind kind);

#endif
