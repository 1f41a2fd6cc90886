/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The memory of user stacks, in the kernel: what it recalls is what a walk finds, whatever has
 * changed in between.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/stack.h"
#include "base/types.h"

/* As memo.bpf.c has it; the skeleton names the type but does not define it. */
struct memocall {
	u64 ip;
	u64 sp;
	u64 fp;
	u64 bx;
	u64 image;
	u64 now_ns;
	u64 recalled;
	u64 walked;
	u32 len;
	u32 trail_len;
	u32 marked;
};

#include "gen/memo.skel.h"

#define PAGE 4096UL
#define FRAMES 12
#define FRAME_SZ 96

static char *stack;
static u64 code;

static void put_word(size_t off, u64 word)
{
	memcpy(stack + off, &word, sizeof(word));
}

/* A chain of frames, in code that has no table. */
static void put_stack(void)
{
	memset(stack, 0, 2 * PAGE);
	for (u32 i = 0; i < FRAMES; i++) {
		size_t off = 64 + i * FRAME_SZ;

		put_word(off, i == FRAMES - 1 ? 0 : (u64)(uintptr_t)(stack + off + FRAME_SZ));
		put_word(off + 8, code + 1 + i);
	}
}

static int setup(void **state)
{
	struct bpf_program *prog;
	struct memo *skel = memo__open();
	cpu_set_t one;

	if (!skel)
		return -1;
	CPU_ZERO(&one);
	CPU_SET((unsigned int)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	bpf_object__for_each_program(prog, skel->obj) {
		bpf_program__set_autoload(prog, prog == skel->progs.recall_and_walk);
	}
	skel->rodata->cfg.ustack_len = CS_STACK_DEFAULT;
	skel->rodata->cfg.mm_walk = 1;
	skel->rodata->cfg.unwind_tables = 1;
	skel->rodata->cfg.page_bits = 12;
	*state = skel;
	if (memo__load(skel))
		return -1;
	stack = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	code = (u64)(uintptr_t)mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);
	if (stack == MAP_FAILED || code == (u64)(uintptr_t)MAP_FAILED)
		return -1;
	put_stack();
	skel->bss->memocall.ip = code;
	skel->bss->memocall.sp = (u64)(uintptr_t)stack;
	skel->bss->memocall.fp = (u64)(uintptr_t)(stack + 64);
	skel->bss->memocall.now_ns = 1000;
	return 0;
}

static int teardown(void **state)
{
	munmap(stack, 2 * PAGE);
	munmap((void *)(uintptr_t)code, PAGE);
	memo__destroy(*state);
	return 0;
}

/* All on one CPU: each has a memory of its own. */
static struct memocall *run(struct memo *skel)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.recall_and_walk),
						&opts),
			 0);
	assert_int_equal(opts.retval, 0);
	return &skel->bss->memocall;
}

static void test_memo__recalls_what_has_not_changed(void **state)
{
	struct memocall *call = run(*state);

	assert_int_equal(call->recalled, 0);
	assert_int_equal(call->len, FRAMES + 1);
	assert_int_not_equal(call->walked, 0);
	call = run(*state);
	assert_int_equal(call->recalled, call->walked);
}

static void test_memo__does_not_mind_what_leads_nowhere(void **state)
{
	struct memocall *call = run(*state);

	put_word(64 + 16, 12345); /* a local variable */
	call->bx = 777; /* a loop counter */
	call = run(*state);
	assert_int_equal(call->recalled, call->walked);
	assert_int_not_equal(call->recalled, 0);
}

static void test_memo__forgets_at_every_change_that_matters(void **state)
{
	struct memocall *call = run(*state);
	u64 first = call->walked;

	put_word(64 + 3 * FRAME_SZ + 8, code + 500); /* a return address */
	call = run(*state);
	assert_int_equal(call->recalled, 0);
	assert_int_not_equal(call->walked, first);
	put_word(64 + 2 * FRAME_SZ, (u64)(uintptr_t)(stack + 64 + 5 * FRAME_SZ)); /* a link */
	call = run(*state);
	assert_int_equal(call->recalled, 0);
	call->fp += FRAME_SZ;
	call = run(*state);
	assert_int_equal(call->recalled, 0);
	call->ip += 1;
	call = run(*state);
	assert_int_equal(call->recalled, 0);
	call->image = 9;
	call = run(*state);
	assert_int_equal(call->recalled, 0);
	((struct memo *)*state)->data->control.tables_gen++;
	call = run(*state);
	assert_int_equal(call->recalled, 0);
	call = run(*state);
	assert_int_equal(call->recalled, call->walked);
}

/* After the time for which mappings are trusted, those of the stack are looked at. */
static void test_memo__looks_at_its_mappings_after_a_while(void **state)
{
	struct memocall *call = run(*state);

	call->now_ns += 100 * 1000 * 1000;
	call = run(*state);
	assert_int_equal(call->recalled, call->marked ? call->walked : 0);
	assert_int_not_equal(call->walked, 0);
	((struct memo *)*state)->bss->memocall.now_ns += 99 * 1000 * 1000;
	call = run(*state);
	assert_int_equal(call->recalled, call->walked);
}

/* Any other mapping may come and go; those that the stack lies in may not. */
static void test_memo__looks_at_its_mappings_when_one_has_changed(void **state)
{
	struct memocall *call = run(*state);
	int fd;

	if (!call->marked) {
		print_message("this kernel does not mark what is no mapping any more (6.4)\n");
		skip();
	}
	munmap(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE);
	call = run(*state);
	assert_int_not_equal(call->recalled, 0);
	assert_int_equal(call->recalled, call->walked);
	fd = memfd_create("code", 0);
	assert_int_equal(ftruncate(fd, (off_t)PAGE), 0);
	assert_true(mmap((void *)(uintptr_t)code, PAGE, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED);
	close(fd);
	call = run(*state);
	assert_int_equal(call->recalled, 0);
}

/* Words anywhere become others: never is something recalled that a walk would not find. */
static void test_memo__is_never_wrong(void **state)
{
	u64 random = 88172645463325252ULL;
	struct memocall *call;
	u32 recalled = 0, changed = 0;

	for (u32 i = 0; i < 3000; i++) {
		u64 before = ((struct memo *)*state)->bss->memocall.walked;
		size_t off;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		off = (random >> 8) % (64 + FRAMES * FRAME_SZ) & ~7UL;
		if (random & 1)
			put_word(off, random & 2 ? code + (random >> 40) % PAGE : random);
		else if (random & 4)
			put_stack();
		call = run(*state);
		if (call->recalled)
			assert_int_equal(call->recalled, call->walked);
		recalled += call->recalled != 0;
		changed += call->walked != before;
	}
	assert_true(recalled > 300);
	assert_true(changed > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_memo__recalls_what_has_not_changed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_memo__does_not_mind_what_leads_nowhere, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_memo__forgets_at_every_change_that_matters,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_memo__looks_at_its_mappings_after_a_while,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_memo__looks_at_its_mappings_when_one_has_changed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memo__is_never_wrong, setup, teardown),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("memo", tests, NULL, NULL);
}
