/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/import/imported.h"

#define HEAD "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
#define SHARED                                                                                     \
	"\"shared\":{\"frames\":[{\"name\":\"main\"},"                                             \
	"{\"name\":\"get\",\"file\":\"/usr/lib/python3.11/queue.py\",\"line\":171},"               \
	"{\"name\":\"futex_wait\",\"file\":\"[kernel]\"},"                                         \
	"{\"name\":\"work\",\"file\":\"w.c\",\"line\":7}]},"

/* Of one profile. */
static const char *file(const char *profile)
{
	static char text[4096];

	snprintf(text, sizeof(text), HEAD SHARED "\"profiles\":[%s]}", profile);
	return text;
}

static struct profile *speedscope(const char *text)
{
	return imported(view__of_str(text), test_options());
}

static void refused(const char *profile, const char *why)
{
	char message[256];

	snprintf(message, sizeof(message), "in.txt: profile 1%s", why);
	assert_refused(view__of_str(file(profile)), test_options(), message);
}

static void test_speedscope__reads_sampled_profiles(void **state)
{
	struct profile *p = speedscope(
		file("{\"type\":\"sampled\",\"name\":\"Thread 1\",\"unit\":\"milliseconds\","
		     "\"startValue\":0,\"endValue\":40,\"samples\":[[0,1],[0,2],[0,1],[],[0,3]],"
		     "\"weights\":[10,20.5,1,2,0]}"));

	(void)state;
	assert_int_equal(p->waits_len, 4);
	assert_wait(p, 1,
		    (struct seen_wait){ "Thread 1", 0, 'S', -1, 11000000, 0, 0,
					"main;queue.py:get:171", "" });
	assert_wait(p, 2,
		    (struct seen_wait){ "Thread 1", 0, 'S', -1, 20500000, 0, 0, "main",
					"futex_wait" });
	assert_wait(p, 3, (struct seen_wait){ "Thread 1", 0, 'S', -1, 2000000, 0, 0, "", "" });
	assert_int_equal(listed_ns(p), 33500000);
	assert_true(p->hdr.unknown & UNKNOWN_MIXED);
	profile__free(p);
}

static void test_speedscope__reads_evented_profiles(void **state)
{
	struct profile *p = speedscope(file(
		"{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"nanoseconds\","
		"\"startValue\":1700000000000000001,\"endValue\":1700000000000000101,\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":1700000000000000001},"
		"{\"type\":\"O\",\"frame\":3,\"at\":1700000000000000011},"
		"{\"type\":\"C\",\"frame\":3,\"at\":1700000000000000041},"
		"{\"type\":\"C\",\"frame\":0,\"at\":1700000000000000044},"
		"{\"type\":\"O\",\"frame\":3,\"at\":1700000000000000100},"
		"{\"type\":\"C\",\"frame\":3,\"at\":1700000000000000101}]}"));

	(void)state;
	assert_wait(p, 1, (struct seen_wait){ "t", 0, 'S', -1, 13, 0, 0, "main", "" });
	assert_wait(p, 2, (struct seen_wait){ "t", 0, 'S', -1, 30, 0, 0, "main;work", "" });
	assert_wait(p, 3, (struct seen_wait){ "t", 0, 'S', -1, 1, 0, 0, "work", "" });
	assert_string_equal(profile__str(p, p->frames[2].file), "w.c");
	assert_int_equal(p->frames[2].line, 7);
	profile__free(p);
}

/* A third of a us each, and three of them are a us. */
static void test_speedscope__rounds_the_time_and_not_each_weight(void **state)
{
	struct profile *p = speedscope(
		file("{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"microseconds\","
		     "\"samples\":[[0],[1],[2]],"
		     "\"weights\":[0.33333333333333,0.33333333333333,0.33333333333334]}"));

	(void)state;
	assert_int_equal(listed_ns(p), 1000);
	assert_int_equal(p->waits_len, 4);
	profile__free(p);
}

