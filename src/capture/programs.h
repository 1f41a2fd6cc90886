/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAMS_H
#define CAPTURE_PROGRAMS_H

#include "abi/cfg.h"
#include "abi/stats.h"
#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/features.h"
#include "capture/options.h"

/*
 * The BPF side as one object: which programs this kernel gets, their constants, loading, attaching,
 * and the doors to their maps. Knows nothing of what the data mean.
 */
struct programs;

/*
 * Chooses what options and features allow, and begins to load it; the maps are there when it
 * returns, and the program of programs__walk_mappings(), which gives something to do meanwhile.
 * -EOPNOTSUPP for a choice by hand that the kernel cannot do, -EPERM, -ENOMEM, or what the kernel
 * said, with the line of the verifier that matters.
 */
int programs__load(const struct capture_options *opt, const struct features *f, u32 split,
		   struct programs **ret, struct err *err);
/* Waits for all that is needed before the end of a trace. */
int programs__finish(struct programs *p, struct err *err);
/* Attaches it. */
int programs__attach(struct programs *p, struct err *err);
/*
 * The programs that are needed at the end may still be on their way through the verifier when
 * programs__attach() returns. 0, as long as nothing is wrong with it; with `wait` it is there.
 */
int programs__settle(struct programs *p, bool wait, struct err *err);
/* Nothing runs any more when it returns. */
void programs__detach(struct programs *p);
void programs__free(struct programs *p);

/* As it was loaded: what was chosen. */
bool programs__mm_walk(const struct programs *p); /* the programs find mappings by themselves */
/* In words, for headers: "stacks at sched_exit_tp, waits split by sched_waking". */
const char *programs__describe(const struct programs *p);

/* Shared memory with the programs; volatile, plain stores are seen at once. */
volatile struct cs_control *programs__control(struct programs *p);

enum programs_walk {
	PROGRAMS_MARK, /* takes existing threads into the trace */
	PROGRAMS_ASLEEP, /* takes stacks of those that sleep, where they are needed early */
	PROGRAMS_DRAIN, /* closes everything at the end of the window */
	PROGRAMS_HISTS, /* tells histograms so far; only where they are kept */
};
/*
 * Runs an iterator over all tasks; appends the struct cs_task_record it writes to *ret_records, or,
 * where histograms are kept, the struct cs_task_hist_record of the last two.
 */
int programs__walk(struct programs *p, enum programs_walk walk, struct vec *ret_records,
		   struct err *err);

/*
 * Has the executable file mappings of the process of the thread `tid`, traced or not, announced
 * over the ring. Only with programs__mm_walk().
 */
int programs__walk_mappings(struct programs *p, u32 tid, struct err *err);

struct walk_bounds;
/*
 * Appends a struct cs_peer for each open file of any process that has to do with what is in the
 * table of what is wanted, and ends at the bounds. -EOPNOTSUPP where the kernel cannot.
 */
int programs__walk_files(struct programs *p, const struct walk_bounds *bounds,
			 struct vec *ret_records, bool *ret_cut, struct err *err);
int programs__peers_wanted_fd(const struct programs *p);
/* Our PID namespace is the first one: every process has a number in it. */
bool programs__sees_all(const struct programs *p);

int programs__add_target(struct programs *p, u32 id, struct err *err);
int programs__events_fd(const struct programs *p);
int programs__waits_fd(const struct programs *p);
/* Bytes of a struct cs_wait_key that the table has: it knows no objects, or all. */
size_t programs__wait_key_sz(const struct programs *p);
int programs__objects_fd(const struct programs *p);
/* Stacks lie in this many tables; *ret_sz: bytes of a struct cs_stack as the table keeps it. */
#define PROGRAMS_STACKS 3
int programs__stacks_fd(const struct programs *p, u32 idx, size_t *ret_sz);
int programs__modules_fd(const struct programs *p);
int programs__pythons_fd(const struct programs *p);
int programs__javas_fd(const struct programs *p);
int programs__segments_fd(const struct programs *p);
int programs__image_maps_fd(const struct programs *p);
int programs__rules_fd(const struct programs *p);
/* CS_SYMBOLS_LEN of them, shared with the program that programs__name_symbols() runs; or NULL. */
struct cs_symbol *programs__symbols(const struct programs *p);
int programs__name_symbols(const struct programs *p);
int programs__set_window_fd(const struct programs *p);
/* Sums over CPUs. */
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
