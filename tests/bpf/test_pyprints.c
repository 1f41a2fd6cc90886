/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The print of Python frames, which stands for them where a stack is looked up: two chains with the
 * same print must be the same stack.
 */
#include "pyframes_load.h"

static u64 print_only(struct pyframes *skel)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.print_python), &opts),
			 0);
	assert_int_equal(opts.retval, 0);
	return skel->bss->pycall.print;
}

/* Everything of which a stack is made. */
static void test_print__changes_with_any_frame(void **state)
{
	u64 first, again;

	build(6);
	world->frames[2].owner = 1;
	world->frames[5].owner = 1;
	first = walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print;
	assert_true(first != 0);
	again = walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print;
	assert_true(again == first);
	for (u32 i = 0; i < 6; i++) {
		/* another instruction, another function there, the same one elsewhere, a loop */
		world->frames[i].instr++;
		assert_true(walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print != first);
		world->frames[i].instr--;
		world->codes[i].line++;
		assert_true(walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print != first);
		world->codes[i].line--;
		world->frames[i].code = &world->codes[7 - i];
		world->codes[7 - i].type = TYPE;
		assert_true(walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print != first);
		world->frames[i].code = &world->codes[i];
		world->frames[i].owner ^= 1;
		assert_true(walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print != first);
		world->frames[i].owner ^= 1;
	}
	again = walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print;
	assert_true(again == first);
	/* the address of the frame is not in it */
	world->frames[6] = world->frames[3];
	world->frames[2].back = &world->frames[6];
	again = walk(*state, CS_PYTHON_ENTRY_MARK, 2, 127, false)->print;
	assert_true(again == first);
}

static void test_print__is_none_where_a_walk_is_needed(void **state)
{
	struct pyframes *skel = *state;
	struct pycall *call;

	/* nothing is known of this program */
	build(2);
	call = walk(skel, CS_PYTHON_ENTRY_ALL, 2, 127, false);
	assert_int_equal(call->trail_len, 0);
	assert_true(call->print != 0);
	call->image++;
	assert_true(print_only(skel) == 0);
	call->image--;
	assert_true(print_only(skel) != 0);
	/* a function that was never reported */
	call->now_ns += NSEC_PER_SEC;
	world->codes[1].line++;
	assert_true(print_only(skel) == 0);
	call = walk(skel, CS_PYTHON_ENTRY_ALL, 2, 127, false);
	assert_true(print_only(skel) == call->print);
	/* what the walk counts, the print does not */
	world->frames[1].code = (const struct code *)8192;
	assert_true(print_only(skel) == 0);
	assert_int_equal(stat_sum(skel, FAILED), 0);
	call = walk(skel, CS_PYTHON_ENTRY_ALL, 2, 127, false);
	assert_int_equal(call->trail_len, 0xffff);
	assert_int_equal(stat_sum(skel, FAILED), 1);
	build(2);
	set_slot(2, NULL);
	assert_true(print_only(skel) == 0);
	assert_int_equal(stat_sum(skel, NO_THREAD), 0);
	call = walk(skel, CS_PYTHON_ENTRY_ALL, 2, 127, false);
	assert_int_equal(call->trail_len, 0xffff);
	/* no frame at all is a chain too */
	build(1);
	world->state.frame = NULL;
	assert_true(walk(skel, CS_PYTHON_ENTRY_ALL, 1, 127, false)->print != 0);
}

/* What is changed in a world: frames, links, functions and loops, among few values of each. */
static void change(u64 random)
{
	u32 i = random >> 8 & 7, j = random >> 16 & 7;

	switch (random & 7) {
	case 0:
	case 1:
		world->frames[i].back = j > i ? &world->frames[j] : NULL;
		break;
	case 2:
		world->frames[i].code = &world->codes[j];
		world->frames[i].instr = &world->codes[j].instr[random >> 24 & 3];
		break;
	case 3:
		world->frames[i].instr = &world->frames[i].code->instr[random >> 24 & 3];
		break;
	case 4:
		world->frames[i].owner = random >> 24 & 1;
		break;
	case 5:
		world->codes[i].line = random >> 24 & 1;
		break;
	case 6:
		world->state.frame = &world->frames[i & 3];
		break;
	default:
		build(8);
		break;
	}
}

/* Of all stacks seen so far, those with the same print are the same. */
static void test_print__is_never_that_of_another_stack(void **state)
{
	enum { SEEN = 4000 };
	struct seen {
		u64 print;
		u32 len;
		u64 pc[24];
	} *seen = calloc(SEEN, sizeof(*seen));
	u64 random = 88172645463325252ULL;
	u32 again = 0, others = 0, len = 0;

	build(8);
	for (u32 i = 0; i < SEEN; i++) {
		const struct pycall *call;
		u32 k;

		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		change(random);
		call = walk(*state, CS_PYTHON_ENTRY_MARK, 6, 20, false);
		assert_true(call->print != 0);
		for (k = 0; k < len && seen[k].print != call->print; k++)
			;
		if (k < len) {
			assert_int_equal(call->len, seen[k].len);
			assert_memory_equal(call->pc, seen[k].pc, sizeof(u64) * call->len);
			again++;
			continue;
		}
		seen[len].print = call->print;
		seen[len].len = call->len;
		memcpy(seen[len++].pc, call->pc, sizeof(u64) * call->len);
		others++;
	}
	free(seen);
	assert_true(again > 300);
	assert_true(others > 300);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_print__changes_with_any_frame),
		T(test_print__is_none_where_a_walk_is_needed),
		T(test_print__is_never_that_of_another_stack),
	};

	if (geteuid()) {
		printf("1..0 # SKIP needs root: BPF programs are loaded\n");
		return 0;
	}
	return cmocka_run_group_tests_name("pyprints", tests, NULL, NULL);
}
