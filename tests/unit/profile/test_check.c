/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/mem.h"
#include "unit/profile/sample.h"

/* Breaks the frozen sample in one way. */
typedef void (*break_fn)(struct profile *p);

struct fault {
	break_fn break_it;
	const char *sentence;
};

static void assert_faults(const struct fault *faults, size_t cnt)
{
	struct profile *p;
	struct err err;
	size_t i;

	for (i = 0; i < cnt; i++) {
		p = sample_profile(0);
		assert_non_null(p);
		assert_int_equal(profile__check(p, NULL), 0);
		faults[i].break_it(p);
		err = (struct err){ 0 };
		assert_int_equal(profile__check(p, &err), -EINVAL);
		assert_string_equal(err.msg, faults[i].sentence);
		profile__free(p);
	}
}

static void test_profile__check_accepts_what_a_builder_made(void **state)
{
	struct profile *whole = sample_profile(0), *filtered = sample_profile(1);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(profile__check(whole, &err), 0);
	assert_int_equal(profile__check(filtered, &err), 0);
	assert_int_equal(err.code, 0);
	profile__free(whole);
	profile__free(filtered);
}

static void no_frames(struct profile *p)
{
	p->frames_len = 0;
}

static void no_waits(struct profile *p)
{
	mem_free(p->waits);
	p->waits = NULL;
}

static void zero_module(struct profile *p)
{
	p->modules[0].ino = 1;
}

static void zero_frame(struct profile *p)
{
	*(u8 *)&p->frames[0] = 1;
}

static void zero_stack(struct profile *p)
{
	p->stacks[0].flags = 1;
}

static void zero_task(struct profile *p)
{
	p->tasks[0].migrations = 1;
}

static void zero_wait(struct profile *p)
{
	p->waits[0].hist[31] = 1;
}

static void no_strings(struct profile *p)
{
	strtab__done(&p->strings);
}

