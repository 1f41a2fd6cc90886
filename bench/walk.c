/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a walk of a user stack costs: by our unwind tables, by our walk of frame pointers
 * (cfg.unwind_tables = 0) and by the kernel's (bpf_get_stack), one after the other on the same
 * stack of this process, alternately forwards and backwards. Tables reach the programs as in a
 * recording: the walk requests them over the ring buffer.
 *
 * The stack is a separate context that begins without a frame pointer, as threads do, so that all
 * three have a clean outermost frame. Every stack is compared with the return addresses that its
 * functions had; a walk that was wrong once gets no result.
 */
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/event.h"
#include "base/types.h"
#include "capture/mapping/mapped.h"
#include "deep.h"
#include "proc/maps.h"

/* As walk.bpf.c has it; the skeleton names the type but does not define it. */
struct walked {
	u32 tgid;
	u32 pad;
	u64 ns;
	struct cs_stack stack;
};

#include "gen/bench_walk.skel.h"

#define WALKERS 3
/* In the first rounds the walker meets files, and their tables are built. */
#define WARM_ROUNDS 8
#define ROUNDS 101
#define TABLE_BUDGET (64ULL << 20)
#define STACK_SZ (256 << 10)

struct walker {
	const char *name;
	int fd;
	struct walked *walked; /* where the program puts its result */
	u64 ns[ROUNDS];
	u32 len; /* of its last stack */
	u32 end;
	bool wrong;
};

struct bench {
	struct deep deep; /* first: turn() finds the rest by it */
	struct walker walkers[WALKERS];
	struct ring_buffer *ring;
	struct maps maps;
	u32 stride; /* frames for each level of the chain */
	u32 frames; /* that the stack has */
	u32 turn;
	u64 root; /* return address of the outermost function of ours */
	ucontext_t back;
};

struct shape {
	const char *name;
	deep_fn *step;
	bool through_libc;
};

static const struct shape shapes[] = {
	{ "framed", deep_framed, false },
	{ "bare", deep_bare, false },
	{ "bare+libc", deep_bare, true },
};

/* Frames of a stack. Odd, so that a chain through libc can have as many. */
static const u32 depths[] = { 9, 33, 121 };

static bool is_at(const struct bench *b, u64 pc, u64 addr)
{
	const struct map_range *range = maps__find(&b->maps, addr);

	if (!(pc & CS_PC_MODULE))
		return pc == addr;
	return range && cs_pc_off(pc) == addr - range->start + range->off;
}

/* Whole, and through every function, from the innermost to the outermost. */
static bool is_right(const struct bench *b, const struct cs_stack *st)
{
	const struct deep *d = &b->deep;

	if (st->len != b->frames || st->end != CS_END_ROOT)
		return false;
	for (u32 i = 0; i < d->levels; i++)
		if (!is_at(b, st->pc[1 + b->stride * i], d->ra[d->levels - 1 - i]))
			return false;
	return is_at(b, st->pc[b->frames - 1], b->root);
}

static struct walker *walker_of(struct bench *b, u32 turn)
{
	u32 i = turn % WALKERS;

	return &b->walkers[turn / WALKERS % 2 ? WALKERS - 1 - i : i];
}

static void take_result(struct bench *b, u32 turn)
{
	struct walker *w = walker_of(b, turn);
	u32 round = turn / WALKERS;

	w->len = w->walked->stack.len;
	w->end = w->walked->stack.end;
	ring_buffer__consume(b->ring);
	if (round < WARM_ROUNDS)
		return;
	if (b->deep.result || b->deep.attr.test.retval || !is_right(b, &w->walked->stack))
		w->wrong = true;
	w->ns[round - WARM_ROUNDS] = w->walked->ns;
}

static bool turn(struct deep *d)
{
	struct bench *b = (struct bench *)d;

	if (b->turn)
		take_result(b, b->turn - 1);
	if (b->turn == (WARM_ROUNDS + ROUNDS) * WALKERS)
		return false;
	memset(&d->attr, 0, sizeof(d->attr));
	d->attr.test.prog_fd = (u32)walker_of(b, b->turn)->fd;
	b->turn++;
	return true;
}

/*
 * The outermost function of the context; it takes a pointer in halves, as makecontext() has it. It
 * goes back by itself: with a uc_link the frame below it would not look like an outermost one.
 */
static void go_deep(u32 high, u32 low)
{
	struct bench *b = (struct bench *)(uintptr_t)((u64)high << 32 | low);
	struct deep *d = &b->deep;

	b->root = (u64)(uintptr_t)__builtin_return_address(0);
	d->step(&d, &d);
	setcontext(&b->back);
}

