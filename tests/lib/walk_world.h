/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_WALK_WORLD_H
#define TESTS_LIB_WALK_WORLD_H

#include "abi/stack.h"
#include "abi/unwind.h"
#include "base/map64.h"
#include "base/vec.h"
#include "lib/traced.h"
#include "proc/maps.h"
#include "unwind/table.h"

#define WORLD_SEGMENTS 8
#define WORLD_MODULES_MAX 32
#define WORLD_PAGE_SZ 4096ULL
/* Turns of a walk of a thread asleep, as in bpf/iter.bpf.c: frames, and memory to fetch. */
#define WORLD_TURNS (8 * CS_STACK_MAX)

/* A file that the child has mapped. */
struct walk_module {
	const char *path; /* of the maps */
	struct place place;
	u32 state; /* enum cs_module_state */
};

/*
 * All that a walk sees: a stopped child, its memory, its mappings, and their tables. A test may
 * change what it likes between two walks. Not thread-safe: one walk at a time in the process.
 */
struct walk_world {
	struct traced child;
	struct maps maps;
	struct walk_module modules[WORLD_MODULES_MAX]; /* [0] is unused */
	u32 modules_len;
	struct space space;
	struct rules rules;
	u8 *segment[WORLD_SEGMENTS]; /* each of its own, for the address sanitizer */
	struct cs_unwind_rule *dictionary;
	struct map64 pages; /* address to number in `memory` */
	struct vec memory; /* pages */
	u64 regs[TRACED_REGS]; /* a walk begins with them */
	bool live; /* what is not recorded is read from the child, and recorded */
	u64 reads; /* of the last walk */
	u64 fail_at; /* the read that fails, from 1 on; 0: none */
	u64 fail_cnt; /* and how many at once */
};

/*
 * Starts the case `what` of tests/replay/stacks and makes all that a walk of it needs; a test that
 * cannot have it fails, or is skipped on a machine whose registers are not read. An all-zero
 * *world, or one that is done, can be initialised.
 */
void walk_world__init(struct walk_world *world, const char *what);
/* Ends the child. A half-built one and a zeroed one are fine. */
void walk_world__done(struct walk_world *world);
/* Forgets all memory, walks the child as it stands, and keeps the memory that the walk read. */
void walk_world__record(struct walk_world *world, struct cs_stack *ret);
/*
 * Walks from world->regs on. `sleeping`: as a thread that sleeps is walked, whose memory is fetched
 * between the steps; then it returns how many turns that took, else 0.
 */
u32 walk_world__walk(struct walk_world *world, bool sleeping, struct cs_stack *ret);
/* The address in the child that a frame of a stack stands for; 0 when there is none. */
u64 walk_world__address(const struct walk_world *world, u64 pc);

/* For cmocka: makes *state an all-zero world, and ends it. */
int walk_world_set_up(void **state);
int walk_world_tear_down(void **state);

#endif
