/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Our BPF functions, one by one, run by the kernel in this process: the walker on stacks made by
 * hand, the tables at their limits, the filters against the host's own arithmetic.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/glob.h"
#include "abi/stats.h"
#include "abi/wait.h"
#include "base/types.h"

/* As functions.bpf.c has it; the skeleton names the type but does not define it. */
struct call {
	u64 ip;
	u64 fp;
	u32 limit;
	u32 end;
	u32 len;
	u32 flags;
	u64 pc[CS_STACK_MAX];
	struct cs_wait_key key;
	u64 blocked_ns;
	u64 runq_ns;
	u64 weight_ns;
	u64 len_ns;
	u64 ns;
	u64 period_ns;
	u64 slot_period_ns;
	u64 slot_waited_ns;
	u32 raw_state;
	char pattern[CS_COMM_LEN];
	char comm[CS_COMM_LEN];
	u64 hash;
	u64 lost;
	s64 result;
};

#include "gen/functions.skel.h"

#define PAGE 4096UL
/* A small table, so that a test can fill it. */
#define SMALL 8

static int load(struct functions **ret, u64 min_ns, u64 max_ns, u32 mask, bool any, bool runnable)
{
	struct bpf_program *prog;
	struct functions *skel = functions__open();

	if (!skel)
		return -errno;
	bpf_object__for_each_program(prog, skel->obj) {
		bpf_program__set_autoload(prog, bpf_program__type(prog) == BPF_PROG_TYPE_SYSCALL);
	}
	skel->rodata->cfg.kstack_len = CS_STACK_DEFAULT;
	skel->rodata->cfg.ustack_len = CS_STACK_MAX;
	skel->rodata->cfg.mm_walk = 1;
	skel->rodata->cfg.unwind_tables = 1;
	skel->rodata->cfg.page_bits = 12;
	skel->rodata->cfg.min_ns = min_ns;
	skel->rodata->cfg.max_ns = max_ns;
	skel->rodata->cfg.state_mask = mask;
	skel->rodata->cfg.state_any = any;
	skel->rodata->cfg.state_r = runnable;
	bpf_map__set_max_entries(skel->maps.waits, SMALL);
	bpf_map__set_max_entries(skel->maps.short_stacks, SMALL / 2);
	bpf_map__set_max_entries(skel->maps.medium_stacks, SMALL / 4);
	bpf_map__set_max_entries(skel->maps.stacks, SMALL / 4);
	*ret = skel;
	return functions__load(skel);
}

static int setup(void **state)
{
	return load((struct functions **)state, 0, ~0ULL, 0, true, true);
}

static int teardown(void **state)
{
	functions__destroy(*state);
	return 0;
}

static void run(struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(prog), &opts), 0);
	assert_int_equal(opts.retval, 0);
}

/* Two pages of stack and one that is not there behind them, and a page of code, never run. */
struct memory {
	char *stack;
	u64 code;
};

static struct memory make_memory(void)
{
	struct memory m;

	m.stack = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(m.stack != MAP_FAILED);
	assert_int_equal(mprotect(m.stack + 2 * PAGE, PAGE, PROT_NONE), 0);
	memset(m.stack, 0, 2 * PAGE);
	m.code = (u64)(uintptr_t)mmap(NULL, PAGE, PROT_READ | PROT_EXEC,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(m.code != (u64)(uintptr_t)MAP_FAILED);
	return m;
}

static void free_memory(struct memory *m)
{
	munmap(m->stack, 3 * PAGE);
	munmap((void *)(uintptr_t)m->code, PAGE);
}

static void put_frame(char *at, const char *next, u64 ra)
{
	u64 frame[2] = { (u64)(uintptr_t)next, ra };

	memcpy(at, frame, sizeof(frame));
}

static struct call *walk(struct functions *skel, const struct memory *m, u64 fp)
{
	struct call *call = &skel->bss->call;

