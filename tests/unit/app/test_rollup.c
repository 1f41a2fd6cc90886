/* SPDX-License-Identifier: Apache-2.0 */
/* Hourly sums: each hour once, to the ns, also after kills; and who reads them when. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "app/recordings.h"
#include "app/past/rollup.h"
#include "app/store_hours.h"
#include "app/past/store_question.h"
#include "base/clock.h"
#include "lib/lit.h"
#include "lib/workdir.h"
#include "recording/check.h"
#include "store/store.h"
#include "store/store_writer.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)
#define HOUR_NS (60 * MINUTE_NS)
#define DAY_NS (24 * HOUR_NS)
/* 2026-11-24T22:00Z: the hours go over midnight */
#define BEGIN_NS (20781 * DAY_NS + 22 * HOUR_NS)
#define HOURS 4
#define KILLS 12

static struct workdir dir;

/* Window `n` of ten minutes; all numbers differ, and so do threads. */
static struct profile *make_window(u32 n, u64 begin_ns)
{
	char text[1536];

	snprintf(text, sizeof(text),
		 "host db1\nkernel 6.18\narch x86_64\nboot 5f1c\nncpu 2\nwindow 600s\n"
		 "begin_wall %llu\nbegin_mono %llu\nintervals 2 300s\n"
		 "task 4/4 db on=%ums start=7\n"
		 "wait D sys=fsync blocked=%uus runq=%uns count=3 max=1ms each=1us,1us\n"
		 " u main\n u commit\n k vfs_fsync_range\n"
		 "task 4/%u pool-%u group=db on=1s start=%u\n"
		 "wait S sys=futex blocked=%uns runq=3us count=2\n u main\n u pop\n k do_futex\n"
		 "task 4/%u GC#%u group=db start=%u\n"
		 "wait S sys=clock_nanosleep blocked=%ums count=2\n u main\n u nap\n",
		 begin_ns, begin_ns - BEGIN_NS + 1000 * NSEC_PER_SEC, 100 + n, 70001 + n, 13 + n,
		 100 + n, n, 100 + n, 5000017 + n, 300 + n, n, 300 + n, 40 + n);
	return lit(text);
}

/* The windows of all hours except one window, and one that begins before its hour. */
static void make_store(const char *path, u64 extra_ns)
{
	struct store_writer *w;

	assert_int_equal(store_writer__open(path, &w, NULL), 0);
	for (u32 n = 0; n < HOURS * 6 + 1; n++) {
		u64 begin_ns = BEGIN_NS + n * 10 * MINUTE_NS - (n == 6 ? NSEC_PER_MSEC : 0);
		struct profile *p = n == 8 ? NULL : make_window(n, begin_ns + extra_ns);
		struct cause_memo memo = { .p = p };
		struct recorder *rec;

		if (!p)
			continue;
		assert_int_equal(store_writer__recorder(w, p->hdr.begin_wall_ns, 0, &rec, NULL), 0);
		assert_int_equal(recording_file_add(rec, p, &memo, NULL), 0);
		cause_memo__done(&memo);
		profile__free(p);
	}
	store_writer__close(w);
}

static struct rollup_done roll(const char *path, u64 now_ns)
{
	const struct rollup ru = { .store = path, .months = 13, .now_wall_ns = now_ns };
	struct rollup_done done;
	struct notices notices;
	struct err err = { 0 };

	notices__init(&notices);
	if (rollup_run(&ru, &done, &notices, &err))
		fail_msg("%s", err.msg);
	assert_null(notices__at(&notices, 0));
	notices__done(&notices);
	return done;
}

static int put_row(void *arg, const struct query_value *values, size_t len, bool is_head,
		   struct err *err)
{
	char *to = arg;

	(void)err;
	for (size_t i = 0; i < len && !is_head; i++) {
		size_t at = strlen(to);

		snprintf(to + at, 4096 - at, "%s%s", values[i].text, i + 1 < len ? "," : ";");
	}
	return 0;
}