static void test_profile__check_wants_zero_elements(void **state)
{
	static const struct fault faults[] = {
		{ no_frames, "there is no array of frames" },
		{ no_waits, "there is no array of waits" },
		{ zero_module, "element 0 of the modules is not zero" },
		{ zero_frame, "element 0 of the frames is not zero" },
		{ zero_stack, "element 0 of the stacks is not zero" },
		{ zero_task, "element 0 of the tasks is not zero" },
		{ zero_wait, "element 0 of the waits is not zero" },
		{ no_strings, "string 0 is not empty" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

static void test_profile__check_looks_at_every_string_of_the_header(void **state)
{
	struct profile *p = sample_profile(0);
	struct err err = { 0 };
	u32 *strings = (u32 *)&p->hdr, keep, i;

	(void)state;
	/* host to hooks are the first seven */
	assert_int_equal(offsetof(struct profile_header, hooks), 6 * sizeof(u32));
	for (i = 0; i < 7; i++) {
		keep = strings[i];
		strings[i] = strtab__len(&p->strings);
		assert_int_equal(profile__check(p, &err), -EINVAL);
		assert_string_equal(err.msg, "the header has a string that does not exist");
		strings[i] = keep;
		assert_int_equal(profile__check(p, NULL), 0);
	}
	profile__free(p);
}

static void header_filtered(struct profile *p)
{
	p->hdr.filtered = 2;
}

static void header_sides(struct profile *p)
{
	p->hdr.sides = 4;
}

static void module_kind(struct profile *p)
{
	p->modules[1].kind = MODULE_NOTE + 1;
}

static void module_build_id(struct profile *p)
{
	p->modules[1].build_id = 1000;
}

static void test_profile__check_finds_faults_of_header_and_modules(void **state)
{
	static const struct fault faults[] = {
		{ header_filtered, "the header has an unknown flag" },
		{ header_sides, "the header has an unknown flag" },
		{ module_kind, "module 1 is of unknown kind 7" },
		{ module_build_id, "module 1 has a string that does not exist" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

static void frame_module(struct profile *p)
{
	p->frames[2].module = 2;
}

static void frame_name(struct profile *p)
{
	p->frames[2].name = 1000;
}

static void frame_flags(struct profile *p)
{
	p->frames[2].flags = 16;
}

static void frame_reason(struct profile *p)
{
	p->frames[2].reason = FRAME_REASON_CNT;
}

static void frame_named_without_name(struct profile *p)
{
	p->frames[2].reason = FRAME_NAMED;
}

static void frame_name_and_reason(struct profile *p)
{
	p->frames[3].name = 1;
}

static void stack_self(struct profile *p)
{
	p->stacks[2].parent = 2;
}

static void stack_forward(struct profile *p)
{
	p->stacks[1].parent = UINT32_MAX;
}

static void stack_frame(struct profile *p)
{
	p->stacks[2].frame = 4;
}

static void stack_no_frame(struct profile *p)
{
	p->stacks[2].frame = 0;
}

static void stack_depth(struct profile *p)
{
	p->stacks[3].depth = 3;
}

static void stack_flags(struct profile *p)
{
	p->stacks[3].flags = 4;
}

static void test_profile__check_finds_faults_of_frames_and_stacks(void **state)
{
	static const struct fault faults[] = {
		{ frame_module, "frame 2 is in module 2 of 2" },
		{ frame_name, "frame 2 has a name that does not exist" },
		{ frame_flags, "frame 2 has an unknown flag or reason" },
		{ frame_reason, "frame 2 has an unknown flag or reason" },
		{ frame_named_without_name,
		  "frame 2 has a name and a reason for none, or neither" },
		{ frame_name_and_reason, "frame 3 has a name and a reason for none, or neither" },
		{ stack_self, "stack 2 comes before its parent 2" },
		{ stack_forward, "stack 1 comes before its parent 4294967295" },
		{ stack_frame, "stack 2 has frame 4 of 4" },
		{ stack_no_frame, "stack 2 has frame 0 of 4" },
		{ stack_depth, "stack 3 is 3 deep, its parent 1" },
		{ stack_flags, "stack 3 has an unknown flag" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

static void task_comm(struct profile *p)
{
	p->tasks[1].comm = 1000;
}

static void task_flags(struct profile *p)
{
	p->tasks[1].flags = 16;
}

static void task_cgroup(struct profile *p)
{
	p->tasks[1].cgroup = 1 << 30;
}

static void task_one_ns_more(struct profile *p)
{
	p->tasks[1].on_ns++;
}

static void task_one_ns_less(struct profile *p)
{
	p->tasks[1].unaccounted_ns--;
}

static void task_first_state(struct profile *p)
{
	p->tasks[1].blocked_ns[0]++;
}

static void task_other_state(struct profile *p)
{
	p->tasks[1].blocked_ns[8]++;
}

static void task_last(struct profile *p)
{
	p->tasks[3].wall_ns--;
}

/* The parts come to 2^64 + 1000: equal to the wall time in 64 bits. */
static void task_overflow(struct profile *p)
{
	p->tasks[1].on_ns += 1ULL << 63;
	p->tasks[1].unaccounted_ns += 1ULL << 63;
}

static void test_profile__check_holds_the_identity_to_the_nanosecond(void **state)
{
	static const struct fault faults[] = {
		{ task_comm, "task 1 has a string that does not exist" },
		{ task_flags, "task 1 has an unknown flag" },
		{ task_cgroup, "task 1 has a string that does not exist" },
		{ task_one_ns_more, "task 1 (tid 11) has 1001 ns in its parts, 1000 ns in all" },
		{ task_one_ns_less, "task 1 (tid 11) has 999 ns in its parts, 1000 ns in all" },
		{ task_first_state, "task 1 (tid 11) has 1001 ns in its parts, 1000 ns in all" },
		{ task_other_state, "task 1 (tid 11) has 1001 ns in its parts, 1000 ns in all" },
		{ task_last, "task 3 (tid 12) has 400 ns in its parts, 399 ns in all" },
		{ task_overflow, "the parts of task 1 overflow" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

static void wait_task(struct profile *p)
{
	p->waits[1].task = 4;
}

static void wait_ustack(struct profile *p)
{
	p->waits[1].ustack = 4;
}

static void wait_kstack(struct profile *p)
{
	p->waits[1].kstack = 4;
}

static void wait_state(struct profile *p)
{
	p->waits[1].state = 9;
}

static void wait_sysno(struct profile *p)
{
	p->waits[1].sysno = -2;
}

static void wait_flags(struct profile *p)
{
	p->waits[1].flags = 256;
}

static void wait_max(struct profile *p)
{
	p->waits[1].max_ns = 501;
}

static void wait_count(struct profile *p)
{
	p->waits[1].count = 4;
}

static void wait_hist(struct profile *p)
{
	p->waits[1].hist[31]++;
}

static void wait_rest_counts(struct profile *p)
{
	p->waits[5].count = 1;
	p->waits[5].hist[0] = 1;
}

static void test_profile__check_finds_faults_of_waits(void **state)
{
	static const struct fault faults[] = {
		{ wait_task, "wait 1 has a thread that does not exist" },
		{ wait_ustack, "wait 1 has a stack that does not exist" },
		{ wait_kstack, "wait 1 has a stack that does not exist" },
		{ wait_state, "wait 1 has a state that does not exist" },
		{ wait_sysno, "wait 1 has a system call that does not exist" },
		{ wait_flags, "wait 1 has a flag that does not exist" },
		{ wait_max, "the longest of wait 1 exceeds its sum" },
		{ wait_count, "wait 1 counts 4, its histogram 3" },
		{ wait_hist, "wait 1 counts 3, its histogram 4" },
		{ wait_rest_counts, "wait 5 is a rest and yet knows lengths" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

static void wait_summed(struct profile *p)
{
	p->waits[1].flags |= WAIT_SUMMED;
}

static void unknown_of_a_recording(struct profile *p)
{
	p->hdr.unknown = UNKNOWN_ON_CPU;
}

static void unknown_of_a_newer_version(struct profile *p)
{
	p->hdr.source = p->hdr.target;
	p->hdr.unknown = 1U << UNKNOWN_BITS;
}

static void source_nowhere(struct profile *p)
{
	p->hdr.source = ~0U;
}

static void test_profile__check_finds_faults_of_imports(void **state)
{
	static const struct fault faults[] = {
		{ wait_summed, "wait 1 is a rest and yet knows lengths" },
		{ unknown_of_a_recording, "the header lacks what no import or sum lacks" },
		{ unknown_of_a_newer_version, "the header lacks what no import or sum lacks" },
		{ source_nowhere, "the header has a string that does not exist" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

static void listed_less(struct profile *p)
{
	p->waits[5].blocked_ns--;
}

static void listed_more(struct profile *p)
{
	p->waits[5].blocked_ns++;
}

static void listed_runq_less(struct profile *p)
{
	p->waits[5].runq_ns--;
}

/* Time of another state that the identity holds with, and that is in no wait. */
static void listed_first_state(struct profile *p)
{
	p->tasks[1].blocked_ns[0] += 4;
	p->tasks[1].on_ns -= 4;
}

static void listed_none(struct profile *p)
{
	p->waits[3].task = 0;
}

static void listed_overflow(struct profile *p)
{
	p->waits[1].blocked_ns = ~0ULL;
	p->waits[2].blocked_ns = 641;
}

static void test_profile__check_wants_the_list_to_equal_the_totals(void **state)
{
	static const struct fault faults[] = {
		{ listed_less, "the waits of task 1 (tid 11) list 639 ns blocked, its totals have "
			       "640 ns" },
		{ listed_more, "the waits of task 1 (tid 11) list 641 ns blocked, its totals have "
			       "640 ns" },
		{ listed_runq_less, "the waits of task 1 (tid 11) list 149 ns waiting for a CPU, "
				    "its totals have 150 ns" },
		{ listed_first_state, "the waits of task 1 (tid 11) list 640 ns blocked, its "
				      "totals have 644 ns" },
		{ listed_none, "the waits of task 2 (tid 12) list 0 ns blocked, its totals have "
			       "300 ns" },
		{ listed_overflow, "the waits of task 1 overflow" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

static void test_profile__check_lets_a_filter_list_less_but_not_more(void **state)
{
	struct profile *p = sample_profile(1);
	struct err err = { 0 };

	(void)state;
	/* the sample lists 540 of 640 ns blocked and 120 of 150 ns for a CPU */
	p->waits[1].blocked_ns += 100;
	p->waits[1].runq_ns += 30;
	assert_int_equal(profile__check(p, NULL), 0);
	p->waits[1].runq_ns++;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	assert_string_equal(err.msg, "the waits of task 1 (tid 11) list 151 ns waiting for a CPU, "
				     "its totals have 150 ns");
	profile__free(p);
}

static void test_profile__check_has_no_totals_for_orphans(void **state)
{
	struct profile *p = sample_profile(0);

	(void)state;
	assert_int_equal(p->waits[4].task, 0);
	p->waits[4].blocked_ns *= 2;
	assert_int_equal(profile__check(p, NULL), 0);
	profile__free(p);
}

static void sampled(struct profile *p)
{
	p->hdr.period_min_ns = p->hdr.period_ns = 3000;
	p->hdr.period_max_ns = p->hdr.period_sum_ns = 3000;
}

static void wait_samples_less(struct profile *p)
{
	p->waits[1].samples = 2;
}

static void wait_samples_more(struct profile *p)
{
	sampled(p);
	p->waits[1].samples = 4;
}

static void wait_samples_none(struct profile *p)
{
	sampled(p);
	p->waits[1].samples = 0;
}

static void wait_variance_exact(struct profile *p)
{
	p->waits[1].var_us2 = 1;
}

static void wait_variance(struct profile *p)
{
	sampled(p);
	p->waits[1].var_us2 = 3 * 4 * 9 + 1;
}

static void period_min(struct profile *p)
{
	sampled(p);
	p->hdr.period_min_ns = 3001;
}

static void period_max(struct profile *p)
{
	sampled(p);
	p->hdr.period_max_ns = 2999;
}

static void period_sum(struct profile *p)
{
	sampled(p);
	p->hdr.period_sum_ns = 2999;
}

static void test_profile__check_finds_faults_of_samples(void **state)
{
	static const struct fault faults[] = {
		{ wait_samples_less, "wait 1 counts 3 with 2 samples" },
		{ wait_samples_more, "wait 1 counts 3 with 4 samples" },
		{ wait_samples_none, "wait 1 counts 3 with 0 samples" },
		{ wait_variance, "the variance of wait 1 is too large" },
		{ wait_variance_exact, "the variance of wait 1 is too large" },
		{ period_min, "the periods of the header contradict each other" },
		{ period_max, "the periods of the header contradict each other" },
		{ period_sum, "the periods of the header contradict each other" },
	};

	(void)state;
	assert_faults(faults, ARRAY_LEN(faults));
}

/* Blocked and run queue time of task 1 are 640 and 150 ns: how they are split is not bound. */
static void test_profile__check_wants_a_sampled_list_to_be_near_the_totals(void **state)
{
	struct profile *p = sample_profile(0);
	struct err err = { 0 };

	(void)state;
	sampled(p);
	p->waits[1].blocked_ns += 3090;
	p->waits[5].runq_ns = 0;
	p->waits[1].runq_ns -= 60;
	assert_int_equal(profile__check(p, &err), 0);
	p->waits[1].blocked_ns++;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	assert_string_equal(err.msg, "the waits of task 1 (tid 11) list 3791 ns, its totals have "
				     "790 ns: sampling explains 3000 ns");
	p->hdr.period_min_ns = p->hdr.period_ns = p->hdr.period_max_ns = 10;
	p->hdr.period_sum_ns = 100;
	p->waits[1].blocked_ns = 480;
	assert_int_equal(p->waits[2].blocked_ns + p->waits[5].blocked_ns, 200);
	p->waits[1].blocked_ns -= 50;
	assert_int_equal(profile__check(p, &err), 0);
	p->waits[1].blocked_ns--;
	assert_int_equal(profile__check(p, &err), -EINVAL);
	p->hdr.filtered = 1;
	assert_int_equal(profile__check(p, &err), 0);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_profile__check_accepts_what_a_builder_made),
		cmocka_unit_test(test_profile__check_wants_zero_elements),
		cmocka_unit_test(test_profile__check_looks_at_every_string_of_the_header),
		cmocka_unit_test(test_profile__check_finds_faults_of_header_and_modules),
		cmocka_unit_test(test_profile__check_finds_faults_of_frames_and_stacks),
		cmocka_unit_test(test_profile__check_holds_the_identity_to_the_nanosecond),
		cmocka_unit_test(test_profile__check_finds_faults_of_waits),
		cmocka_unit_test(test_profile__check_finds_faults_of_imports),
		cmocka_unit_test(test_profile__check_wants_the_list_to_equal_the_totals),
		cmocka_unit_test(test_profile__check_lets_a_filter_list_less_but_not_more),
		cmocka_unit_test(test_profile__check_has_no_totals_for_orphans),
		cmocka_unit_test(test_profile__check_finds_faults_of_samples),
		cmocka_unit_test(test_profile__check_wants_a_sampled_list_to_be_near_the_totals),
	};

	return cmocka_run_group_tests_name("profile/check", tests, NULL, NULL);
}
