/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The cost of a trace is a * switches + b * chosen + our own process. a and b are fitted to what
 * the kernel measured (least squares, with a guess weighted like a few thousand switches, so that
 * they are separate from the start), and determine how many waits per second may be chosen.
 *
 * The number of waits chosen at a period P is the sum of min(1, d / P) over all waits: when P grows
 * by a factor, it falls by at most that factor. So multiplying the period by (chosen / allowed)
 * never overshoots; repeated, it converges from one side without oscillating. The measured cost
 * does fluctuate, however, so small steps are not made.
 *
 * Without a period there is no factor to start from; the first period is short.
 */
#include "capture/cost/governor.h"

#include "abi/wait.h"
#include "base/clock.h"

#define FIRST_NS (50 * NSEC_PER_MSEC)
#define INTERVAL_NS (250 * NSEC_PER_MSEC)
/* Assumed before it is measured, and its weight in switches. */
#define GUESS_SWITCH_NS 150.0
#define GUESS_CHOSEN_NS 1500.0
#define GUESS_WEIGHT 2000.0
/* After five seconds, a switch counts about a third. */
#define FADE 0.95
#define FADE_CPU 0.95
/* Target share of the budget, because measured costs fluctuate. */
#define TARGET_SHARE 0.85
#define PERIOD_FIRST_NS 10000.0
#define PERIOD_FIRST_MAX_NS 1000000.0
#define STEP_MAX 32.0
/* Smaller steps are not worth resetting every accumulator. */
#define STEP_UP 1.2
#define STEP_DOWN 0.6
/* If the floor takes the whole budget, chosen waits still get this part of it. */
#define LEAST_SHARE 0.1
/*
 * Every wait is chosen again if that would have cost this part of the budget for at least a second;
 * the period gets shorter no sooner either. Each time it was a mistake, the wait doubles.
 */
#define ROOM_SHARE 0.7
#define PATIENCE 4
#define PATIENCE_MAX 64
#define MISTAKE_NS (10 * NSEC_PER_SEC)
/* Consecutive decisions with a floor above the budget until it is reported. */
#define OVER_MAX 4

void governor__init(struct governor *g, u64 budget_ppm, u32 ncpu, u64 period_ns)
{
	*g = (struct governor){
		.budget_ppm = budget_ppm,
		.ncpu = ncpu ? ncpu : 1,
		.period_ns = period_ns,
		.match = 1,
		.patience = PATIENCE,
	};
}

void governor__begin(struct governor *g, const struct governor_sample *now)
{
	g->last = *now;
	g->next_ns = now->at_ns + FIRST_NS;
}

static double grown(u64 now, u64 before)
{
	return now > before ? (double)(now - before) : 0;
}

/* ns for a switch, and the extra ns for a chosen wait. */
struct prices {
	double of_switch;
	double of_chosen;
};

static struct prices fit(const struct governor *g)
{
	double s = g->switches + 2 * GUESS_WEIGHT, c = g->chosen + GUESS_WEIGHT;
	double cc = g->chosen_sq + GUESS_WEIGHT;
	double y = g->cost_ns + GUESS_WEIGHT * (2 * GUESS_SWITCH_NS + GUESS_CHOSEN_NS);
	double yc = g->cost_chosen + GUESS_WEIGHT * (GUESS_SWITCH_NS + GUESS_CHOSEN_NS);
	double det = s * cc - c * c; /* above 0 because of the two guesses */
	struct prices p = { (y * cc - yc * c) / det, (s * yc - c * y) / det };

	/* Noise must not make one of them free at the expense of the other. */
	if (p.of_switch < 0)
		p = (struct prices){ 0, yc / cc };
	if (p.of_chosen < GUESS_CHOSEN_NS / 10)
		p.of_chosen = GUESS_CHOSEN_NS / 10;
	return p;
}

static void learn(struct governor *g, const struct governor_sample *now)
{
	double switches = grown(now->switches, g->last.switches);
	double chosen = grown(now->chosen, g->last.chosen);
	double waits = grown(now->waits, g->last.waits);
	double cost = grown(now->prog_ns, g->last.prog_ns);

	if (!g->period_ns && waits >= 1)
		g->match = chosen < waits ? chosen / waits : 1;
	if (switches < 1 || now->prog_runs <= g->last.prog_runs)
		return; /* nothing was measured: keep the guess */
	g->switches = g->switches * FADE + switches;
	g->chosen = g->chosen * FADE + chosen;
	g->chosen_sq = g->chosen_sq * FADE + chosen * chosen / switches;
	g->cost_ns = g->cost_ns * FADE + cost;
	g->cost_chosen = g->cost_chosen * FADE + cost * chosen / switches;
}