	call->ip = m->code;
	call->fp = fp;
	call->limit = CS_STACK_DEFAULT;
	run(skel->progs.walk_user);
	assert_int_equal(call->pc[0], m->code);
	return call;
}

static u64 at(const struct memory *m, size_t off)
{
	return (u64)(uintptr_t)(m->stack + off);
}

static void test_walk__takes_every_return_address(void **state)
{
	struct memory m = make_memory();
	struct call *call;

	put_frame(m.stack + 256, m.stack + 512, m.code + 1);
	put_frame(m.stack + 512, m.stack + PAGE + 64, m.code + 2);
	put_frame(m.stack + PAGE + 64, NULL, m.code + 3);
	call = walk(*state, &m, at(&m, 256));
	assert_int_equal(call->len, 4);
	assert_int_equal(call->pc[1], m.code + 1);
	assert_int_equal(call->pc[2], m.code + 2);
	assert_int_equal(call->pc[3], m.code + 3);
	assert_int_equal(call->flags, CS_STACK_USER | CS_STACK_PRIVATE);
	assert_int_equal(call->end, CS_END_ROOT);
	free_memory(&m);
}

static void test_walk__reads_a_frame_across_two_pages(void **state)
{
	struct memory m = make_memory();
	struct call *call;

	put_frame(m.stack + PAGE - 8, m.stack + PAGE + 128, m.code + 1);
	put_frame(m.stack + PAGE + 128, NULL, m.code + 2);
	call = walk(*state, &m, at(&m, PAGE - 8));
	assert_int_equal(call->len, 3);
	assert_int_equal(call->pc[1], m.code + 1);
	assert_int_equal(call->pc[2], m.code + 2);
	free_memory(&m);
}

static void test_walk__reads_a_frame_at_the_end_of_memory(void **state)
{
	struct memory m = make_memory();
	struct call *call;

	put_frame(m.stack + 2 * PAGE - 16, NULL, m.code + 1);
	call = walk(*state, &m, at(&m, 2 * PAGE - 16));
	assert_int_equal(call->len, 2);
	assert_int_equal(call->end, CS_END_ROOT);
	free_memory(&m);
}

static void test_walk__says_when_memory_cannot_be_read(void **state)
{
	struct memory m = make_memory();
	struct call *call;

	put_frame(m.stack, m.stack + 2 * PAGE, m.code + 1);
	call = walk(*state, &m, at(&m, 0));
	assert_int_equal(call->len, 2);
	assert_int_equal(call->end, CS_END_FAULT);
	/* Half of the frame is behind the end. */
	put_frame(m.stack + 2 * PAGE - 24, NULL, m.code + 1);
	call = walk(*state, &m, at(&m, 2 * PAGE - 8));
	assert_int_equal(call->len, 1);
	assert_int_equal(call->end, CS_END_FAULT);
	free_memory(&m);
}

static void test_walk__stops_at_what_is_no_chain(void **state)
{
	const u64 wild[] = { 8, 0xfff, 0xffff888000000001ULL };
	struct memory m = make_memory();
	struct call *call;

	/* down, to itself, and not aligned */
	put_frame(m.stack + 512, m.stack + 256, m.code + 1);
	call = walk(*state, &m, at(&m, 512));
	assert_int_equal(call->len, 2);
	assert_int_equal(call->end, CS_END_FP);
	put_frame(m.stack + 512, m.stack + 512, m.code + 1);
	assert_int_equal(walk(*state, &m, at(&m, 512))->len, 2);
	put_frame(m.stack + 512, m.stack + 1001, m.code + 1);
	assert_int_equal(walk(*state, &m, at(&m, 512))->len, 2);
	for (size_t i = 0; i < ARRAY_LEN(wild); i++) {
		call = walk(*state, &m, wild[i]);
		assert_int_equal(call->len, 1);
		assert_int_equal(call->end, wild[i] & 7 ? CS_END_FP : CS_END_FAULT);
	}
	free_memory(&m);
}

/* What is not in code is no return address, and is not shown as one. */
static void test_walk__believes_only_what_is_mapped_executable(void **state)
{
	struct memory m = make_memory();
	struct call *call;

	put_frame(m.stack + 256, m.stack + 512, m.code + 1);
	put_frame(m.stack + 512, m.stack + 1024, at(&m, 100));
	call = walk(*state, &m, at(&m, 256));
	assert_int_equal(call->len, 2);
	assert_int_equal(call->end, CS_END_FP);
	put_frame(m.stack + 512, m.stack + 1024, 0xdead0000beefULL);
	assert_int_equal(walk(*state, &m, at(&m, 256))->len, 2);
	put_frame(m.stack + 512, m.stack + 1024, 17);
	assert_int_equal(walk(*state, &m, at(&m, 256))->len, 2);
	/* zero is the outermost frame's */
	put_frame(m.stack + 512, m.stack + 1024, 0);
	call = walk(*state, &m, at(&m, 256));
	assert_int_equal(call->len, 2);
	assert_int_equal(call->end, CS_END_ROOT);
	free_memory(&m);
}

/* Code of this program itself is a place in its file, for which there is no table here. */
static void test_walk__asks_for_the_table_of_a_file(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct memory m = make_memory();

	call->ip = (u64)(uintptr_t)make_memory;
	call->fp = at(&m, 0);
	call->limit = CS_STACK_DEFAULT;
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 1);
	assert_int_equal(call->end, CS_END_NO_TABLE);
	assert_true(call->pc[0] & CS_PC_MODULE);
	assert_int_equal(cs_pc_off(call->pc[0]) & (PAGE - 1), call->ip & (PAGE - 1));
	free_memory(&m);
}

