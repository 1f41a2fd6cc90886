/* SPDX-License-Identifier: Apache-2.0 */
/* Which windows a flight recorder keeps, and when it writes them. Files come from the test. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lit.h"

#define flight_file_check fake_file_check
#define flight_file_write fake_file_write
#define run_take_trigger fake_take_trigger
#define run_end fake_end
#define run_trigger_asked fake_trigger_asked
#define session__take_slow_request fake_slow_request
#include "app/flight/flight.c"

#define MS NSEC_PER_MSEC

static u32 written, windows_written, ends;
static bool asked, slow;
static int file_fails;
static char trigger[FIRING_TEXT_SZ], said[2048];

int flight_file_check(const char *path, struct err *err)
{
	(void)path;
	(void)err;
	return 0;
}

int flight_file_write(const struct flight_file *file, char **ret_path, struct err *err)
{
	const struct profile *last = file->windows[file->len - 1];

	if (file_fails)
		return err__set(err, file_fails, "the disk is full");
	for (size_t i = 0; i + 1 < file->len; i++)
		assert_int_equal(file->windows[i]->hdr.trigger, 0);
	snprintf(trigger, sizeof(trigger), "%s", profile__str(last, last->hdr.trigger));
	windows_written = (u32)file->len;
	written++;
	*ret_path = mem_strdup("x-1.coldspot");
	return 0;
}

bool run_take_trigger(void)
{
	bool was = asked;

	asked = false;
	return was;
}

bool run_trigger_asked(void)
{
	return asked;
}

bool session__take_slow_request(struct session *s)
{
	bool was = slow;

	(void)s;
	slow = false;
	return was;
}

void run_end(void)
{
	ends++;
}

static void say_it(void *arg, const char *sentence)
{
	(void)arg;
	snprintf(said + strlen(said), sizeof(said) - strlen(said), "%s\n", sentence);
}

static void begin(struct flight *f, const struct trigger_spec *specs, size_t len)
{
	const struct flight_options opt = {
		.path = "x.coldspot",
		.last_ns = 1000 * MS,
		.hold_off_ns = 1000 * MS,
		.max_bytes = ~0ULL,
		.max_files = 3,
		.say = say_it,
	};

	written = windows_written = ends = 0;
	said[0] = '\0';
	file_fails = 0;
	assert_int_equal(flight__init(f, &opt, specs, len, NULL), 0);
}

/* A window of 300 ms with a wait so long. */
static void add(struct flight *f, u32 ms)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "arch x86_64\nsides user kernel\nwindow 300ms\nbegin_wall 1790000000s\n"
		 "max_events 9\n"
		 "task 7/7 web on=%ums\n  wait S sys=read blocked=%ums at=%ums:%ums:0\n"
		 "    k pipe_read\n",
		 300 - ms, ms, ms, ms);
	assert_int_equal(flight__add(f, lit(text), NULL), 0);
}

static struct trigger_spec spec_of(const char *text)
{
	struct trigger_spec spec;

	assert_int_equal(trigger_spec__parse(&spec, text, NULL), 0);
	return spec;
}

/* As few as cover the time. */
static void test_old_windows_are_let_go(void **state)
{
	struct flight f;

	(void)state;
	begin(&f, NULL, 0);
	for (u32 i = 0; i < 9; i++)
		add(&f, 200);
	assert_int_equal(f.windows.len, 4);
	assert_true(f.length_ns == 1200 * MS);
	assert_int_equal(f.cut_short, 0);
	f.opt.max_bytes = f.bytes - 1;
	add(&f, 200);
	assert_int_equal(f.windows.len, 3);
	assert_int_equal(f.cut_short, 1);
	f.opt.max_bytes = 1;
	add(&f, 200);
	assert_int_equal(f.windows.len, 1);
	assert_int_equal(written, 0);
	flight__done(&f);
}

/* A file is on its way sooner, but no window is cut for one that would not be written. */
static void test_what_cuts_a_window(void **state)
{
	struct flight f;

	(void)state;
	begin(&f, NULL, 0);
	f.opt.session = (struct session *)&f;
	assert_false(flight__cuts(&f));
	slow = true;
	assert_true(flight__cuts(&f));
	assert_false(flight__cuts(&f));
	f.held_off_ns = 1;
	slow = true;
	assert_false(flight__cuts(&f));
	asked = true;
	assert_true(flight__cuts(&f));
	asked = false;
	flight__done(&f);
}

