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
	u64 fp;
	u64 steps;
	u32 len;
	u32 flags;
	u64 pc[CS_STACK_LEN];
	struct cs_wait_key key;
	u64 blocked_ns;
	u64 runq_ns;
	u64 len_ns;
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
	skel->rodata->cfg.kstack_len = CS_STACK_LEN;
	skel->rodata->cfg.min_ns = min_ns;
	skel->rodata->cfg.max_ns = max_ns;
	skel->rodata->cfg.state_mask = mask;
	skel->rodata->cfg.state_any = any;
	skel->rodata->cfg.state_r = runnable;
	bpf_map__set_max_entries(skel->maps.waits, SMALL);
	bpf_map__set_max_entries(skel->maps.stacks, SMALL);
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

/* Two pages of stack and one that is not there behind them. */
static char *make_stack(void)
{
	char *mem =
		mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(mem != MAP_FAILED);
	assert_int_equal(mprotect(mem + 2 * PAGE, PAGE, PROT_NONE), 0);
	memset(mem, 0, 2 * PAGE);
	return mem;
}

static u64 put_frame(char *at, const char *next, u64 ra)
{
	u64 frame[2] = { (u64)(uintptr_t)next, ra };

	memcpy(at, frame, sizeof(frame));
	return (u64)(uintptr_t)at;
}

static void test_walk__takes_every_return_address(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	char *mem = make_stack();

	put_frame(mem + 256, mem + 512, 0x40001);
	put_frame(mem + 512, mem + PAGE + 64, 0x40002);
	put_frame(mem + PAGE + 64, NULL, 0x40003);
	call->fp = (u64)(uintptr_t)(mem + 256);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 4);
	assert_int_equal(call->pc[1], 0x40001);
	assert_int_equal(call->pc[2], 0x40002);
	assert_int_equal(call->pc[3], 0x40003);
	assert_int_equal(call->flags, CS_STACK_USER);
	munmap(mem, 3 * PAGE);
}

static void test_walk__reads_a_frame_across_two_pages(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	char *mem = make_stack();

	put_frame(mem + PAGE - 8, mem + PAGE + 128, 0x50001);
	put_frame(mem + PAGE + 128, NULL, 0x50002);
	call->fp = (u64)(uintptr_t)(mem + PAGE - 8);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 3);
	assert_int_equal(call->pc[1], 0x50001);
	assert_int_equal(call->pc[2], 0x50002);
	munmap(mem, 3 * PAGE);
}

static void test_walk__reads_a_frame_at_the_end_of_memory(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	char *mem = make_stack();

	put_frame(mem + 2 * PAGE - 16, NULL, 0x60001);
	call->fp = (u64)(uintptr_t)(mem + 2 * PAGE - 16);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 2);
	assert_int_equal(call->pc[1], 0x60001);
	assert_int_equal(call->flags, CS_STACK_USER);
	munmap(mem, 3 * PAGE);
}

static void test_walk__says_when_memory_cannot_be_read(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	char *mem = make_stack();

	put_frame(mem, mem + 2 * PAGE, 0x70001);
	call->fp = (u64)(uintptr_t)mem;
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 2);
	assert_int_equal(call->flags, CS_STACK_USER | CS_STACK_FAULT);
	/* Half of the frame is behind the end. */
	call->fp = (u64)(uintptr_t)(mem + 2 * PAGE - 8);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 1);
	assert_int_equal(call->flags, CS_STACK_USER | CS_STACK_FAULT);
	munmap(mem, 3 * PAGE);
}

static void test_walk__stops_at_what_is_no_chain(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	char *mem = make_stack();
	const u64 wild[] = { 0, 8, 0xfff, 0xffff888000000000ULL, ~0ULL - 7 };

	/* down, to itself, and not aligned */
	put_frame(mem + 512, mem + 256, 0x80001);
	call->fp = (u64)(uintptr_t)(mem + 512);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 2);
	put_frame(mem + 512, mem + 512, 0x80001);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 2);
	put_frame(mem + 512, mem + 1001, 0x80001);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 2);
	/* a return address of zero is the outermost frame's */
	put_frame(mem + 512, mem + 1024, 0);
	run(skel->progs.walk_user);
	assert_int_equal(call->len, 1);
	for (size_t i = 0; i < ARRAY_LEN(wild); i++) {
		call->fp = wild[i];
		run(skel->progs.walk_user);
		assert_int_equal(call->len, 1);
	}
	munmap(mem, 3 * PAGE);
}

static void test_walk__cuts_a_deep_stack_and_says_so(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	char *mem = make_stack();
	u32 i;

	for (i = 0; i < 200; i++)
		put_frame(mem + i * 32, mem + (i + 1) * 32, 0x90000 + i);
	call->fp = (u64)(uintptr_t)mem;
	run(skel->progs.walk_user);
	assert_int_equal(call->len, CS_STACK_LEN);
	assert_int_equal(call->flags, CS_STACK_USER | CS_STACK_CUT);
	for (i = 1; i < CS_STACK_LEN; i++)
		assert_int_equal(call->pc[i], 0x90000 + i - 1);
	munmap(mem, 3 * PAGE);
}

static void test_walk__whole_stack_of_the_limit_is_not_cut(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	char *mem = make_stack();
	u32 i, last = CS_STACK_LEN - 2;

	for (i = 0; i <= last; i++)
		put_frame(mem + i * 32, i == last ? NULL : mem + (i + 1) * 32, 0x90000 + i);
	call->fp = (u64)(uintptr_t)mem;
	run(skel->progs.walk_user);
	assert_int_equal(call->len, CS_STACK_LEN);
	assert_int_equal(call->flags, CS_STACK_USER);
	munmap(mem, 3 * PAGE);
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
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.stacks), &first, &kept), 0);
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

static void test_add__sums_count_max_and_histogram(void **state)
{
	struct functions *skel = *state;
	struct call *call = &skel->bss->call;
	struct cs_wait_sum sum;

	memset(&call->key, 0, sizeof(call->key));
	call->key.task = 5;
	call->blocked_ns = 5000;
	call->runq_ns = 1000;
	run(skel->progs.add_wait);
	call->blocked_ns = 2000;
	call->runq_ns = 0;
	run(skel->progs.add_wait);
	call->blocked_ns = 0;
	run(skel->progs.add_wait);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(skel->maps.waits), &call->key, &sum), 0);
	assert_int_equal(sum.count, 3);
	assert_int_equal(sum.blocked_ns, 7000);
	assert_int_equal(sum.runq_ns, 1000);
	assert_int_equal(sum.max_ns, 6000);
	assert_int_equal(sum.hist[cs_hist_bucket(6000)], 1);
	assert_int_equal(sum.hist[cs_hist_bucket(2000)], 1);
	assert_int_equal(sum.hist[0], 1);
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
		cmocka_unit_test_setup_teardown(test_walk__cuts_a_deep_stack_and_says_so, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_walk__whole_stack_of_the_limit_is_not_cut,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep__same_stack_same_hash, setup, teardown),
		cmocka_unit_test_setup_teardown(test_keep__full_table_is_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_add__sums_count_max_and_histogram, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_add__full_table_counts_events_and_ns, setup,
						teardown),
		cmocka_unit_test(test_choose__bounds_and_states),
		cmocka_unit_test_setup_teardown(test_match__kernel_and_host_agree, setup, teardown),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