static void chain(const struct memory *m, u32 n)
{
	for (u32 i = 0; i < n; i++)
		put_frame(m->stack + i * 16, i == n - 1 ? NULL : m->stack + (i + 1) * 16,
			  m->code + 1 + i);
}

static void test_walk__cuts_a_deep_stack_and_says_so(void **state)
{
	struct memory m = make_memory();
	struct call *call;

	chain(&m, 400);
	call = walk(*state, &m, at(&m, 0));
	assert_int_equal(call->len, CS_STACK_DEFAULT);
	assert_int_equal(call->end, CS_END_DEPTH);
	for (u32 i = 1; i < CS_STACK_DEFAULT; i++)
		assert_int_equal(call->pc[i], m.code + i);
	free_memory(&m);
}

static void test_walk__whole_stack_of_the_limit_is_not_cut(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct memory m = make_memory();

	chain(&m, CS_STACK_DEFAULT - 1);
	call = walk(*state, &m, at(&m, 0));
	assert_int_equal(call->len, CS_STACK_DEFAULT);
	assert_int_equal(call->end, CS_END_ROOT);
	chain(&m, CS_STACK_MAX - 1);
	call->limit = CS_STACK_MAX;
	run(skel->progs.walk_user);
	assert_int_equal(call->len, CS_STACK_MAX);
	assert_int_equal(call->end, CS_END_ROOT);
	free_memory(&m);
}

static void test_keep__same_stack_same_hash(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct cs_stack kept;
	u64 first;

	call->len = 3;
	call->flags = 0;
	call->pc[0] = 1;
	call->pc[1] = 2;
	call->pc[2] = 3;
	call->pc[3] = 77; /* behind the end: must not count */
	run(skel->progs.keep_stack);
	first = call->hash;
	assert_int_not_equal(first, 0);
	call->pc[3] = 78;
	run(skel->progs.keep_stack);
	assert_int_equal(call->hash, first);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.short_stacks), &first, &kept),
			 0);
	assert_int_equal(kept.len, 3);
	assert_int_equal(kept.pc[2], 3);
	/* another order, another length, the other side: other stacks */
	call->pc[0] = 2;
	call->pc[1] = 1;
	run(skel->progs.keep_stack);
	assert_int_not_equal(call->hash, first);
	call->pc[0] = 1;
	call->pc[1] = 2;
	call->len = 2;
	run(skel->progs.keep_stack);
	assert_int_not_equal(call->hash, first);
	call->len = 3;
	call->flags = CS_STACK_USER;
	run(skel->progs.keep_stack);
	assert_int_not_equal(call->hash, first);
}

