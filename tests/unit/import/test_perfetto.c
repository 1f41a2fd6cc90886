/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/import/imported.h"

/* As protoc encodes it; tests/cli/import_perfetto.t has traces in words. */
/* clang-format off */
static const u8 small[] = {
	/* packet: track 5 is of thread 7 of process 6 */
	0x0a, 0x0d, 0x50, 0x01, 0xe2, 0x03, 0x08, 0x08, 0x05, 0x22, 0x04, 0x08,
	0x06, 0x10, 0x07,
	/* packet: stack 9, main > read */
	0x0a, 0x2e, 0x50, 0x01, 0x68, 0x01, 0x62, 0x28, 0x2a, 0x08, 0x08, 0x01,
	0x12, 0x04, 0x6d, 0x61, 0x69, 0x6e, 0x2a, 0x08, 0x08, 0x02, 0x12, 0x04,
	0x72, 0x65, 0x61, 0x64, 0x32, 0x04, 0x08, 0x01, 0x10, 0x01, 0x32, 0x04,
	0x08, 0x02, 0x10, 0x02, 0x3a, 0x06, 0x08, 0x09, 0x10, 0x01, 0x10, 0x02,
	/* packet: a slice of track 5 ends at 1010 with stack 9 */
	0x0a, 0x0e, 0x50, 0x01, 0x40, 0xf2, 0x07, 0x5a, 0x07, 0x48, 0x02, 0x58,
	0x05, 0xc0, 0x03, 0x09,
	/* packet, CPU 0: a runs from 1000, sleeps at 1010, wakes at 1030, runs at 1031 */
	0x0a, 0x47, 0x0a, 0x45, 0x08, 0x00, 0x12, 0x10, 0x08, 0xe8, 0x07, 0x22,
	0x0b, 0x0a, 0x00, 0x10, 0x00, 0x20, 0x00, 0x2a, 0x01, 0x61, 0x30, 0x07,
	0x12, 0x10, 0x08, 0xf2, 0x07, 0x22, 0x0b, 0x0a, 0x01, 0x61, 0x10, 0x07,
	0x20, 0x01, 0x2a, 0x00, 0x30, 0x00, 0x12, 0x0b, 0x08, 0x86, 0x08, 0xa2,
	0x01, 0x05, 0x0a, 0x01, 0x61, 0x10, 0x07, 0x12, 0x10, 0x08, 0x87, 0x08,
	0x22, 0x0b, 0x0a, 0x00, 0x10, 0x00, 0x20, 0x00, 0x2a, 0x01, 0x61, 0x30,
	0x07,
	/* packet, columns of CPU 1: b runs, sleeps (D) from 1003, wakes at 1020, runs at 1025 */
	0x0a, 0x2a, 0x0a, 0x28, 0x08, 0x01, 0x22, 0x24, 0x2a, 0x01, 0x62, 0x2a,
	0x00, 0x0a, 0x04, 0xe9, 0x07, 0x02, 0x16, 0x12, 0x03, 0x00, 0x02, 0x00,
	0x1a, 0x03, 0x08, 0x00, 0x08, 0x32, 0x03, 0x00, 0x01, 0x00, 0x3a, 0x02,
	0xfc, 0x07, 0x42, 0x01, 0x08, 0x5a, 0x01, 0x00,
};
/* clang-format on */

static const struct profile_task *task_of(const struct profile *p, u32 tid)
{
	for (u32 i = 1; i < p->tasks_len; i++) {
		if (p->tasks[i].tid == tid)
			return &p->tasks[i];
	}
	fail_msg("no thread %u", tid);
	return NULL;
}

static void test_perfetto__gives_exact_times(void **state)
{
	struct profile *p = imported(view__of(small, sizeof(small)), test_options());
	const struct profile_task *a = task_of(p, 7), *b = task_of(p, 8);

	(void)state;
	assert_int_equal(p->hdr.window_ns, 31);
	assert_int_equal(a->tgid, 6);
	assert_int_equal(a->on_ns, 10);
	assert_int_equal(a->blocked_ns[1], 20);
	assert_int_equal(a->runq_ns, 1);
	assert_int_equal(b->on_ns, 2 + 6);
	assert_int_equal(b->blocked_ns[2], 17);
	assert_int_equal(b->runq_ns, 5);
	assert_string_equal(profile__str(p, b->comm), "b");
	profile__free(p);
}

static void test_perfetto__has_the_stack_of_a_slices_end(void **state)
{
	struct profile *p = imported(view__of(small, sizeof(small)), test_options());

	(void)state;
	assert_int_equal(p->waits_len, 3);
	assert_wait(p, 1, (struct seen_wait){ "b", 8, 'D', -1, 17, 5, 1, "", "" });
	assert_wait(p, 2, (struct seen_wait){ "a", 7, 'S', -1, 20, 1, 1, "main;read", "" });
	profile__free(p);
}

/* Every prefix is a sound profile or an error, and so is every changed byte. */
static void test_perfetto__damaged_anywhere_is_sound_or_an_error(void **state)
{
	struct import_options opt = test_options();
	u8 bad[sizeof(small)];
	struct profile *p;

	(void)state;
	opt.format = "perfetto";
	for (size_t i = 0; i < sizeof(small); i++) {
		if (!import_bytes(view__of(small, i), &opt, &p, NULL))
			profile__free(p);
		memcpy(bad, small, sizeof(small));
		bad[i] ^= 0xff;
		if (!import_bytes(view__of(bad, sizeof(bad)), &opt, &p, NULL))
			profile__free(p);
	}
}

static void test_perfetto__refuses_with_the_byte(void **state)
{
	const u8 nothing[] = { 0x0a, 2, 0x50, 1 };
	struct import_options opt = test_options();

	(void)state;
	assert_refused(view__of(small, sizeof(small) - 1), test_options(),
		       "in.txt at byte 152: a packet that is damaged or cut short");
	opt.format = "perfetto";
	assert_refused(view__of_str("<svg version=\"1.1\">"), opt,
		       "'in.txt' is no Perfetto trace: it does not begin with a whole packet");
	assert_refused(view__of(nothing, sizeof(nothing)), test_options(),
		       "'in.txt' has no switches of the scheduler: record sched/sched_switch and "
		       "sched/sched_waking (data source linux.ftrace), or with wprof");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perfetto__gives_exact_times),
		cmocka_unit_test(test_perfetto__has_the_stack_of_a_slices_end),
		cmocka_unit_test(test_perfetto__damaged_anywhere_is_sound_or_an_error),
		cmocka_unit_test(test_perfetto__refuses_with_the_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
