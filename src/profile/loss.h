/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_LOSS_H
#define PROFILE_LOSS_H

#include "base/types.h"

/*
 * What a profile does not contain, or not as it should be: X(NAME, name, sentence). `name` is
 * stable, for JSON. Events are counted; ns is the time concerned, 0 where no time is.
 * Append only.
 */
#define PROFILE_LOSSES(X)                                                                          \
	X(WAITS_FULL, "waits_full", "waits not listed: the table of waits was full")               \
	X(STACKS_FULL, "stacks_full",                                                              \
	  "waits listed without a stack: the table of stacks was full")                            \
	X(STACK_UNREAD, "stack_unread", "waits listed without a stack: it could not be read")      \
	X(STACK_CUT, "stack_cut", "kernel stacks cut off at the depth limit")                      \
	X(MISSED_SWITCH, "missed_switch", "context switches that the kernel did not report")       \
	X(TASK_STORAGE, "task_storage", "threads left out: no memory for their totals")            \
	X(TASK_RECORD, "task_record", "ended threads whose totals were lost: no room for them")    \
	X(PROCESS_EVENT, "process_event", "new programs not heard of in time: ring buffer full")   \
	X(UNMARKED, "unmarked", "threads that match the filter but were never traced")             \
	X(CLOCK_BACK, "clock_back", "intervals of negative length, counted as zero")               \
	X(ORPHAN_WAIT, "orphan_wait", "waits listed without a thread: its record was lost")        \
	X(RECURSION, "recursion", "events the kernel dropped because our program was running")     \
	X(SPLIT_MISSING, "split_missing", "waits whose wakeup was not seen: shown as blocked")     \
	X(UNNAMED, "unnamed", "waits with a frame that has no name")                               \
	X(STACK_TRUNCATED, "truncated", "waits with a user stack whose root side is missing")      \
	X(PYTHON_UNREAD, "python_unread", "stacks without the Python functions that are in them")  \
	X(CODE_LOST, "code_lost", "Python functions whose names or lines were lost")               \
	X(MODULES_FULL, "modules_full", "mapped files left out: no room, or not heard of")         \
	X(TABLES_FULL, "tables_full",                                                              \
	  "files without an unwind table: the memory for them is used up")                         \
	X(STACK_DIFFERS, "stack_differs",                                                          \
	  "stacks that were not what a short way to them said: use --plain, and tell us")          \
	X(DAMAGED, "damaged", "waits whose stack or own line was lost as the file is damaged")     \
	X(USER_MEMORY, "user_memory",                                                              \
	  "waits not listed: the memory of coldspot itself was used up (--max-user-memory)")       \
	X(TABLES_LATE, "tables_late",                                                              \
	  "files without an unwind table: making them would have cost more than --max-overhead")   \
	X(TARGETS_FULL, "targets_full",                                                            \
	  "children left out, with all that they start: the table of processes was full")          \
	X(SAMPLES_LOST, "samples_lost",                                                            \
	  "samples of threads on a CPU not listed: no room for them, or for their thread")         \
	X(SAMPLES_BARE, "samples_bare",                                                            \
	  "samples of threads on a CPU without a stack: no room for it")                           \
	X(HISTS, "hists", "threads without histograms: no memory for them")                        \
	X(OBJECTS_FULL, "objects_full",                                                            \
	  "waits whose object is shown as other: there was no room for one more")                  \
	X(PEERS, "peers",                                                                          \
	  "objects that may lack processes at their other end: too many files are open")           \
	X(HOLDER_UNKNOWN, "holder_unknown",                                                        \
	  "waits for a lock of the kernel whose holder is not known: readers, or a semaphore")

enum profile_loss_kind {
#define X(NAME, name, sentence) LOSS_##NAME,
	PROFILE_LOSSES(X)
#undef X
		LOSS_CNT
};

struct profile_loss {
	u64 events;
	u64 ns;
};

/* The stable short name and the sentence of a kind. */
const char *loss_name(enum profile_loss_kind kind);
const char *loss_sentence(enum profile_loss_kind kind);

#endif