static void ask(const char *path, const char *from, const char *sql, char answer[4096])
{
	struct store_question q = { .store = path, .sql = sql };
	struct notices notices;
	struct err err = { 0 };

	answer[0] = '\0';
	notices__init(&notices);
	if (from)
		assert_int_equal(time_point_parse(from, &q.range.from, NULL), 0);
	if (store_question__ask(&q, put_row, answer, &notices, &err))
		fail_msg("%s", err.msg);
	notices__done(&notices);
}

/* By hour and cause, in ns. */
static const char totals[] =
	"SELECT substr(n.begin, 1, 13) AS hour, cause, sum(c.waits), sum(c.blocked_ns),"
	" sum(c.runq_ns), max(c.max_ns) FROM causes c JOIN main.windows n ON n.id = c.window"
	" WHERE n.begin < '2026-11-25T02' GROUP BY 1, 2 ORDER BY 1, 2";
static const char threads[] =
	"SELECT substr(begin, 1, 13), sum(wall_ns), sum(on_ns), sum(runq_ns), sum(blocked_ns),"
	" sum(switches), sum(window_ns), sum(listed_waits > 0) > 0 FROM main.windows"
	" WHERE begin < '2026-11-25T02' GROUP BY 1 ORDER BY 1";

static char *hours_of(const char *path)
{
	static char hours[600];

	snprintf(hours, sizeof(hours), "%s/hours", path);
	return hours;
}

static void assert_same(const char *minutes, const char *hours)
{
	if (strcmp(minutes, hours))
		fail_msg("minutes %s\nhours   %s", minutes, hours);
}

static void test_rollup_run_has_the_sums_of_minutes(void **state)
{
	const char *path = workdir__path(&dir, "sums");
	char minutes[4096], hours[4096];

	(void)state;
	make_store(path, NSEC_PER_MSEC);
	assert_int_equal(roll(path, BEGIN_NS + HOURS * HOUR_NS + MINUTE_NS).hours, HOURS);
	ask(path, NULL, totals, minutes);
	ask(hours_of(path), NULL, totals, hours);
	assert_non_null(strstr(hours, "2026-11-24T23,disk-sync,"));
	assert_non_null(strstr(hours, "2026-11-25T01,sleep,"));
	assert_same(minutes, hours);
	ask(path, NULL, threads, minutes);
	ask(hours_of(path), NULL, threads, hours);
	assert_same(minutes, hours);
	ask(hours_of(path), NULL, "SELECT count(*), sum(seconds) FROM windows", hours);
	assert_string_equal(hours, "4,13800.0;");
	/* threads of a pool are one, without TID */
	ask(hours_of(path), NULL,
	    "SELECT DISTINCT process, comm, tid IS NULL FROM threads ORDER BY comm", hours);
	assert_string_equal(hours, "db,GC#*,1;db,db,1;db,pool-*,1;");
	/* none is added twice */
	assert_int_equal(roll(path, BEGIN_NS + HOURS * HOUR_NS + MINUTE_NS).hours, 0);
}

static void test_rollup_run_waits_until_an_hour_is_over(void **state)
{
	const char *path = workdir__path(&dir, "open");

	(void)state;
	make_store(path, NSEC_PER_MSEC);
	/* the last hour has one window; another may come */
	assert_int_equal(roll(path, BEGIN_NS + HOURS * HOUR_NS + 50 * MINUTE_NS).hours, HOURS);
	assert_int_equal(roll(path, BEGIN_NS + (HOURS + 2) * HOUR_NS - 1).hours, 0);
	assert_int_equal(roll(path, BEGIN_NS + (HOURS + 2) * HOUR_NS).hours, 1);
}

static void test_rollup_run_gives_a_window_to_the_hour_of_its_middle(void **state)
{
	const char *path = workdir__path(&dir, "early");
	char hours[4096];

	(void)state;
	make_store(path, 0);
	assert_int_equal(roll(path, BEGIN_NS + HOURS * HOUR_NS).hours, HOURS);
	/* of the second hour, one window is missing and the first one begins 1 ms before it */
	ask(hours_of(path), NULL, "SELECT begin, seconds FROM windows LIMIT 2", hours);
	assert_string_equal(hours, "2026-11-24T22:00:00.000Z,3600.0;"
				   "2026-11-24T22:59:59.999Z,3000.0;");
}

