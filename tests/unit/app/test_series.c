/* SPDX-License-Identifier: Apache-2.0 */
/* Where the windows of a recording go. They come from the test, and so does the recorder. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lit.h"

#define live__init fake_live_init
#define live__source fake_live_source
#define recording_file_add fake_recording_file_add
#define recorder__finish fake_recorder_finish
#include "app/series.c"

#define S NSEC_PER_SEC

static const char *const windows[] = {
	"arch x86_64\nsides user kernel\nwindow 1s\nbegin_wall 1790000000000000000\n"
	"task 10/10 web group=web on=1s\n",
	"arch x86_64\nsides user kernel\nwindow 1s\nbegin_wall 1790000001000000000\n"
	"task 10/10 web group=web on=400ms\n  wait S sys=futex blocked=600ms\n    u main\n",
};

static u32 given, kept, finished, ended;
static u32 breaks_at; /* the source fails in place of this window; 0: never */
static bool given_breaks = true; /* or the one who takes it does */
static u32 full_at; /* the recorder refuses this window */

static int give(void *arg, struct profile **ret, struct err *err)
{
	(void)arg;
	if (given_breaks && given + 1 == breaks_at)
		return err__set(err, -EIO, "the ring is broken");
	if (given == ARRAY_LEN(windows))
		return 0;
	*ret = lit(windows[given++]);
	return 1;
}

void live__init(struct live *l, struct session *s, const struct run_options *run, u64 every_ns,
		bool align)
{
	(void)s;
	(void)run;
	*l = (struct live){ .every_ns = every_ns, .align = align };
}

struct profile_source live__source(struct live *l)
{
	assert_int_equal(l->every_ns, S);
	assert_true(l->align);
	return (struct profile_source){ give, NULL };
}

int recording_file_add(struct recorder *rec, const struct profile *p, struct cause_memo *memo,
		       struct err *err)
{
	assert_non_null(rec);
	assert_ptr_equal(memo->p, p);
	/* each before the next one comes */
	assert_int_equal(++kept, given);
	return kept == full_at ? err__set(err, -ENOSPC, "the disk is full") : 0;
}

int recorder__finish(struct recorder *rec, struct err *err)
{
	(void)rec;
	(void)err;
	finished++;
	return 0;
}

static void note_end(void *arg)
{
	(void)arg;
	ended++;
}

static int setup(void **state)
{
	(void)state;
	given = kept = finished = ended = breaks_at = full_at = 0;
	return 0;
}

/* `rec`: anything but NULL is a recorder. */
static int run(void *rec, bool apart, struct profile **ret, struct err *err)
{
	const struct run_watcher watcher = { .ended = note_end };
	const struct run_options opt = { .watcher = &watcher };
	const struct series series = {
		.every_ns = S, .align = true, .recorder = rec, .apart = apart
	};
	int r = series_record(&series, NULL, &opt, ret, err);

	assert_int_equal(ended, 1);
	return r;
}

static void test_windows_are_kept_and_merged(void **state)
{
	struct profile_budget b;
	struct profile *p;
	struct err err;

	(void)state;
	assert_int_equal(run(&given, false, &p, &err), 0);
	assert_int_equal(kept, 2);
	assert_int_equal(finished, 1);
	assert_int_equal(profile__budget(p, &b), 0);
	assert_true(b.on_ns == S + 400 * NSEC_PER_MSEC);
	assert_true(b.listed_blocked_ns == 600 * NSEC_PER_MSEC);
	profile__free(p);
}

static void test_windows_need_no_recorder(void **state)
{
	struct profile *p;
	struct err err;

	(void)state;
	assert_int_equal(run(NULL, false, &p, &err), 0);
	assert_int_equal(kept + finished, 0);
	assert_int_equal(p->hdr.windows, 2);
	profile__free(p);
}

static void test_windows_apart_become_nothing(void **state)
{
	struct profile *p;
	struct err err;

	(void)state;
	assert_int_equal(run(&given, true, &p, &err), 0);
	assert_null(p);
	assert_int_equal(kept, 2);
	assert_int_equal(finished, 1);
}

static u32 seen;

static int see(void *arg, struct profile *p, struct err *err)
{
	assert_ptr_equal(arg, &seen);
	/* the recorder has it, and the next one has not come */
	assert_int_equal(++seen, given);
	assert_int_equal(kept, given);
	profile__free(p);
	return seen == breaks_at ? err__set(err, -ENOMEM, "no memory") : 0;
}

static void test_each_window_is_handed_on(void **state)
{
	const struct run_watcher watcher = { .ended = note_end };
	const struct run_options opt = { .watcher = &watcher };
	const struct series series = {
		.every_ns = S,
		.align = true,
		.recorder = (void *)&given,
		.apart = true,
		.each = see,
		.each_arg = &seen,
	};
	struct profile *p;
	struct err err;

	(void)state;
	seen = 0;
	assert_int_equal(series_record(&series, NULL, &opt, &p, &err), 0);
	assert_null(p);
	assert_int_equal(seen, 2);
	assert_int_equal(finished, 1);
	given = kept = seen = finished = 0;
	breaks_at = 1;
	full_at = 0;
	given_breaks = false;
	assert_int_equal(series_record(&series, NULL, &opt, &p, &err), -ENOMEM);
	given_breaks = true;
	assert_int_equal(seen, 1);
	assert_int_equal(finished, 0);
}

/* What was over before is in the recording, which is left as if we had been killed. */
static void test_an_error_ends_it(void **state)
{
	struct profile *p;
	struct err err;

	for (int apart = 0; apart < 2; apart++) {
		setup(state);
		breaks_at = 2;
		assert_int_equal(run(&given, apart, &p, &err), -EIO);
		assert_null(p);
		assert_int_equal(kept, 1);
		assert_int_equal(finished, 0);
		setup(state);
		full_at = 1;
		assert_int_equal(run(&given, apart, &p, &err), -ENOSPC);
		assert_string_equal(err.msg, "the disk is full");
		assert_null(p);
		assert_int_equal(given, 1);
		assert_int_equal(finished, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_windows_are_kept_and_merged, setup),
		cmocka_unit_test_setup(test_windows_need_no_recorder, setup),
		cmocka_unit_test_setup(test_windows_apart_become_nothing, setup),
		cmocka_unit_test_setup(test_each_window_is_handed_on, setup),
		cmocka_unit_test_setup(test_an_error_ends_it, setup),
	};

	return cmocka_run_group_tests_name("app/series", tests, NULL, NULL);
}
