/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_GO_PROBES_H
#define CAPTURE_PROGRAM_GO_PROBES_H

#include "abi/go_wait.h"
#include "base/err.h"
#include "base/types.h"

/*
 * Probes in the Go runtime that measure waits of goroutines, and the sums that they add up in the
 * kernel (bpf/tasks/). An object apart from struct programs: a recording of tasks has no other BPF
 * programs. Not thread-safe.
 */
struct go_probes;

/* A call in a program. */
struct go_site {
	u64 off; /* in the file */
	bool is_end; /* a wait may end here; else one begins */
};

/* A process, and where its probes go. */
struct go_probe_target {
	u32 tgid;
	u32 serial; /* the caller's, not 0: the process of a sum */
	u32 reason_off; /* in a g, and the next */
	u32 start_off;
	const struct go_site *sites;
	size_t sites_len;
};

/*
 * Loads the programs, and measures on this machine what a probe costs. -EPERM and -ENOMEM with a
 * sentence, or the kernel's error.
 */
int go_probes__open(struct go_probes **ret, struct err *err);
/* Takes all probes off. NULL is fine. */
void go_probes__free(struct go_probes *gp);
/* The ends first, so that no wait begins whose end is not seen. After an error it has none. */
int go_probes__attach(struct go_probes *gp, const struct go_probe_target *target, struct err *err);
/* Of one process; of all, for good. Waits that are under way are forgotten. */
void go_probes__detach(struct go_probes *gp, u32 serial);
void go_probes__detach_all(struct go_probes *gp);
/* Whether any process has probes. */
bool go_probes__are_on(const struct go_probes *gp);
/* Counted since the begin, on all CPUs. */
void go_probes__count(const struct go_probes *gp, struct cs_go_counts *ret);
/* CPU time of these hits, with what our programs did. */
u64 go_probes__cost_ns(const struct go_probes *gp, const struct cs_go_counts *counts);

/* From here on, waits that end count in the other half of the sums. Waits for the programs. */
void go_probes__turn(struct go_probes *gp);
/* -ENOMEM or 0; anything else than 0 ends the walk. */
typedef int go_sum_fn(void *arg, const struct cs_go_sum_key *key, const struct cs_go_sum *sum);
/* Shows the half that is not added to, and empties it. -ENOMEM, or what `each` returns. */
int go_probes__drain(struct go_probes *gp, go_sum_fn *each, void *arg);
/* The stack with that hash; false: there is none. */
bool go_probes__stack(const struct go_probes *gp, u64 hash, struct cs_go_stack *ret);

#endif