/* The budget, and what is left for chosen waits, in ns per ns of wall time. */
struct room {
	double budget;
	double left;
};

static struct room find_room(struct governor *g, const struct governor_sample *now,
			     const struct prices *p)
{
	double wall = grown(now->at_ns, g->last.at_ns), floor, cpu;
	struct room room = { .budget = (double)g->budget_ppm * g->ncpu / 1e6 };

	/* Our process works in bursts that no period can reduce: new files, new stacks. */
	g->cpu_ns = g->cpu_ns * FADE_CPU + grown(now->cpu_ns, g->last.cpu_ns);
	g->wall_ns = g->wall_ns * FADE_CPU + wall;
	cpu = g->cpu_ns / (g->wall_ns > NSEC_PER_SEC ? g->wall_ns : NSEC_PER_SEC);
	floor = p->of_switch * grown(now->switches, g->last.switches) / wall;
	g->switch_ns = (u64)p->of_switch;
	g->switches_ns = (u64)(floor * NSEC_PER_SEC);
	floor += cpu;
	g->over = floor > room.budget ? g->over + 1 : 0;
	if (g->over >= OVER_MAX) {
		g->floor_ppm = (u64)(floor / g->ncpu * 1e6);
		g->floor_cpu_ppm = (u64)(cpu / g->ncpu * 1e6);
	}
	room.left = room.budget * TARGET_SHARE - floor;
	if (room.left < room.budget * LEAST_SHARE)
		room.left = room.budget * LEAST_SHARE;
	return room;
}

/* Whether there has been room for every wait for a while. */
static bool may_be_exact(struct governor *g, double exact_cost, const struct room *room)
{
	bool calm = exact_cost < room->left - (1 - ROOM_SHARE) * room->budget;

	g->calm = calm ? g->calm + 1 : 0;
	return g->calm >= g->patience;
}

/* Whether so little has been chosen for a while that the period can be shorter. */
static bool may_be_shorter(struct governor *g, double ratio)
{
	g->low = g->period_ns && ratio < STEP_DOWN ? g->low + 1 : 0;
	return g->low >= g->patience;
}

static void ease(struct governor *g, u64 at_ns, double period)
{
	if (period > 0 && period < PERIOD_FIRST_NS)
		period = PERIOD_FIRST_NS;
	if ((u64)period != g->period_ns)
		g->eased_ns = at_ns;
	g->period_ns = (u64)period;
	g->calm = g->low = 0;
}

/* If it was shortened recently, that was a mistake. */
static void learn_patience(struct governor *g, u64 at_ns)
{
	if (!g->eased_ns)
		return;
	if (at_ns - g->eased_ns > MISTAKE_NS)
		g->patience = PATIENCE;
	else if (g->patience < PATIENCE_MAX)
		g->patience *= 2;
	g->eased_ns = 0;
}

static void tighten(struct governor *g, u64 at_ns, double ratio)
{
	double period = (double)g->period_ns * (ratio < STEP_MAX ? ratio : STEP_MAX);

	learn_patience(g, at_ns);
	if (!g->period_ns) {
		period = PERIOD_FIRST_NS * ratio;
		if (period > PERIOD_FIRST_MAX_NS)
			period = PERIOD_FIRST_MAX_NS;
	}
	g->period_ns = (u64)(period < CS_PERIOD_MAX_NS ? period : CS_PERIOD_MAX_NS);
}

u64 governor__decide(struct governor *g, const struct governor_sample *now)
{
	double wall = grown(now->at_ns, g->last.at_ns), ratio;
	double chosen = grown(now->chosen, g->last.chosen);
	double matching = grown(now->waits, g->last.waits);
	struct prices p;
	struct room room;

	if (wall < 1)
		return g->period_ns;
	learn(g, now);
	p = fit(g);
	room = find_room(g, now, &p);
	/* Chosen waits cost this many times what they may. */
	ratio = chosen * p.of_chosen / wall / room.left;
	matching *= g->match;
	g->last = *now;
	/* Far from the target: decide again soon. */
	g->next_ns = now->at_ns + (ratio > 2 ? FIRST_NS : INTERVAL_NS);
	if (g->period_ns && may_be_exact(g, matching * p.of_chosen / wall, &room))
		ease(g, now->at_ns, 0);
	else if (may_be_shorter(g, ratio))
		ease(g, now->at_ns, (double)g->period_ns * ratio);
	else if (ratio > STEP_UP)
		tighten(g, now->at_ns, ratio);
	return g->period_ns;
}

bool governor__is_over(const struct governor *g)
{
	return g->over >= OVER_MAX;
}

void governor__put_off(struct governor *g, u64 now_ns)
{
	g->next_ns = now_ns + INTERVAL_NS;
}