/* The parts by cause, behind the whole, are not added to it. */
static void test_speedscope__of_coldspot_is_its_first_profile(void **state)
{
	struct profile *p = speedscope(
		HEAD "\"exporter\":\"coldspot 1\"," SHARED "\"profiles\":["
		     "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"samples\":[[3,0]],"
		     "\"weights\":[5]},"
		     "{\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"samples\":[[3,0]],"
		     "\"weights\":[5]}]}");

	(void)state;
	assert_wait(p, 1, (struct seen_wait){ "work", 0, 'S', -1, 5, 0, 0, "main", "" });
	assert_int_equal(listed_ns(p), 5);
	assert_false(p->hdr.unknown & UNKNOWN_MIXED);
	profile__free(p);
}

static void test_speedscope__takes_counts_with_a_period(void **state)
{
	const char *counts = "{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"none\","
			     "\"samples\":[[0]],\"weights\":[3]}";
	struct import_options opt = test_options();
	struct profile *p;

	(void)state;
	refused(counts, ": it does not tell its unit: add --unit us, ns or ms, or samples and "
			"--period");
	opt.unit = IMPORT_UNIT_SAMPLES;
	opt.period_ns = 10000000;
	p = imported(view__of_str(file(counts)), opt);
	assert_int_equal(listed_ns(p), 30000000);
	profile__free(p);
	refused("{\"type\":\"sampled\",\"unit\":\"bytes\"}", ": its unit is no time");
}

#define NS "\"name\":\"t\",\"unit\":\"nanoseconds\","
#define EVENTED "{\"type\":\"evented\"," NS "\"events\":["
#define SAMPLED "{\"type\":\"sampled\"," NS "\"samples\":"

static void test_speedscope__says_where_it_is_wrong(void **state)
{
	(void)state;
	refused("{\"type\":\"x\"," NS "\"samples\":[]}", ": it is neither sampled nor evented");
	refused(SAMPLED "[[0]],\"weights\":[]}", ": samples and weights are not of one length");
	refused(SAMPLED "[[0],[4]],\"weights\":[1,1]}", ", sample 2: a frame that does not exist");
	refused(SAMPLED "[[-1]],\"weights\":[1]}", ", sample 1: a frame that does not exist");
	refused(SAMPLED "[7],\"weights\":[1]}", ", sample 1: not a stack");
	refused(SAMPLED "[[0]],\"weights\":[\"1\"]}", ", sample 1: the weight is no number");
	refused(SAMPLED "[[0],[0]],\"weights\":[5,-1]}", ", sample 2: time goes back");
	refused(SAMPLED "[[0]],\"weights\":[1e300]}",
		", sample 1: times add up to more than a number can hold");
	refused("{\"type\":\"evented\"," NS "\"x\":1}", ": no events");
	refused(EVENTED "{\"type\":\"O\",\"frame\":9,\"at\":1}]}",
		", event 1: a frame that does not exist");
	refused(EVENTED "{\"type\":\"O\",\"frame\":0}]}", ", event 1: it has no time");
	refused(EVENTED "{\"type\":\"Q\",\"frame\":0,\"at\":1}]}",
		", event 1: neither opens nor closes a frame");
	refused(EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":5},{\"type\":\"C\",\"frame\":0,"
			"\"at\":4}]}",
		", event 2: time goes back");
	refused(EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":5},{\"type\":\"C\",\"frame\":1,"
			"\"at\":6}]}",
		", event 2: closes a frame that is not the innermost");
	refused(EVENTED "{\"type\":\"O\",\"frame\":0,\"at\":5}]}", ": frames are open at its end");
	assert_refused(view__of_str(HEAD "\"profiles\":[]}"), test_options(),
		       "in.txt: no frames or no profiles: not a speedscope file");
	assert_refused(view__of_str(HEAD "\n\"profiles\":["), test_options(),
		       "in.txt:2: not JSON: ']' expected near end of file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speedscope__reads_sampled_profiles),
		cmocka_unit_test(test_speedscope__reads_evented_profiles),
		cmocka_unit_test(test_speedscope__rounds_the_time_and_not_each_weight),
		cmocka_unit_test(test_speedscope__of_coldspot_is_its_first_profile),
		cmocka_unit_test(test_speedscope__takes_counts_with_a_period),
		cmocka_unit_test(test_speedscope__says_where_it_is_wrong),
	};

	return cmocka_run_group_tests_name("speedscope", tests, NULL, NULL);
}