static void test_a_signal_writes_at_any_time(void **state)
{
	struct flight f;

	(void)state;
	begin(&f, NULL, 0);
	add(&f, 20);
	asked = true;
	add(&f, 20);
	assert_int_equal(windows_written, 2);
	assert_string_equal(trigger, "SIGUSR1 at 2026-09-21T14:13:20.300Z");
	/* within the hold-off, and the first file's reason is not in the second */
	asked = true;
	add(&f, 20);
	assert_int_equal(written, 2);
	assert_int_equal(windows_written, 3);
	assert_string_equal(trigger, "SIGUSR1 at 2026-09-21T14:13:20.300Z");
	assert_int_equal(ends, 0);
	asked = true;
	add(&f, 20);
	assert_int_equal(ends, 1);
	assert_non_null(strstr(said, "file 3 of 3"));
	/* and none is written behind the last */
	asked = true;
	add(&f, 20);
	assert_int_equal(written, 3);
	flight__done(&f);
}

static void test_a_trigger_rests_after_a_file(void **state)
{
	struct trigger_spec specs[] = { spec_of("wait>200ms"), spec_of("wait>250ms comm=web") };
	struct flight f;

	(void)state;
	begin(&f, specs, 2);
	add(&f, 200);
	assert_int_equal(written, 0);
	add(&f, 260);
	assert_int_equal(written, 1);
	assert_string_equal(trigger, "wait>200ms at 2026-09-21T14:13:20.260Z: web (7) waited 260 "
				     "ms in pipe; wait>250ms comm=web at 2026-09-21T14:13:20.260Z: "
				     "web (7) waited 260 ms in pipe");
	assert_non_null(strstr(said, "wrote x-1.coldspot, the last 600 ms: wait>200ms at"));
	for (u32 i = 0; i < 3; i++)
		add(&f, 210);
	assert_int_equal(written, 1);
	assert_int_equal(f.held_off, 3);
	add(&f, 210);
	assert_int_equal(written, 2);
	flight__done(&f);
}

/* Nothing is written at the end, unless somebody wants it, and then even within the hold-off. */
static void test_the_end_is_a_trigger(void **state)
{
	struct trigger_spec specs[] = { spec_of("wait>200ms"), spec_of("end") };
	struct flight f;

	(void)state;
	begin(&f, specs, 1);
	add(&f, 20);
	assert_int_equal(flight__end(&f, NULL), 0);
	assert_int_equal(written, 0);
	flight__done(&f);
	begin(&f, specs, 2);
	add(&f, 250);
	add(&f, 20);
	assert_int_equal(written, 1);
	assert_int_equal(flight__end(&f, NULL), 0);
	assert_int_equal(written, 2);
	assert_true(!strncmp(trigger, "end at 2", 8));
	flight__done(&f);
}

static void test_a_full_disk_ends_nothing(void **state)
{
	struct trigger_spec spec = spec_of("wait>200ms");
	struct flight f;

	(void)state;
	begin(&f, &spec, 1);
	file_fails = -ENOSPC;
	add(&f, 250);
	assert_int_equal(written, 0);
	assert_non_null(strstr(said, "the disk is full; it was to hold wait>200ms at"));
	file_fails = 0;
	add(&f, 250);
	assert_int_equal(written, 1);
	flight__done(&f);
}

static void test_windows_are_a_tenth_within_bounds(void **state)
{
	(void)state;
	assert_true(flight_window_ns(10000 * MS) == 1000 * MS);
	assert_true(flight_window_ns(60000 * MS) == 1000 * MS);
	assert_true(flight_window_ns(5000 * MS) == 500 * MS);
	assert_true(flight_window_ns(500 * MS) == 100 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_windows_are_let_go),
		cmocka_unit_test(test_what_cuts_a_window),
		cmocka_unit_test(test_a_signal_writes_at_any_time),
		cmocka_unit_test(test_a_trigger_rests_after_a_file),
		cmocka_unit_test(test_the_end_is_a_trigger),
		cmocka_unit_test(test_a_full_disk_ends_nothing),
		cmocka_unit_test(test_windows_are_a_tenth_within_bounds),
	};

	return cmocka_run_group_tests_name("flight", tests, NULL, NULL);
}
