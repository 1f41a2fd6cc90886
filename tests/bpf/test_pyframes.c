/* SPDX-License-Identifier: Apache-2.0 */

/* The reader of Python frames, on a Python that this program pretends to be. */
#include "pyframes_load.h"

static struct cs_code_event news[64];
static size_t news_len;

static int take_news(void *ctx, void *data, size_t sz)
{
	(void)ctx;
	if (sz == sizeof(news[0]) && news_len < ARRAY_LEN(news))
		memcpy(&news[news_len++], data, sz);
	return 0;
}

static void read_news(struct pyframes *skel)
{
	struct ring_buffer *ring =
		ring_buffer__new(bpf_map__fd(skel->maps.events), take_news, NULL, NULL);

	assert_non_null(ring);
	assert_true(ring_buffer__consume(ring) >= 0);
	ring_buffer__free(ring);
}

/* "0 1 L 2 L": numbers of functions, and L for the loop. */
static void check(const struct pycall *call, const char *want)
{
	char got[1024] = "";
	size_t at = 0;
	u32 i;

	for (i = 0; i < call->len && at < sizeof(got) - 8; i++) {
		if (call->pc[i] & CS_PC_CODE)
			at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%u", i ? " " : "",
					       cs_pc_instr(call->pc[i]));
		else
			at += (size_t)snprintf(got + at, sizeof(got) - at, "%sL", i ? " " : "");
	}
	assert_string_equal(got, want);
}

static void test_frames__each_loop_runs_one_before_3_11(void **state)
{
	build(3);
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 3, 127, false), "0 L 1 L 2 L");
	/* more loops than frames: nothing is invented */
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 5, 127, false), "0 L 1 L 2 L L L");
}

static void test_frames__loop_ends_at_a_mark_in_3_11(void **state)
{
	build(4);
	world->frames[1].owner = 1;
	world->frames[3].owner = 1;
	check(walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false), "0 1 L 2 3 L");
}

static void test_frames__loop_ends_at_a_shim_since_3_12(void **state)
{
	build(5);
	world->frames[2].owner = 3;
	world->frames[2].code = NULL;
	world->frames[4].owner = 3;
	check(walk(*state, CS_PYTHON_ENTRY_SHIM, 2, 127, false), "0 1 L 3 L");
}

static void test_frames__mark_the_stack_as_private(void **state)
{
	struct pycall *call;

	build(1);
	call = walk(*state, CS_PYTHON_ENTRY_ALL, 1, 127, false);
	assert_int_equal(call->flags, CS_STACK_USER | CS_STACK_PRIVATE);
	world->state.frame = NULL;
	call = walk(*state, CS_PYTHON_ENTRY_ALL, 1, 127, false);
	check(call, "L");
	assert_int_equal(call->flags, CS_STACK_USER);
	assert_int_equal(stat_sum(*state, FAILED), 0);
}

static void test_frames__thread_state_is_found_in_any_slot(void **state)
{
	static struct state other, before;

	build(1);
	/* not a pointer, not a thread state, that of another thread */
	set_slot(0, (void *)12345);
	set_slot(1, world + 1);
	other = world->state;
	other.thread_id++;
	set_slot(2, &other);
	before = world->state;
	before.thread_id -= 8;
	before.frame = NULL;
	set_slot(3, &before);
	set_slot(17, &world->state);
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 1, 127, false), "0 L");
	/* the slot is remembered, but not believed */
	set_slot(17, NULL);
	set_slot(31, &world->state);
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 1, 127, false), "0 L");
	set_slot(31, NULL);
	set_slot(4, &world->state);
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 1, 127, false), "0 L");
	assert_int_equal(stat_sum(*state, NO_THREAD), 0);
}

static void test_frames__thread_without_a_state_is_counted(void **state)
{
	build(2);
	set_slot(2, NULL);
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 2, 127, false), "L L");
	assert_int_equal(stat_sum(*state, NO_THREAD), 1);
}

