/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Our BPF functions, one by one, run by the kernel in this process: the walker on stacks made by
 * hand, the tables of stacks at their limits, the filters against the host's own arithmetic.
 */
#include "functions_load.h"

#define PAGE 4096UL

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

/*
 * The chains here are in memory without a file. A program calls such code, so a chain that ends
 * there, with 0, has not reached the root.
 */
#define CHAIN_END CS_END_FP

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
	assert_int_equal(call->end, CHAIN_END);
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
	assert_int_equal(call->end, CHAIN_END);
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
	put_frame(m.stack + 512, m.stack + 1024, 0);
	call = walk(*state, &m, at(&m, 256));
	assert_int_equal(call->len, 2);
	assert_int_equal(call->end, CHAIN_END);
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
	assert_int_equal(call->end, CHAIN_END);
	chain(&m, CS_STACK_MAX - 1);
	call->limit = CS_STACK_MAX;
	run(skel->progs.walk_user);
	assert_int_equal(call->len, CS_STACK_MAX);
	assert_int_equal(call->end, CHAIN_END);
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
		cmocka_unit_test_setup_teardown(test_match__kernel_and_host_agree, setup, teardown),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
