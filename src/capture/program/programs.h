/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_PROGRAMS_H
#define CAPTURE_PROGRAM_PROGRAMS_H

#include "abi/cfg.h"
#include "abi/stats.h"
#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/feature/features.h"
#include "capture/program/options.h"

/*
 * The BPF side as one object: chooses the programs for this kernel, sets their constants, loads and
 * attaches them, and gives access to their maps. It does not interpret the data.
 */
struct programs;
struct cs_postponed_walk;
struct cs_stack;

/*
 * Chooses programs by options and features and starts loading them. When it returns, the maps and
 * the program of programs__walk_mappings() are ready, so mappings can be read meanwhile.
 * -EOPNOTSUPP if the kernel lacks what an option asks for, -EPERM, -ENOMEM, or the kernel's error
 * with the line of the verifier log that matters.
 */
int programs__load(const struct capture_options *opt, const struct features *f, u32 split,
		   struct programs **ret, struct err *err);
/* Are there programs for programs__finish() that no CPU has begun to verify? */
bool programs__waiting(struct programs *p);
/* Waits until everything that recording needs is loaded. Errors as of programs__load(). */
int programs__finish(struct programs *p, struct err *err);
/* Attaches the hooks. After an error some may be attached, until programs__detach(). */
int programs__attach(struct programs *p, struct err *err);
struct request_probes;
/* After that: the probes of options.requests. The kernel's error. */
int programs__attach_requests(struct programs *p, const struct request_probes *requests,
			      struct err *err);
/*
 * The verifier may still be checking the programs for the end of a trace when programs__attach()
 * returns. 0 unless one was refused; with `wait`, returns when all are loaded.
 */
int programs__settle(struct programs *p, bool wait, struct err *err);
/* A sleeper was moved: watches wakeups until all such sleepers were woken. */
void programs__watch_wakeups(struct programs *p);
/* To be called now and then: stops watching wakeups when that is due. */
void programs__tick(struct programs *p, u64 now_mono_ns);
/* When it returns, no program runs any more. The maps stay readable. */
void programs__detach(struct programs *p);
/* Detaches too. NULL is fine. */
void programs__free(struct programs *p);

/* What was chosen. */
bool programs__mm_walk(const struct programs *p); /* the programs look up mappings */
bool programs__takes_early(const struct programs *p); /* stacks, before a wait has its length */
/* The choice in words, for headers: "stacks at sched_exit_tp, waits split by sched_waking". */
const char *programs__describe(const struct programs *p);

/* Shared memory with the programs; volatile, plain stores are seen at once. */
volatile struct cs_control *programs__control(struct programs *p);

enum programs_walk {
	PROGRAMS_MARK, /* takes existing threads into the trace */
	PROGRAMS_ASLEEP, /* takes the stacks of sleeping threads, if they are needed early */
	PROGRAMS_DRAIN, /* closes the records of all threads at the end of a window */
	PROGRAMS_HISTS, /* reads the histograms so far; only if they are kept */
};
/*
 * Runs an iterator over all tasks and appends each struct cs_task_record it writes to *ret_records.
 * If histograms are kept, the last two write struct cs_task_hist_record. PROGRAMS_DRAIN waits for
 * programs__settle(). -ENOMEM or the kernel's error.
 */
int programs__walk(struct programs *p, enum programs_walk walk, struct vec *ret_records,
		   struct err *err);

/* Visits all threads: with options.visit_hz. The kernel's error. One thread at a time. */
int programs__visit(struct programs *p, struct err *err);

/*
 * Sends an event for each new file that the process of thread `tid` has mapped as code, traced or
 * not. Only with programs__mm_walk().
 */
int programs__walk_mappings(struct programs *p, u32 tid, struct err *err);

struct walk_bounds;
/*
 * Walks over the open files of all processes, within the bounds, and appends a struct cs_peer for
 * each that is the other end of a key in peers_wanted. -EOPNOTSUPP if the kernel cannot.
 */
int programs__walk_files(struct programs *p, const struct walk_bounds *bounds,
			 struct vec *ret_records, bool *ret_cut, struct err *err);