static void test_frames__other_code_is_left_alone(void **state)
{
	struct pyframes *skel = *state;
	u32 module = MODULE + 1;
	struct cs_python f = facts(CS_PYTHON_ENTRY_ALL);

	build(1);
	f.eval[0] = (struct cs_python_range){ 0x5000, 0x6000 };
	bpf_map_update_elem(bpf_map__fd(skel->maps.pythons), &module, &f, BPF_ANY);
	walk(skel, CS_PYTHON_ENTRY_ALL, 0, 127, false);
	skel->bss->pycall.loops = 1;
	for (module = MODULE + 1; module < MODULE + 3; module++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts);

		skel->bss->pycall.module = module;
		assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.walk_python),
							&opts),
				 0);
		check(&skel->bss->pycall, "L");
	}
}

static void test_frames__what_is_no_code_object_ends_them(void **state)
{
	build(3);
	world->codes[1].type++;
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 3, 127, false), "0 L L L");
	assert_int_equal(stat_sum(*state, FAILED), 1);
	build(3);
	world->frames[1].code = (const struct code *)(world + 1);
	world->frames[1].code = (const struct code *)((uintptr_t)world->frames[1].code & ~7UL);
	check(walk(*state, CS_PYTHON_ENTRY_ALL, 3, 127, false), "0 L L L");
	assert_int_equal(stat_sum(*state, FAILED), 2);
}

static void test_frames__wild_pointers_end_them(void **state)
{
	static const u64 wild[] = { 8, 0xffff888000000000ULL, ~7ULL, 0x7fffffffeff8ULL, 4099 };
	size_t i;

	for (i = 0; i < ARRAY_LEN(wild); i++) {
		build(2);
		world->frames[0].back = (const struct frame *)(uintptr_t)wild[i];
		check(walk(*state, CS_PYTHON_ENTRY_ALL, 2, 127, false), "0 L L");
		assert_int_equal(stat_sum(*state, FAILED), i + 1);
	}
}

static void test_frames__circle_ends_at_the_limit(void **state)
{
	struct pycall *call;

	build(1);
	world->frames[0].back = &world->frames[0];
	call = walk(*state, CS_PYTHON_ENTRY_MARK, 1, 127, false);
	assert_int_equal(call->len, 127);
	assert_true(call->pc[126] & CS_PC_CODE);
	call = walk(*state, CS_PYTHON_ENTRY_MARK, 1, CS_STACK_MAX, false);
	assert_int_equal(call->len, CS_STACK_MAX);
	call = walk(*state, CS_PYTHON_ENTRY_MARK, 1, 3, true);
	assert_int_equal(call->len, 3);
}

static void test_frames__sleeping_thread_is_read_alike(void **state)
{
	struct pycall *call, running;

	build(6);
	world->frames[2].owner = 3;
	world->frames[5].owner = 3;
	running = *walk(*state, CS_PYTHON_ENTRY_SHIM, 2, 127, false);
	call = walk(*state, CS_PYTHON_ENTRY_SHIM, 2, 127, true);
	assert_true(call->needs >= 2);
	check(call, "0 1 L 3 4 L");
	assert_memory_equal(call->pc, running.pc, sizeof(u64) * call->len);
	/* and unreadable memory ends them there too */
	world->frames[3].back = (const struct frame *)8192;
	call = walk(*state, CS_PYTHON_ENTRY_SHIM, 2, 127, true);
	check(call, "0 1 L 3 L");
	assert_int_equal(stat_sum(*state, FAILED), 1);
}

static void check_news(struct pyframes *skel, bool sleeping)
{
	struct pycall *call;

	build(2);
	call = walk(skel, CS_PYTHON_ENTRY_MARK, 1, 127, sleeping);
	check(call, "0 1 L");
	read_news(skel);
	assert_int_equal(news_len, 2);
	assert_int_equal(news[1].kind, CS_EVENT_CODE);
	assert_int_equal(news[1].tgid, 42);
	assert_true(news[1].image == 77);
	assert_true(news[1].code == cs_pc_code_addr(call->pc[1]));
	assert_int_equal(news[1].version, 3U << 8 | 12);
	assert_int_equal(news[1].first_line, 10);
	assert_int_equal(news[1].file_len, 7);
	assert_int_equal(news[1].file_char, 0);
	assert_memory_equal(news[1].file, "/a/b.py", 7);
	assert_int_equal(news[1].name_len, 2);
	assert_memory_equal(news[1].name, "f1", 2);
	assert_int_equal(news[1].lines_len, 3);
	assert_memory_equal(news[1].lines, "abc", 3);
	assert_true(news[1].lines_addr == (u64)(uintptr_t)world->lines.data);
	/* told once */
	walk(skel, CS_PYTHON_ENTRY_MARK, 1, 127, sleeping);
	read_news(skel);
	assert_int_equal(news_len, 2);
}

