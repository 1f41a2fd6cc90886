/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints of kernel stacks that are made here, and when the walk is spared: the table of
 * addresses is taken away, so that an answer is what was remembered, and a walk finds nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "lib/host_one_cpu.h"

#define IP(n) (0xffffffff81000000ULL + 0x100 * (n))
#define FRAMES 5
/* Of the stack, from its end. */
#define REGS_SZ (sizeof(struct pt_regs))
#define LOCALS 64

static struct print_memo memos_here[PRINT_MEMOS];
static struct scratch scr;
static struct cs_stats counted;
static u8 *memory;

static u64 host_now(void)
{
	return 0;
}

static struct task_struct *host_current(void)
{
	return NULL;
}

static void *host_slot(struct task_struct *task)
{
	(void)task;
	return NULL;
}

static void *host_lookup(const void *map, const void *key)
{
	return map == &print_memos ? (void *)&memos_here[*(const u32 *)key] :
	       map == &stats	   ? (void *)&counted :
				     NULL;
}

/* What the kernel's table says of the call before `ip`. */
static void say(u64 ip, u32 type, u32 cfa, u32 sp_off, bool saves_bp)
{
	u64 at = ip - 1;

	orc_cache[(u32)at * 2654435769U >> 20 & (ORC_CACHE_LEN - 1)] =
		type | cfa << 4 | (saves_bp ? ORC_PREV_SP : 0) << 8 | (u64)(u8)(-16 >> 3) << 12 |
		(u64)(sp_off >> 3) << 20 | at << 32;
}

static void say_all(void)
{
	say(IP(0), ORC_CALL, ORC_BP, 16, true); /* __schedule() */
	say(IP(1), ORC_CALL, ORC_SP, 16, false);
	say(IP(2), ORC_CALL, ORC_SP, 48, true);
	say(IP(3), ORC_CALL, ORC_BP, 16, true); /* do_syscall_64(): random room on its stack */
	say(IP(7), ORC_CALL, ORC_BP, 16, true); /* another one in its place */
	say(IP(4), ORC_REGS, ORC_SP, 0, false);
}

static void forget_all(void)
{
	memset(orc_cache, 0, sizeof(orc_cache));
}

static void put(u64 at, u64 word)
{
	*(u64 *)at = word;
}

/* A thread that sleeps in a system call which began `room` bytes further down; its sp. */
static u64 sleeper(u64 room, u64 caller, u64 locals)
{
	u64 user = (u64)memory + KERNEL_STACK_SZ - REGS_SZ, call, schedule, sp;

	memset(memory, 0x11, KERNEL_STACK_SZ);
	((struct pt_regs *)user)->orig_ax = 0;
	put(user - 8, IP(4));
	call = user - 32 - room;
	put(call - 8, caller);
	put(call - 16, user - 16); /* the frame pointer of do_syscall_64() */
	put(call - 48 - 8, IP(2));
	schedule = call - 48 - 16;
	put(schedule - 8, IP(1));
	put(schedule - 16, user - 16);
	sp = schedule - 16 - locals - INACTIVE_SZ;
	put(sp + INACTIVE_BP, schedule - 16);
	put(sp + INACTIVE_IP, IP(0));
	return sp;
}

static int set_up(void **state)
{
	(void)state;
	memory = aligned_alloc(KERNEL_STACK_SZ, KERNEL_STACK_SZ);
	if (!memory)
		return -1;
	cfg.orc = 1;
	control.orc.regs_sz = REGS_SZ;
	control.orc.text = IP(0);
	control.orc.text_end = IP(1000);
	memset(memos_here, 0, sizeof(memos_here));
	memset(&scr, 0, sizeof(scr));
	say_all();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	forget_all();
	free(memory);
	return 0;
}

/* Fingerprints of one stack, by a walk; what it has remembered is found in the end. */
static u64 walked(u64 room)
{
	u64 sp = sleeper(room, IP(3), LOCALS), print = orc_fingerprint(sp, &scr);

	assert_int_equal(print & PRINT_FRAMES, FRAMES);
	/* The first of all tells where the others are remembered. */
	assert_int_equal(orc_fingerprint(sp, &scr), print);
	return print;
}