static void test_keep__full_table_is_told(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	u32 kept = 0, lost = 0;

	call->flags = 0;
	call->len = 1;
	for (u64 i = 0; i < 20 * SMALL; i++) {
		call->pc[0] = 1000 + i;
		run(skel->progs.keep_stack);
		assert_int_equal(call->lost, call->hash == 0);
		kept += !call->lost;
		lost += call->lost;
	}
	assert_int_equal(kept + lost, 20 * SMALL);
	assert_true(kept >= 1 && kept <= SMALL);
	call->len = 0;
	run(skel->progs.keep_stack);
	assert_int_equal(call->hash, 0);
	assert_int_equal(call->lost, 0);
}

static bool is_in(struct bpf_map *map, u64 id)
{
	struct cs_stack kept;

	return !bpf_map_lookup_elem(bpf_map__fd(map), &id, &kept);
}

static u64 keep_of_len(struct functions *skel, u16 len)
{
	struct call *call = &skel->bss->call;

	call->flags = 0;
	call->len = len;
	for (u32 i = 0; i < len; i++)
		call->pc[i] = 1000 + i;
	run(skel->progs.keep_stack);
	assert_int_not_equal(call->hash, 0);
	return call->hash;
}

static void test_keep__table_is_that_of_the_length(void **state)
{
	struct functions *skel = *state;

	assert_true(is_in(skel->maps.short_stacks, keep_of_len(skel, CS_STACK_SHORT)));
	assert_true(is_in(skel->maps.medium_stacks, keep_of_len(skel, CS_STACK_MEDIUM)));
	assert_true(is_in(skel->maps.stacks, keep_of_len(skel, CS_STACK_MEDIUM + 1)));
}

/* A stack that found its table full is found again where it went. */
static void test_keep__full_table_gives_to_the_longer(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	u32 medium = 0, longest = 0;

	call->flags = 0;
	call->len = 1;
	for (u64 i = 0; i < 20 * SMALL; i++) {
		u64 id;

		call->pc[0] = 1000 + i;
		run(skel->progs.keep_stack);
		id = call->hash;
		medium += is_in(skel->maps.medium_stacks, id);
		longest += is_in(skel->maps.stacks, id);
		run(skel->progs.keep_stack);
		assert_int_equal(call->hash, id);
	}
	assert_true(medium && longest);
	assert_true(medium + longest <= SMALL / 2);
}

static void test_add__sums_count_max_and_histogram(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct cs_wait_sum sum;

	memset(&call->key, 0, sizeof(call->key));
	call->key.task = 5;
	call->blocked_ns = 5000;
	call->runq_ns = 1000;
	call->weight_ns = 6000;
	run(skel->progs.add_wait);
	call->blocked_ns = 2000;
	call->runq_ns = 0;
	call->weight_ns = 2000;
	run(skel->progs.add_wait);
	call->blocked_ns = 0;
	call->weight_ns = 0;
	run(skel->progs.add_wait);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.waits), &call->key, &sum), 0);
	assert_int_equal(sum.count, 3);
	assert_int_equal(sum.blocked_ns, 7000);
	assert_int_equal(sum.runq_ns, 1000);
	assert_int_equal(sum.max_ns, 6000);
	assert_int_equal(sum.samples, 3);
	assert_int_equal(sum.var_us2, 0);
	assert_int_equal(sum.hist[cs_hist_bucket(6000)], 1);
	assert_int_equal(sum.hist[cs_hist_bucket(2000)], 1);
	assert_int_equal(sum.hist[0], 1);
}