static void test_news__tell_a_function_once(void **state)
{
	check_news(*state, false);
}

static void test_news__of_a_sleeping_thread_too(void **state)
{
	check_news(*state, true);
}

static void test_news__used_again_memory_is_another_function(void **state)
{
	struct pyframes *skel = *state;
	u64 first;

	build(1);
	first = walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, false)->pc[0];
	set_ascii(&world->names[1], "other");
	world->codes[0].name = &world->names[1];
	assert_true(walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, false)->pc[0] != first);
	read_news(skel);
	assert_int_equal(news_len, 2);
	assert_memory_equal(news[1].name, "other", 5);
}

/* The number of function 0 after another so many ns. */
static u64 number_after(struct pyframes *skel, u64 ns)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	skel->bss->pycall.now_ns += ns;
	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.walk_python), &opts),
			 0);
	return skel->bss->pycall.pc[0];
}

/* A code object that is always the same is not read again for a hundredth of the time. */
static void test_frames__old_code_is_believed_for_a_moment(void **state)
{
	struct pyframes *skel = *state;
	u64 first;

	build(1);
	first = walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, false)->pc[0];
	for (u32 ms = 0; ms < 90; ms += 10)
		assert_true(number_after(skel, 10 * NSEC_PER_MSEC) == first);
	/* it is too young */
	world->codes[0].line++;
	assert_true(number_after(skel, 10000) != first);
	world->codes[0].line--;
	for (u32 ms = 0; ms < 110; ms += 10)
		assert_true(number_after(skel, 10 * NSEC_PER_MSEC) == first);
	/* and now it is not */
	world->codes[0].line++;
	assert_true(number_after(skel, 900000) == first);
	assert_true(skel->bss->pycall.flags & CS_STACK_PRIVATE);
	world->frames[0].globals++;
	assert_true(number_after(skel, 0) != first);
	world->frames[0].globals--;
	assert_true(number_after(skel, 300000) != first);
	/* for 10 ms at most */
	first = number_after(skel, 10 * NSEC_PER_MSEC);
	for (u32 ms = 0; ms < 2000; ms += 10)
		assert_true(number_after(skel, 10 * NSEC_PER_MSEC + 1) == first);
	world->codes[0].line++;
	assert_true(number_after(skel, 10 * NSEC_PER_MSEC) == first);
	assert_true(number_after(skel, 1) != first);
}

/* What happens to a code object in 20 ms is not known, so its time begins anew. */
static void test_frames__seldom_read_code_is_not_believed(void **state)
{
	struct pyframes *skel = *state;
	u64 first;

	build(1);
	first = walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, false)->pc[0];
	for (u32 ms = 0; ms < 2000; ms += 21)
		assert_true(number_after(skel, 21 * NSEC_PER_MSEC) == first);
	world->codes[0].line++;
	assert_true(number_after(skel, 10000) != first);
}

/* Frames that lie in a row are read together, and the first ones of a mapping alone. */
static void test_frames__window_does_not_reach_before_the_mapping(void **state)
{
	struct pyframes *skel = *state;
	char *mem =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct frame *at = (struct frame *)(mem + 4096);
	u32 i;

	assert_true(mem != MAP_FAILED);
	assert_int_equal(mprotect(mem, 4096, PROT_NONE), 0);
	build(8);
	for (i = 0; i < 8; i++) {
		at[7 - i] = world->frames[i];
		at[7 - i].back = i < 7 ? &at[6 - i] : NULL;
	}
	at[0].owner = 1;
	world->state.frame = &at[7];
	check(walk(skel, CS_PYTHON_ENTRY_MARK, 1, 127, false), "0 1 2 3 4 5 6 7 L");
	check(walk(skel, CS_PYTHON_ENTRY_MARK, 1, 127, true), "0 1 2 3 4 5 6 7 L");
	/* up against the end of a mapping */
	at = (struct frame *)(mem + 3 * 4096) - 2;
	at[0] = world->frames[1];
	at[0].back = NULL;
	at[0].owner = 1;
	at[1] = world->frames[0];
	at[1].back = &at[0];
	world->state.frame = &at[1];
	check(walk(skel, CS_PYTHON_ENTRY_MARK, 1, 127, false), "0 1 L");
	munmap(mem, 3 * 4096);
}