static void test_orc__walks_no_way_twice(void **state)
{
	u64 print = walked(0);

	(void)state;
	forget_all();
	assert_int_equal(orc_fingerprint(sleeper(0, IP(3), LOCALS), &scr), print);
}

static void test_orc__goes_over_the_random_room_of_a_system_call(void **state)
{
	u64 print = walked(0), room;

	(void)state;
	for (room = 16; room < 1024; room += 16)
		assert_int_equal(orc_fingerprint(sleeper(room, IP(3), LOCALS), &scr), print);
	forget_all();
	for (room = 0; room < 1024; room += 16)
		assert_int_equal(orc_fingerprint(sleeper(room, IP(3), LOCALS), &scr), print);
}

static void test_orc__walks_where_a_word_is_another(void **state)
{
	u64 print = walked(0), other = orc_fingerprint(sleeper(0, IP(7), LOCALS), &scr);

	(void)state;
	assert_int_equal(other & PRINT_FRAMES, FRAMES);
	assert_int_not_equal(other, print);
	assert_int_equal(orc_fingerprint(sleeper(0, IP(3), LOCALS), &scr), print);
	forget_all();
	assert_int_equal(orc_fingerprint(sleeper(0, IP(7), LOCALS), &scr), 0);
}

/* Nothing but the frame pointer of __schedule() says that its locals take more room. */
static void test_orc__walks_where_a_frame_is_larger(void **state)
{
	u64 print = walked(0), sp;

	(void)state;
	forget_all();
	sp = sleeper(0, IP(3), LOCALS);
	put(sp + INACTIVE_BP, *(u64 *)(sp + INACTIVE_BP) + 16);
	assert_int_equal(orc_fingerprint(sp, &scr), 0);
	assert_int_equal(orc_fingerprint(sleeper(0, IP(3), LOCALS), &scr), 0);
	say_all();
	assert_int_equal(orc_fingerprint(sleeper(0, IP(3), LOCALS), &scr), print);
}

/* Without a frame pointer on the way the same words at another depth are another stack. */
static void test_orc__walks_at_another_depth(void **state)
{
	u64 top = (u64)memory + KERNEL_STACK_SZ, sp = top - REGS_SZ - 16 - INACTIVE_SZ, print;
	u32 i;

	(void)state;
	say(IP(8), ORC_CALL, ORC_SP, 16, false);
	say(IP(4), ORC_REGS, ORC_SP, 0, false);
	memset(memory, 0, KERNEL_STACK_SZ);
	for (i = 0; i < 2; i++) {
		put(sp + INACTIVE_IP, IP(8));
		put(sp + INACTIVE_SZ + 8, IP(4));
		print = orc_fingerprint(sp, &scr);
		assert_int_equal(print & PRINT_FRAMES, i ? 0 : 2);
		sp -= 64;
	}
}

/* More words than a memo has: each time by a walk, and right. */
static void test_orc__walks_what_is_too_long_to_remember(void **state)
{
	u64 user = (u64)memory + KERNEL_STACK_SZ - REGS_SZ, sp = user - 16 * 25, print;
	u32 i;

	(void)state;
	memset(memory, 0, KERNEL_STACK_SZ);
	say(IP(8), ORC_CALL, ORC_SP, 16, false);
	for (i = 0; i < 25; i++)
		put(sp + 16 * i + 8, i < 24 ? IP(8) : IP(4));
	sp -= INACTIVE_SZ;
	put(sp + INACTIVE_IP, IP(8));
	print = orc_fingerprint(sp, &scr);
	assert_int_equal(print & PRINT_FRAMES, 26);
	assert_int_equal(orc_fingerprint(sp, &scr), print);
	forget_all();
	assert_int_equal(orc_fingerprint(sp, &scr), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_orc__walks_no_way_twice, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_orc__goes_over_the_random_room_of_a_system_call, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_orc__walks_where_a_word_is_another, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_orc__walks_where_a_frame_is_larger, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_orc__walks_at_another_depth, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_orc__walks_what_is_too_long_to_remember,
						set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