/* With options.wakers: who woke threads, those that are not traced, and wakeups of a window. */
int programs__wakers_fd(const struct programs *p);
int programs__outsiders_fd(const struct programs *p);
int programs__wakes_fd(const struct programs *p, u64 begin_ns);
/* Keys of peers to look for: the caller fills this map before the walk. */
int programs__peers_wanted_fd(const struct programs *p);
/* Ours is the initial PID namespace: every process has a PID in it. */
bool programs__sees_all(const struct programs *p);

/*
 * A process, or a thread (options.target). It need not exist. Threads that exist notice only in the
 * next PROGRAMS_MARK. -E2BIG: the table is full.
 */
int programs__add_target(struct programs *p, u32 id, struct err *err);
/* An id that is not a target is fine. */
int programs__remove_target(struct programs *p, u32 id, struct err *err);
/*
 * A cgroup, by id, if options.cgroup is set: threads in it and below. Threads that exist notice
 * only in the next PROGRAMS_MARK. -E2BIG: there are CS_CGROUPS. -ESRCH: there is no such target.
 */
int programs__add_cgroup(struct programs *p, u64 id, struct err *err);
int programs__remove_cgroup(struct programs *p, u64 id, struct err *err);
/* How many of them exist: processes (or threads) that exit are no targets any more. */
u32 programs__targets(const struct programs *p);
/* Descriptors of maps, valid until programs__free(). The ring buffer of events, abi/event.h: */
int programs__events_fd(const struct programs *p);
/* With options.max_moments: the ring buffer of moments, abi/moment.h. */
int programs__moments_fd(const struct programs *p);
/* The table of the window that begins at this instant. */
int programs__waits_fd(const struct programs *p, u64 begin_ns);
/* Bytes of a key in that table: a whole struct cs_wait_key, or one without objects. */
size_t programs__wait_key_sz(const struct programs *p);
/* struct cs_object by struct cs_object_key, for all windows. */
int programs__objects_fd(const struct programs *p);
/* Stacks are in this many tables, by length; *ret_sz: bytes of a struct cs_stack there. */
#define PROGRAMS_STACKS 3
int programs__stacks_fd(const struct programs *p, u32 idx, size_t *ret_sz);
/* Mapped files by their identity. */
int programs__modules_fd(const struct programs *p);
/* A map by its name in the BPF object; `programs` is a struct programs. -ENOENT. */
int programs__map_fd(const void *programs, const char *name);
/* Unwind tables: the segments of files, the mappings of images, and the dictionary of rules. */
int programs__segments_fd(const struct programs *p);
int programs__image_maps_fd(const struct programs *p);
int programs__rules_fd(const struct programs *p);
/* CS_SYMBOLS_LEN of them, shared with the program that programs__name_symbols() runs; or NULL. */
struct cs_symbol *programs__symbols(const struct programs *p);
/* Runs it once, on this thread: names what is in programs__symbols(). 0 or a negative errno. */
int programs__name_symbols(const struct programs *p);
/*
 * Repeats a walk with the mappings that `image_maps` has for its image. *ret is the stack.
 * -EOPNOTSUPP: this kernel cannot; -ENOMEM; other errors of bpf().
 */
int programs__walk_postponed(const struct programs *p, const struct cs_postponed_walk *walk,
			     struct cs_stack *ret);
/* The program that begins and ends windows, for window.h. */
int programs__set_window_fd(const struct programs *p);
/* Sums over CPUs. -ENOMEM or the kernel's error; *ret is undefined then. */
int programs__stats(const struct programs *p, struct cs_stats *ret, struct err *err);
/* Runs and ns of our hooks where the kernel counts them (kernel.bpf_stats_enabled), and misses. */
struct programs_cost {
	u64 runs;
	u64 ns;
	u64 recursion_misses;
};
void programs__cost(const struct programs *p, struct programs_cost *ret);
/* Kernel memory of the maps, unwind tables not included. */
u64 programs__memory_bytes(const struct programs *p);

#endif