static void test_news__long_ones_are_cut_and_wide_ones_kept(void **state)
{
	struct pyframes *skel = *state;
	u8 *chars;
	u32 i;

	build(1);
	world->file.head.len = 300;
	chars = (u8 *)world->file.head.wide;
	for (i = 0; i < 300; i++)
		chars[i] = (u8)('a' + i % 26);
	world->names[0].head.state = 2U << 2 | 0x20;
	world->names[0].head.len = 3;
	memcpy(world->names[0].bytes, "\x01\x02\x03\x04\x05\x06", 6);
	world->lines.len = 3000;
	memset(world->lines.data, 0x5a, 3000);
	walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, false);
	read_news(skel);
	assert_int_equal(news_len, 1);
	assert_int_equal(news[0].file_len, 300);
	assert_memory_equal(news[0].file, chars + 300 - CS_CODE_NAME_SZ, CS_CODE_NAME_SZ);
	assert_int_equal(news[0].name_char, 2);
	assert_int_equal(news[0].name_len, 6);
	assert_memory_equal(news[0].name, "\x01\x02\x03\x04\x05\x06", 6);
	assert_int_equal(news[0].lines_len, 3000);
	assert_int_equal(news[0].lines[CS_CODE_LINES_SZ - 1], 0x5a);
}

static void test_news__without_what_cannot_be_read(void **state)
{
	struct pyframes *skel = *state;
	static const bool modes[] = { false, true };
	size_t i;

	for (i = 0; i < ARRAY_LEN(modes); i++) {
		build(1);
		news_len = 0;
		world->codes[0].line = (u32)i; /* another function each time */
		world->codes[0].file = (const struct text *)16384;
		world->names[0].head.len = 1UL << 40;
		world->codes[0].lines = (const struct bytes *)8192;
		check(walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, modes[i]), "0 L");
		read_news(skel);
		assert_int_equal(news_len, 1);
		assert_int_equal(news[0].file_len, 0);
		assert_int_equal(news[0].name_len, 0);
		assert_int_equal(news[0].lines_len, 0);
	}
	assert_int_equal(stat_sum(skel, FAILED), 0);
}

static void test_news__without_a_name_whose_end_is_missing(void **state)
{
	struct pyframes *skel = *state;
	char *end = (char *)world + ((sizeof(*world) + 4095) & ~4095UL);
	struct text *name = (struct text *)(end - offsetof(struct string, wide) - 8);

	build(1);
	memset(name, 0, offsetof(struct string, wide));
	name->head.state = 1U << 2 | 0x20 | 0x40;
	name->head.len = 30;
	world->codes[0].name = name;
	check(walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, false), "0 L");
	read_news(skel);
	assert_int_equal(news_len, 1);
	assert_int_equal(news[0].file_len, 7);
	assert_int_equal(news[0].name_len, 0);
	assert_int_equal(news[0].lines_len, 3);
}

static int setup_news(void **state)
{
	news_len = 0;
	return setup(state);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup_news, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_frames__each_loop_runs_one_before_3_11),
		T(test_frames__loop_ends_at_a_mark_in_3_11),
		T(test_frames__loop_ends_at_a_shim_since_3_12),
		T(test_frames__mark_the_stack_as_private),
		T(test_frames__thread_state_is_found_in_any_slot),
		T(test_frames__thread_without_a_state_is_counted),
		T(test_frames__other_code_is_left_alone),
		T(test_frames__what_is_no_code_object_ends_them),
		T(test_frames__wild_pointers_end_them),
		T(test_frames__circle_ends_at_the_limit),
		T(test_frames__sleeping_thread_is_read_alike),
		T(test_frames__old_code_is_believed_for_a_moment),
		T(test_frames__seldom_read_code_is_not_believed),
		T(test_frames__window_does_not_reach_before_the_mapping),
		T(test_news__tell_a_function_once),
		T(test_news__of_a_sleeping_thread_too),
		T(test_news__used_again_memory_is_another_function),
		T(test_news__long_ones_are_cut_and_wide_ones_kept),
		T(test_news__without_what_cannot_be_read),
		T(test_news__without_a_name_whose_end_is_missing),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("pyframes", tests, NULL, NULL);
}