static void test_rollup_run_goes_on_after_kills(void **state)
{
	const char *path = workdir__path(&dir, "killed");
	struct recording_checked sum;
	char hours[4096];
	u64 now_ns = BEGIN_NS + HOURS * HOUR_NS;

	(void)state;
	make_store(path, NSEC_PER_MSEC);
	for (u32 i = 0; i < KILLS; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (!pid) {
			roll(path, now_ns);
			_exit(0);
		}
		usleep(i * 3000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	roll(path, now_ns);
	ask(hours_of(path), NULL, "SELECT count(*), count(DISTINCT begin) FROM windows", hours);
	assert_string_equal(hours, "4,4;");
	assert_int_equal(roll(path, now_ns).hours, 0);
	snprintf(hours, sizeof(hours), "%s/2026-11-24.coldspot", hours_of(path));
	assert_int_equal(recording_check(hours, NULL, NULL, &sum, NULL), 0);
	assert_int_equal(sum.windows, 2);
}

static u64 listed_ns(const char *path, const char *at, bool *ret_sums)
{
	struct vec files = { .data = &path, .len = 1, .elem_sz = sizeof(path) };
	struct time_range range = { 0 };
	struct profile_budget budget;
	struct notices notices;
	struct err err = { 0 };
	struct profile *p;
	struct recordings_found found = { 0 };

	notices__init(&notices);
	assert_int_equal(time_point_parse(at, &range.at, NULL), 0);
	if (recordings_load(&files, &range, &notices, &p, &found, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(profile__budget(p, &budget), 0);
	*ret_sums = notices__at(&notices, 0) && strstr(notices__at(&notices, 0), "sums of hours");
	profile__free(p);
	notices__done(&notices);
	return budget.listed_blocked_ns;
}

static void test_sums_are_read_when_windows_are_gone(void **state)
{
	const char *path = workdir__path(&dir, "gone");
	char before[4096], after[4096], file[600];
	u64 minute_ns, hour_ns, later_ns;
	bool sums;

	(void)state;
	make_store(path, NSEC_PER_MSEC);
	roll(path, BEGIN_NS + HOURS * HOUR_NS);
	minute_ns = listed_ns(path, "2026-11-24T23:35Z", &sums);
	assert_false(sums);
	later_ns = listed_ns(path, "2026-11-25T00:35Z", &sums);
	ask(path, "2026-11-24T00:00Z", "SELECT cause, sum(seconds) FROM totals GROUP BY 1", before);
	snprintf(file, sizeof(file), "%s/2026-11-24.coldspot", path);
	assert_int_equal(unlink(file), 0);
	hour_ns = listed_ns(path, "2026-11-24T23:35Z", &sums);
	assert_true(sums);
	assert_true(hour_ns > 4 * minute_ns && hour_ns < 6 * minute_ns);
	assert_int_equal(listed_ns(path, "2026-11-25T00:35Z", &sums), later_ns);
	assert_false(sums);
	/* the day that is left is not counted twice */
	ask(path, "2026-11-24T00:00Z", "SELECT cause, sum(seconds) FROM totals GROUP BY 1", after);
	assert_string_equal(before, after);
	ask(path, "2026-11-24T00:00Z",
	    "SELECT count(*), sum(blocked_s) > 0 FROM threads WHERE begin < '2026-11-25'", after);
	assert_string_equal(after, "6,1;");
}

static int make_dir(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rollup_run_has_the_sums_of_minutes),
		cmocka_unit_test(test_rollup_run_waits_until_an_hour_is_over),
		cmocka_unit_test(test_rollup_run_gives_a_window_to_the_hour_of_its_middle),
		cmocka_unit_test(test_rollup_run_goes_on_after_kills),
		cmocka_unit_test(test_sums_are_read_when_windows_are_gone),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
