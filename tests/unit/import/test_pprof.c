/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/import/imported.h"

/*
 * delay/nanoseconds and contentions/count; a sample of 7 us in 3 waits at main.main, which is in
 * [kernel] by its mapping if `kernel` is.
 */
/* clang-format off */
static const u8 small[] = {
	0x0a, 4, 8, 1, 16, 2, /* sample_type contentions/count */
	0x0a, 4, 8, 3, 16, 4, /* delay/nanoseconds */
	0x12, 8, 0x0a, 1, 1, 0x12, 3, 3, 0xd8, 0x36, /* sample: location 1, values 3, 7000 */
	0x22, 6, 8, 1, 0x22, 2, 8, 9, /* location 1: line of function 9 */
	0x2a, 4, 8, 9, 16, 5, /* function 9: name 5 */
	0x32, 0, /* strings */
	0x32, 3, 'c', 'o', 'n',
	0x32, 5, 'c', 'o', 'u', 'n', 't',
	0x32, 5, 'd', 'e', 'l', 'a', 'y',
	0x32, 11, 'n', 'a', 'n', 'o', 's', 'e', 'c', 'o', 'n', 'd', 's',
	0x32, 4, 'm', 'a', 'i', 'n',
	0x50, 0x90, 0x4e, /* duration_nanos 10000 */
};
/* clang-format on */

static void test_pprof__reads_contentions(void **state)
{
	struct profile *p = imported(view__of(small, sizeof(small)), test_options());

	(void)state;
	assert_int_equal(p->waits_len, 2);
	assert_wait(p, 1, (struct seen_wait){ "all threads", 0, 'S', -1, 7000, 0, 3, "main", "" });
	assert_int_equal(p->hdr.window_ns, 10000);
	assert_int_equal(p->hdr.unknown & (UNKNOWN_COUNTS | UNKNOWN_WINDOW | UNKNOWN_MIXED), 0);
	assert_int_equal(p->hdr.unknown & (UNKNOWN_LENGTHS | UNKNOWN_THREADS),
			 UNKNOWN_LENGTHS | UNKNOWN_THREADS);
	profile__free(p);
}

static void test_pprof__takes_the_values_that_are_asked_for(void **state)
{
	struct import_options opt = test_options();

	(void)state;
	opt.sample_type = "con";
	assert_refused(view__of(small, sizeof(small)), opt,
		       "'in.txt' has no time of waits of that --sample-type; its sample types: "
		       "con/count, delay/nanoseconds");
	opt.sample_type = "delay";
	profile__free(imported(view__of(small, sizeof(small)), opt));
}

static void test_pprof__refuses_ids_of_nothing(void **state)
{
	struct import_options opt = test_options();
	u8 bad[sizeof(small)];

	(void)state;
	memcpy(bad, small, sizeof(small));
	bad[16] = 2; /* the sample's location */
	assert_refused(view__of(bad, sizeof(bad)), opt,
		       "in.txt at byte 14: a location that the profile does not have");
	memcpy(bad, small, sizeof(small));
	bad[29] = 8; /* the line's function */
	assert_refused(view__of(bad, sizeof(bad)), opt,
		       "in.txt at byte 28: a function that the profile does not have");
}

/* Every prefix is a sound profile or an error, and so is every flipped byte. */
static void test_pprof__damaged_anywhere_is_sound_or_an_error(void **state)
{
	struct import_options opt = test_options();
	u8 bad[sizeof(small)];
	struct profile *p;
	size_t i;

	(void)state;
	opt.format = "pprof";
	for (i = 0; i < sizeof(small); i++) {
		if (!import_bytes(view__of(small, i), &opt, &p, NULL))
			profile__free(p);
		memcpy(bad, small, sizeof(small));
		bad[i] ^= 0xff;
		if (!import_bytes(view__of(bad, sizeof(bad)), &opt, &p, NULL))
			profile__free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pprof__reads_contentions),
		cmocka_unit_test(test_pprof__takes_the_values_that_are_asked_for),
		cmocka_unit_test(test_pprof__refuses_ids_of_nothing),
		cmocka_unit_test(test_pprof__damaged_anywhere_is_sound_or_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
