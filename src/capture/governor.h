/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_GOVERNOR_H
#define CAPTURE_GOVERNOR_H

#include "base/types.h"

/*
 * Chooses the sampling period so that tracing costs no more than a share of the machine. Knows no
 * clock and no program: it is told counters, and answers with a period. Choosing fewer waits makes
 * a trace cheaper, and loses nothing but precision; what is left to pay, for each switch and for
 * our own process, is the floor, which no period can lower: see floor_ppm.
 */

/* All counters since any fixed instant. */
struct governor_sample {
	u64 at_ns;
	u64 prog_ns; /* of the programs in the kernel, as they measured it */
	u64 prog_runs; /* 0: they measured nothing */
	u64 cpu_ns; /* CPU time of our own process */
	u64 switches; /* that the programs saw */
	u64 waits; /* of traced threads */
	u64 chosen;
};

struct governor {
	u64 budget_ppm; /* millionths of all CPUs' time */
	u32 ncpu;
	u64 period_ns;
	u64 next_ns; /* decide() is due */
	u64 eased_ns; /* when the period last became shorter, or 0; 0: never */
	struct governor_sample last;
	/* sums over switches, the older the lighter: what a switch costs, and a chosen wait more */
	double switches;
	double chosen;
	double chosen_sq; /* chosen^2 / switches */
	double cost_ns;
	double cost_chosen; /* cost * chosen / switches */
	/* our process: its time and the time it had */
	double cpu_ns;
	double wall_ns;
	double match; /* of all waits, those that would be chosen without a period */
	u32 calm; /* decisions in a row that found room for every wait */
	u32 low; /* that found a good part of the budget unused */
	u32 patience; /* how many of either it takes */
	u32 over; /* decisions in a row at which the floor alone was above the budget */
	/* the last time it was so for long, in millionths of all CPUs' time; 0: never */
	u64 floor_ppm;
	u64 floor_cpu_ppm; /* of it, our process */
};

/* Starts without sampling, or with `period_ns`. */
void governor__init(struct governor *g, u64 budget_ppm, u32 ncpu, u64 period_ns);
/* The first counters; decide() is due 50 ms later. */
void governor__begin(struct governor *g, const struct governor_sample *now);
/* At g->next_ns or later: the period from now on, CS_PERIOD_MAX_NS at most. */
u64 governor__decide(struct governor *g, const struct governor_sample *now);
/* In place of it, when the counters could not be read: it is due later, over all that was since. */
void governor__put_off(struct governor *g, u64 now_ns);

#endif