/* A wait of 300 us that stands for 1 ms: three or four of them, 10/3 on average. */
static void test_add__weights_time_count_and_histogram(void **state)
{
	const u32 rounds = 3000;
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct cs_wait_sum sum;

	memset(&call->key, 0, sizeof(call->key));
	call->key.task = 6;
	call->blocked_ns = 200000;
	call->runq_ns = 100000;
	call->weight_ns = 1000000;
	for (u32 i = 0; i < rounds; i++)
		run(skel->progs.add_wait);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.waits), &call->key, &sum), 0);
	assert_int_equal(sum.blocked_ns + sum.runq_ns, rounds * 1000000ULL);
	assert_int_equal(sum.blocked_ns, rounds * 666666ULL);
	assert_int_equal(sum.samples, rounds);
	assert_int_equal(sum.max_ns, 300000);
	assert_int_equal(sum.hist[cs_hist_bucket(300000)], sum.count);
	/* six standard deviations of the rounding: 3000 * 2/9, rooted, is 26 */
	assert_in_range(sum.count, 10 * rounds / 3 - 155, 10 * rounds / 3 + 155);
	assert_int_equal(sum.var_us2, rounds * (1000 * 1000 - 1000 * 300));
}

static u64 stat_sum(struct functions *skel, size_t off)
{
	int ncpu = libbpf_num_possible_cpus();
	struct cs_stats *all = calloc((size_t)ncpu, sizeof(*all));
	u32 zero = 0;
	u64 sum = 0;

	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.stats), &zero, all), 0);
	for (int i = 0; i < ncpu; i++)
		sum += *(u64 *)((char *)&all[i] + off);
	free(all);
	return sum;
}

static void test_add__full_table_counts_events_and_ns(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	u64 lost = 0;

	memset(&call->key, 0, sizeof(call->key));
	call->blocked_ns = 300;
	call->runq_ns = 20;
	call->weight_ns = 320;
	for (u32 i = 1; i <= 10 * SMALL; i++) {
		call->key.task = i;
		run(skel->progs.add_wait);
		lost += (u64)call->result;
	}
	assert_true(lost >= 9 * SMALL);
	assert_int_equal(stat_sum(skel, offsetof(struct cs_stats, wait_lost)), lost);
	assert_int_equal(stat_sum(skel, offsetof(struct cs_stats, wait_lost_ns)), lost * 320);
}

static s64 chosen(struct functions *skel, u64 len_ns, u32 raw_state)
{
	skel->bss->call.len_ns = len_ns;
	skel->bss->call.ns = 1;
	skel->bss->call.raw_state = raw_state;
	run(skel->progs.choose);
	return skel->bss->call.result;
}

static void test_choose__bounds_and_states(void **state)
{
	struct functions *skel;

	(void)state;
	/* waits in D or K of 10 to 20 ns, none that are runnable */
	assert_int_equal(load(&skel, 10, 20, 0x102, false, false), 0);
	assert_int_equal(chosen(skel, 9, 2), 0);
	assert_int_equal(chosen(skel, 10, 2), 1);
	assert_int_equal(chosen(skel, 20, 2), 1);
	assert_int_equal(chosen(skel, 21, 2), 0);
	assert_int_equal(chosen(skel, 15, 1), 0);
	assert_int_equal(chosen(skel, 15, 0x2001), 0);
	assert_int_equal(chosen(skel, 15, 0x402), 1);
	assert_int_equal(chosen(skel, 15, 0x104), 1);
	assert_int_equal(chosen(skel, 15, 0), 0);
	functions__destroy(skel);
	/* exactly the runnable ones */
	assert_int_equal(load(&skel, 0, ~0ULL, 0, false, true), 0);
	assert_int_equal(chosen(skel, 0, 0), 1);
	assert_int_equal(chosen(skel, 0, 1), 0);
	functions__destroy(skel);
}

/* What a period of 100 us makes of waits of `ns`: the sum of their weights. */
static u64 weights(struct functions *skel, u64 ns, u32 rounds, u32 *ret_chosen)
{
	struct call *call = &skel->bss->call;
	u64 sum = 0;

	call->len_ns = call->ns = ns;
	call->raw_state = 1;
	*ret_chosen = 0;
	for (u32 i = 0; i < rounds; i++) {
		run(skel->progs.choose);
		sum += (u64)call->result;
		*ret_chosen += call->result != 0;
	}
	return sum;
}