static int run_on_own_stack(struct bench *b)
{
	char *stack = malloc(STACK_SZ);
	u64 self = (u64)(uintptr_t)b;
	ucontext_t uc;

	if (!stack || getcontext(&uc)) {
		free(stack);
		return -ENOMEM;
	}
	uc.uc_stack.ss_sp = stack;
	uc.uc_stack.ss_size = STACK_SZ;
	uc.uc_link = NULL;
#if defined(__x86_64__)
	uc.uc_mcontext.gregs[REG_RBP] = 0;
#else
	uc.uc_mcontext.regs[29] = 0;
#endif
	makecontext(&uc, (void (*)(void))go_deep, 2, (u32)(self >> 32), (u32)self);
	swapcontext(&b->back, &uc);
	free(stack);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void print_walker(const struct shape *shape, u32 frames, struct walker *w)
{
	u64 median;

	printf("%-10s %6u  %-15s", shape->name, frames, w->name);
	if (w->wrong) {
		printf("   wrong: %u frames, end %u\n", w->len, w->end);
		return;
	}
	qsort(w->ns, ROUNDS, sizeof(w->ns[0]), by_size);
	median = w->ns[ROUNDS / 2];
	printf(" %9llu %9llu %9llu %9.1f\n", median, w->ns[0], w->ns[ROUNDS - 1],
	       (double)median / frames);
}

/* Returns whether the tables, which are what is measured, led to the right stack. */
static bool measure(struct bench *b, const struct shape *shape, u32 frames)
{
	b->stride = shape->through_libc ? 2 : 1;
	b->frames = frames;
	b->turn = 0;
	b->deep = (struct deep){ .step = shape->step,
				 .through_libc = shape->through_libc,
				 .levels = (frames - 3) / b->stride + 1,
				 .turn = turn };
	for (u32 i = 0; i < WALKERS; i++)
		b->walkers[i].wrong = false;
	if (run_on_own_stack(b))
		return false;
	for (u32 i = 0; i < WALKERS; i++)
		print_walker(shape, frames, &b->walkers[i]);
	return !b->walkers[0].wrong;
}

static int see_event(void *arg, void *data, size_t sz)
{
	const struct cs_module_event *ev = data;

	if (sz < sizeof(*ev) || ev->kind != CS_EVENT_MODULE)
		return 0;
	return mapped__see(arg, ev);
}

static struct bench_walk *load(u32 unwind_tables)
{
	struct bench_walk *skel = bench_walk__open();
	struct bpf_program *prog;

	if (!skel)
		return NULL;
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, false);
	bpf_program__set_autoload(skel->progs.walk_ours, true);
	bpf_program__set_autoload(skel->progs.walk_kernel, true);
	skel->rodata->cfg.ustack_len = CS_STACK_DEFAULT;
	skel->rodata->cfg.mm_walk = 1;
	skel->rodata->cfg.page_bits = (u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	skel->rodata->cfg.unwind_tables = unwind_tables;
	skel->bss->walked.tgid = (u32)getpid();
	if (!bench_walk__load(skel))
		return skel;
	bench_walk__destroy(skel);
	return NULL;
}

static int measure_all(struct bench_walk *tables, struct bench_walk *fp, struct ring_buffer *ring)
{
	struct bench b = {
		.ring = ring,
		.walkers = {
			{ .name = "unwind tables",
			  .fd = bpf_program__fd(tables->progs.walk_ours),
			  .walked = &tables->bss->walked },
			{ .name = "kernel's fp",
			  .fd = bpf_program__fd(tables->progs.walk_kernel),
			  .walked = &tables->bss->walked },
			{ .name = "our fp",
			  .fd = bpf_program__fd(fp->progs.walk_ours),
			  .walked = &fp->bss->walked },
		},
	};
	struct err err = { 0 };
	bool right = true;

	if (maps__read(&b.maps, (u32)getpid(), &err)) {
		fprintf(stderr, "walk: %s\n", err.msg);
		return EXIT_FAILURE;
	}
	printf("%-10s %6s  %-15s %9s %9s %9s %9s\n", "stack", "frames", "walker", "ns/walk", "min",
	       "max", "ns/frame");
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
		for (size_t k = 0; k < ARRAY_LEN(depths); k++)
			right &= measure(&b, &shapes[i], depths[k]);
	maps__done(&b.maps);
	return right ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int map_fd(const void *walk, const char *name)
{
	return bpf_object__find_map_fd_by_name(((const struct bench_walk *)walk)->obj, name);
}

/* With the tables of what `tables` walks, which live as long as the programs may run. */
static int measure_with_tables(struct bench_walk *tables, struct bench_walk *fp, struct err *err)
{
	struct segments segments = { 0 };
	struct readers readers = { 0 };
	struct mapped mapped = { 0 };
	struct mapped_maps doors = {
		.segments = &segments,
		.modules_fd = bpf_map__fd(tables->maps.modules),
		.readers = &readers,
		.tables_gen = &tables->data->control.tables_gen,
		.next_id = &tables->data->control.next_module_id,
	};
	struct ring_buffer *ring;
	int r = segments__init(&segments, bpf_map__fd(tables->maps.segments),
			       bpf_map__fd(tables->maps.rules), err);

	if (!r)
		r = readers__init(&readers, map_fd, tables, doors.tables_gen);
	if (r)
		return EXIT_FAILURE;
	r = mapped__init(&mapped, &doors, TABLE_BUDGET, err);
	ring = ring_buffer__new(bpf_map__fd(tables->maps.events), see_event, &mapped, NULL);
	r = r || !ring ? EXIT_FAILURE : measure_all(tables, fp, ring);
	ring_buffer__free(ring);
	mapped__done(&mapped);
	readers__done(&readers);
	segments__done(&segments);
	return r;
}

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

/* The map cache is one for each CPU. */
static void stay_on_this_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int main(void)
{
	struct bench_walk *tables, *fp;
	struct err err = { 0 };
	int r = EXIT_FAILURE;

	libbpf_set_print(say_nothing);
	stay_on_this_cpu();
	tables = load(1);
	fp = load(0);
	if (tables && fp)
		r = measure_with_tables(tables, fp, &err);
	else
		err__set(&err, -errno, "cannot load the programs: %s", strerror(errno));
	if (err.msg[0])
		fprintf(stderr, "walk: %s\n", err.msg);
	bench_walk__destroy(tables);
	bench_walk__destroy(fp);
	return r;
}
