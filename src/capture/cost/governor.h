/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_COST_GOVERNOR_H
#define CAPTURE_COST_GOVERNOR_H

#include "base/types.h"

/*
 * Chooses the sampling period so that tracing costs no more than a given share of the machine. Uses
 * no clock and no program: it gets counters and returns a period. Choosing fewer waits makes a
 * trace cheaper and costs only precision. The rest of the cost, per switch and of our own process,
 * is the floor, which no period can lower: see floor_ppm.
 */

/* All counters since a fixed instant. */
struct governor_sample {
	u64 at_ns;
	u64 prog_ns; /* of the BPF programs, as the kernel measured it */
	u64 prog_runs; /* 0: not measured */
	u64 cpu_ns; /* CPU time of our own process */
	u64 switches; /* seen by the programs */
	u64 waits; /* of traced threads */
	u64 chosen;
};

struct governor {
	u64 budget_ppm; /* millionths of all CPUs' time */
	u32 ncpu;
	u64 period_ns;
	u64 next_ns; /* when decide() is due */
	u64 eased_ns; /* when the period last became shorter, or 0; 0: never */
	struct governor_sample last;
	/*
	 * sums over switches, older ones weighted less: cost of a switch, and extra cost of a
	 * chosen wait
	 */
	double switches;
	double chosen;
	double chosen_sq; /* chosen^2 / switches */
	double cost_ns;
	double cost_chosen; /* cost * chosen / switches */
	/* our process: its CPU time and the elapsed time */
	double cpu_ns;
	double wall_ns;
	double match; /* share of all waits that would be chosen without a period */
	u32 calm; /* consecutive decisions with room for every wait */
	u32 low; /* consecutive decisions that left much of the budget unused */
	u32 patience; /* number of either that is needed */
	u32 over; /* consecutive decisions at which the floor alone exceeded the budget */
	/* the last floor that did so for long, in millionths of all CPUs' time; 0: never */
	u64 floor_ppm;
	u64 floor_cpu_ppm; /* the part of our process */
	/* of the last decision: the hooks of one switch, and of all in ns a second */
	u64 switch_ns;
	u64 switches_ns;
};

/* Starts without sampling, or with `period_ns`. */
void governor__init(struct governor *g, u64 budget_ppm, u32 ncpu, u64 period_ns);
/* The first counters; decide() is due 50 ms later. */
void governor__begin(struct governor *g, const struct governor_sample *now);
/* At g->next_ns or later: the period from now on, CS_PERIOD_MAX_NS at most. */
u64 governor__decide(struct governor *g, const struct governor_sample *now);
/* Whether the floor has exceeded the budget for about a second. */
bool governor__is_over(const struct governor *g);
/* Instead of it, if the counters could not be read: it is due later, over the whole time since. */
void governor__put_off(struct governor *g, u64 now_ns);

#endif