static void test_choose__samples_in_proportion_to_time(void **state)
{
	struct functions *skel;
	u32 chosen_cnt;
	u64 sum;

	(void)state;
	assert_int_equal(load(&skel, 0, ~0ULL, 0, true, true), 0);
	assert_int_equal(weights(skel, 7000, 100, &chosen_cnt), 700000);
	assert_int_equal(chosen_cnt, 100);
	skel->bss->call.period_ns = 100000;
	/* never more than a period away from the truth */
	sum = weights(skel, 7000, 1000, &chosen_cnt);
	assert_in_range(sum, 6900001, 7099999);
	assert_int_equal(sum, chosen_cnt * 100000ULL);
	/* those as long as the period count as they are */
	assert_int_equal(weights(skel, 100000, 10, &chosen_cnt), 1000000);
	assert_int_equal(weights(skel, 100001, 10, &chosen_cnt), 1000010);
	assert_int_equal(chosen_cnt, 10);
	functions__destroy(skel);
}

/* Each new accumulator begins elsewhere: the first wait is chosen as often as it is long. */
static void test_choose__begins_at_random(void **state)
{
	struct functions *skel;
	u32 first = 0, chosen_cnt;

	(void)state;
	assert_int_equal(load(&skel, 0, ~0ULL, 0, true, true), 0);
	for (u64 i = 0; i < 2000; i++) {
		skel->bss->call.period_ns = 100000000 + i; /* another one: begin again */
		weights(skel, 25000000, 1, &chosen_cnt);
		first += chosen_cnt;
	}
	assert_in_range(first, 500 - 120, 500 + 120);
	functions__destroy(skel);
}

static void test_match__kernel_and_host_agree(void **state)
{
	static const char *const words[] = { "",
					     "*",
					     "?",
					     "a",
					     "ab",
					     "a*",
					     "*b",
					     "a*b",
					     "a?b",
					     "**",
					     "*a*b*c",
					     "postgres",
					     "post*",
					     "*gres",
					     "p?stg*s",
					     "kworker/0:1",
					     "abcdefghijklmno",
					     "*o",
					     "????????????????" };
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	int matches = 0;

	for (size_t p = 0; p < ARRAY_LEN(words); p++) {
		for (size_t c = 0; c < ARRAY_LEN(words); c++) {
			memset(call->pattern, 0, CS_COMM_LEN);
			memset(call->comm, 0, CS_COMM_LEN);
			snprintf(call->pattern, CS_COMM_LEN, "%s", words[p]);
			snprintf(call->comm, CS_COMM_LEN, "%s", words[c]);
			run(skel->progs.match_comm);
			assert_int_equal(call->result, cs_glob_match(call->pattern, call->comm));
			matches += (int)call->result;
		}
	}
	assert_true(matches > (int)ARRAY_LEN(words));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_walk__takes_every_return_address, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_walk__reads_a_frame_across_two_pages, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_walk__reads_a_frame_at_the_end_of_memory,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_walk__says_when_memory_cannot_be_read, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_walk__stops_at_what_is_no_chain, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_walk__believes_only_what_is_mapped_executable,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_walk__asks_for_the_table_of_a_file, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_walk__cuts_a_deep_stack_and_says_so, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_walk__whole_stack_of_the_limit_is_not_cut,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep__same_stack_same_hash, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep__full_table_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep__table_is_that_of_the_length, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_keep__full_table_gives_to_the_longer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_add__weights_time_count_and_histogram, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_add__sums_count_max_and_histogram, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_add__full_table_counts_events_and_ns, setup,
						teardown),
		cmocka_unit_test(test_choose__bounds_and_states),
		cmocka_unit_test(test_choose__samples_in_proportion_to_time),
		cmocka_unit_test(test_choose__begins_at_random),
		cmocka_unit_test_setup_teardown(test_match__kernel_and_host_agree, setup, teardown),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
