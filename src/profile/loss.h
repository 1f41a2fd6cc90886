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
	X(WAITS_FULL, "waits_full", "wait", "waits", " not listed: the table of waits was full")   \
	X(STACKS_FULL, "stacks_full", "wait", "waits",                                             \
	  " listed without a stack: the table of stacks was full")                                 \
	X(STACK_UNREAD, "stack_unread", "wait", "waits",                                           \
	  " listed without a stack: it could not be read")                                         \
	X(STACK_CUT, "stack_cut", "kernel stack", "kernel stacks", " cut off at the depth limit")  \
	X(MISSED_SWITCH, "missed_switch", "context switch", "context switches",                    \
	  " that the kernel did not report")                                                       \
	X(TASK_STORAGE, "task_storage", "thread left out: no memory for its totals",               \
	  "threads left out: no memory for their totals", "")                                      \
	X(TASK_RECORD, "task_record",                                                              \
	  "ended thread whose totals were lost: no room for it, or no news of its end",            \
	  "ended threads whose totals were lost: no room for them, or no news of their end", "")   \
	X(PROCESS_EVENT, "process_event", "new program", "new programs",                           \
	  " not heard of in time: ring buffer full")                                               \
	X(UNMARKED, "unmarked", "thread that matches the filter but was never traced",             \
	  "threads that match the filter but were never traced", "")                               \
	X(CLOCK_BACK, "clock_back", "interval", "intervals",                                       \
	  " of negative length, counted as zero")                                                  \
	X(ORPHAN_WAIT, "orphan_wait", "wait", "waits",                                             \
	  " listed without a thread: its record was lost")                                         \
	X(RECURSION, "recursion", "event", "events",                                               \
	  " the kernel dropped because our program was running")                                   \
	X(SPLIT_MISSING, "split_missing", "wait", "waits",                                         \
	  " whose wakeup was not seen: shown as blocked")                                          \
	X(UNNAMED, "unnamed", "wait", "waits", " with a frame that has no name")                   \
	X(STACK_TRUNCATED, "truncated", "wait", "waits",                                           \
	  " with a user stack whose root side is missing")                                         \
	X(PYTHON_UNREAD, "python_unread", "stack without the Python functions that are in it",     \
	  "stacks without the Python functions that are in them", "")                              \
	X(CODE_LOST, "code_lost", "Python function", "Python functions",                           \
	  " whose names or lines were lost")                                                       \
	X(MODULES_FULL, "modules_full", "mapped file", "mapped files",                             \
	  " left out: no room, or not heard of")                                                   \
	X(TABLES_FULL, "tables_full", "file without an unwind table: the memory for it",           \
	  "files without an unwind table: the memory for them", " is used up")                     \
	X(STACK_DIFFERS, "stack_differs", "stack that was not what a short way to it said",        \
	  "stacks that were not what a short way to them said", ": use --plain, and tell us")      \
	X(DAMAGED, "damaged", "wait", "waits",                                                     \
	  " whose stack or own line was lost as the file is damaged")                              \
	X(USER_MEMORY, "user_memory", "wait", "waits",                                             \
	  " not listed: the memory of coldspot itself was used up (--max-user-memory)")            \
	X(TABLES_LATE, "tables_late", "file without an unwind table: making it",                   \
	  "files without an unwind table: making them",                                            \
	  " would have cost more than --max-overhead")                                             \
	X(TARGETS_FULL, "targets_full", "child left out, with all that it starts",                 \
	  "children left out, with all that they start", ": the table of processes was full")      \
	X(SAMPLES_LOST, "samples_lost",                                                            \
	  "sample of a thread on a CPU not listed: no room for it, or for its thread",             \
	  "samples of threads on a CPU not listed: no room for them, or for their thread", "")     \
	X(SAMPLES_BARE, "samples_bare", "sample of a thread on a CPU",                             \
	  "samples of threads on a CPU", " without a stack: no room for it")                       \
	X(HISTS, "hists", "thread", "threads", " without histograms: no memory for them")          \
	X(OBJECTS_FULL, "objects_full", "wait", "waits",                                           \
	  " whose object is shown as other: there was no room for one more")                       \
	X(PEERS, "peers", "object that may lack processes at its other end",                       \
	  "objects that may lack processes at their other end", ": too many files are open")       \
	X(HOLDER_UNKNOWN, "holder_unknown", "wait", "waits",                                       \
	  " for a lock of the kernel whose holder is not known: readers, or a semaphore")

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

/* The stable short name and the sentence of a kind. */
const char *loss_name(enum profile_loss_kind kind);
const char *loss_sentence(enum profile_loss_kind kind);
/* The sentence behind the number 1. */
const char *loss_sentence_of_one(enum profile_loss_kind kind);

#endif
