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
#include "abi/python.h"
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
	u64 tls;
	u64 frames;
	u32 python;
	u32 most;
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

/*
 * A large buffer on the stack that was never touched: its page is not there, so the words
 * around it cannot be read at once, and nothing can be compared.
 */
static void test_memo__recalls_no_stack_that_it_cannot_read(void **state)
{
	struct memo *skel = *state;
	struct memocall *call = &skel->bss->memocall;
	char *mine = stack, *mem = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(mem != MAP_FAILED);
	stack = mem;
	put_word(PAGE - 64, (u64)(uintptr_t)(mem + 2 * PAGE));
	put_word(PAGE - 56, code + 1);
	put_word(2 * PAGE, 0);
	put_word(2 * PAGE + 8, code + 2);
	call->sp = (u64)(uintptr_t)(mem + PAGE - 128);
	call->fp = (u64)(uintptr_t)(mem + PAGE - 64);
	for (u32 i = 0; i < 4; i++) {
		put_word(2 * PAGE + 8, code + 2 + i);
		run(skel);
		assert_int_equal(call->len, 3);
		assert_int_equal(call->recalled, 0);
	}
	munmap(mem, 3 * PAGE);
	stack = mine;
}

/*
 * A thread of a Python whose frames are as many shims: nothing of them is in the stack, but they
 * differ.
 */
#define SHIMS 4
#define SLOT_AT 0x318

struct shim {
	const struct shim *back;
	u64 owner;
};

struct thread {
	u8 tls[1024];
	u64 id;
	const struct shim *frame;
	struct shim shims[SHIMS];
};

static void put_thread(struct thread *t, u32 shims)
{
	const u64 *state = &t->id;

	memset(t, 0, sizeof(*t));
	t->id = (u64)(uintptr_t)t->tls;
	memcpy(t->tls + SLOT_AT, &state, sizeof(state));
	t->frame = shims ? &t->shims[0] : NULL;
	for (u32 i = 0; i < shims; i++) {
		t->shims[i].owner = 3;
		t->shims[i].back = i + 1 < shims ? &t->shims[i + 1] : NULL;
	}
}

static void put_python(struct memo *skel, const struct thread *t)
{
	struct cs_python facts = {
		.entry = CS_PYTHON_ENTRY_SHIM,
		.instr = CS_PYTHON_INSTR_PTR,
		.thread_id = 0,
		.thread_frame = 8,
		.thread_sz = 16,
		.cframe_frame = CS_PYTHON_NO_OFF,
		.frame_entry = offsetof(struct shim, owner),
		.frame_sz = sizeof(struct shim),
	};
	u64 image = skel->bss->memocall.image;
	u32 module = 7, slot = 0;

	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.pythons), &module, &facts,
					     BPF_ANY),
			 0);
	assert_int_equal(bpf_map_update_elem(bpf_map__fd(skel->maps.python_slots), &image, &slot,
					     BPF_ANY),
			 0);
	skel->bss->memocall.python = module;
	skel->bss->memocall.tls = (u64)(uintptr_t)t->tls;
}

/* The same native frames run many chains of Python frames. */
static void test_memo__knows_many_chains_of_a_native_stack(void **state)
{
	static struct thread thread;
	struct memo *skel = *state;
	struct memocall *call = &skel->bss->memocall;

	put_python(skel, &thread);
	for (u32 pass = 0; pass < 2; pass++) {
		for (u32 i = 0; i < SHIMS; i++) {
			put_thread(&thread, i);
			call->frames = 1000 * i;
			run(skel);
			assert_int_equal(call->recalled, pass ? call->walked : 0);
		}
	}
	/* the thread state is another thread's: only a walk can tell */
	thread.id++;
	assert_int_equal(run(skel)->recalled, 0);
}

/* A chain is of one native stack, and no other that takes its place. */
static void test_memo__takes_no_chain_of_another_native_stack(void **state)
{
	static struct thread thread;
	struct memo *skel = *state;
	struct memocall *call = &skel->bss->memocall;

	put_python(skel, &thread);
	put_thread(&thread, 1);
	run(skel);
	assert_int_equal(run(skel)->recalled, call->walked);
	put_word(64 + 3 * FRAME_SZ + 8, code + 500);
	put_thread(&thread, 2);
	assert_int_equal(run(skel)->recalled, 0);
	assert_int_equal(run(skel)->recalled, call->walked);
	put_thread(&thread, 1);
	assert_int_equal(run(skel)->recalled, 0);
	assert_int_equal(run(skel)->recalled, call->walked);
	put_stack();
	assert_int_equal(run(skel)->recalled, 0);
}

/* A chain that leaves no room for outer frames, and one of the same place that does. */
static void test_memo__takes_no_chain_that_uses_more_of_the_stack(void **state)
{
	static struct thread thread;
	struct memo *skel = *state;
	struct memocall *call = &skel->bss->memocall;

	put_python(skel, &thread);
	put_thread(&thread, 3);
	call->most = 3;
	run(skel);
	call->most = 0;
	put_thread(&thread, 1);
	assert_int_equal(run(skel)->recalled, 0);
	assert_int_equal(run(skel)->recalled, call->walked);
	put_word(64 + 8 * FRAME_SZ + 8, code + 500);
	assert_int_equal(run(skel)->recalled, 0);
}

/* Words and Python frames change: never is something recalled that a walk would not find. */
static void test_memo__is_never_wrong_with_python_frames(void **state)
{
	static struct thread thread;
	struct memo *skel = *state;
	struct memocall *call = &skel->bss->memocall;
	u64 random = 88172645463325252ULL;
	u32 recalled = 0;

	put_python(skel, &thread);
	for (u32 i = 0; i < 3000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		put_word(64 + 3 * FRAME_SZ + 8, code + (random & 16 ? 500 : 4));
		put_thread(&thread, random >> 8 & (SHIMS - 1));
		call->frames = 1000 * (random >> 8 & (SHIMS - 1));
		run(skel);
		if (call->recalled)
			assert_int_equal(call->recalled, call->walked);
		recalled += call->recalled != 0;
	}
	assert_true(recalled > 300);
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
		cmocka_unit_test_setup_teardown(test_memo__recalls_no_stack_that_it_cannot_read,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_memo__knows_many_chains_of_a_native_stack,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_memo__takes_no_chain_of_another_native_stack,
						setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_memo__takes_no_chain_that_uses_more_of_the_stack, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memo__is_never_wrong_with_python_frames, setup,
						teardown),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("memo", tests, NULL, NULL);
}
