/* SPDX-License-Identifier: Apache-2.0 */
/* Days, cursors, writers that are killed, and what retention removes. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "recording/check.h"
#include "store/store.h"
#include "store/store_writer.h"
#include "unit/recording/recorded.h"

#define DAY_NS (86400 * NSEC_PER_SEC)
/* 2026-11-25T00:00Z */
#define NOV_25_NS (20782 * DAY_NS)
#define KILLS 20

static struct workdir dir;

static struct store_writer *open_writer(const char *path)
{
	struct store_writer *w = NULL;
	struct err err = { 0 };

	if (store_writer__open(path, &w, &err))
		fail_msg("%s", err.msg);
	return w;
}

/* -errno or 0. */
static int try_add(struct store_writer *w, u64 begin_ns, u64 part_bytes)
{
	char text[256];
	struct recorder *rec;
	struct recording_cause cause;
	struct profile *p;
	int r;

	snprintf(text, sizeof(text),
		 "host db1\nkernel 6.18.44\nbegin_wall %llu\nwindow 60s\ntask 4/4 main start=7\n"
		 "wait S blocked=8s count=3 max=5s\n u main\n",
		 (unsigned long long)begin_ns);
	p = lit(text);
	cause = recorded_cause(p);
	r = store_writer__recorder(w, begin_ns, part_bytes, &rec, NULL);
	if (!r)
		r = recorder__add(rec, p, &cause, 1, NULL, NULL);
	profile__free(p);
	return r;
}

static void add(struct store_writer *w, u64 begin_ns)
{
	assert_int_equal(try_add(w, begin_ns, 0), 0);
}

static struct store *open_store(const char *path)
{
	struct store *s = NULL;
	struct err err = { 0 };

	if (store__open(path, &s, &err))
		fail_msg("%s", err.msg);
	return s;
}

/* How many windows there are after a cursor, which is then behind the last one. */
static size_t count(struct store *s, struct store_cursor *at)
{
	struct store_window w;
	size_t n = 0;

	while (store__next(s, at, &w, NULL) == 1) {
		assert_true(store_cursor_compare(&w.at, at) > 0);
		*at = w.at;
		n++;
	}
	return n;
}

static void fail_on_fault(void *ctx, const char *sentence)
{
	fail_msg("%s: %s", (const char *)ctx, sentence);
}

static void assert_sound(const struct store *s)
{
	struct recording_checked sum;

	for (size_t i = 0; i < store__files_len(s); i++) {
		char *path = mem_strdup(store__file(s, i).path);

		assert_int_equal(recording_check(path, fail_on_fault, path, &sum, NULL), 0);
		mem_free(path);
	}
}

static void test_store_day_names_are_read_back(void **state)
{
	static const char *const bad[] = {
		"2026-11-25",		"2026-11-25.1.coldspot",   "2026-11-25.02.coldspot",
		"2026-11-31.coldspot",	"2026-11-25.coldspot-wal", "lock",
		"x2026-11-25.coldspot", "2026-11-25.0.coldspot",   "2026-11-25.2x.coldspot",
		"2026-1-25.coldspot"
	};
	struct store_day d = { 20782, 1 };
	char name[STORE_NAME_SZ];

	(void)state;
	assert_int_equal(store_day_of(NOV_25_NS), 20782);
	assert_int_equal(store_day_of(NOV_25_NS - 1), 20781);
	assert_int_equal(store_day_begin_ns(20782), NOV_25_NS);
	store_day_name(&d, name);
	assert_string_equal(name, "2026-11-25.coldspot");
	assert_true(store_day_parse(name, &d));
	assert_int_equal(d.day, 20782);
	assert_int_equal(d.part, 1);
	assert_true(store_day_parse("2026-11-25.12.coldspot", &d));
	assert_int_equal(d.part, 12);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_false(store_day_parse(bad[i], &d));
}

static void test_store__next_goes_through_days_in_order(void **state)
{
	const char *path = workdir__path(&dir, "days");
	struct store_writer *w = open_writer(path);
	struct store_cursor at = { 0 };
	struct store_window found;
	struct profile *p;
	struct store *s;
	u64 first_ns, last_ns;

	(void)state;
	add(w, NOV_25_NS - 60 * NSEC_PER_SEC);
	add(w, NOV_25_NS);
	add(w, NOV_25_NS + 60 * NSEC_PER_SEC);
	s = open_store(path);
	assert_int_equal(store__files_len(s), 2);
	assert_int_equal(store__next(s, &at, &found, NULL), 1);
	assert_int_equal(found.begin_wall_ns, NOV_25_NS - 60 * NSEC_PER_SEC);
	assert_string_equal(found.host, "db1");
	assert_int_equal(store__read(s, &found.at, &p, NULL), 0);
	assert_int_equal(p->hdr.begin_wall_ns, NOV_25_NS - 60 * NSEC_PER_SEC);
	profile__free(p);
	assert_int_equal(count(s, &at), 3);
	assert_int_equal(store__span(s, &first_ns, &last_ns, NULL), 0);
	assert_int_equal(first_ns, NOV_25_NS - 60 * NSEC_PER_SEC);
	assert_int_equal(last_ns, NOV_25_NS + 120 * NSEC_PER_SEC);
	/* a window that comes later is found by the same reader, a new day after a look */
	add(w, NOV_25_NS + 120 * NSEC_PER_SEC);
	assert_int_equal(count(s, &at), 1);
	add(w, NOV_25_NS + DAY_NS);
	assert_int_equal(count(s, &at), 0);
	assert_int_equal(store__look(s, NULL), 0);
	assert_int_equal(count(s, &at), 1);
	assert_null(store__damage(s, 0));
	store_writer__close(w);
	assert_sound(s);
	store__close(s);
}

static void test_store__last_is_of_the_last_file_with_windows(void **state)
{
	struct store_writer *w = open_writer(workdir__path(&dir, "last"));
	struct store *s = open_store(workdir__path(&dir, "last"));
	struct store_window last;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(store__last(s, 0, &last, &err), -ENOENT);
	store__close(s);
	add(w, NOV_25_NS);
	add(w, NOV_25_NS + 60 * NSEC_PER_SEC);
	store_writer__close(w);
	workdir__write(&dir, "last/2026-11-26.coldspot", "", 0);
	s = open_store(workdir__path(&dir, "last"));
	assert_int_equal(store__last(s, 0, &last, &err), 0);
	assert_int_equal(last.begin_wall_ns, NOV_25_NS + 60 * NSEC_PER_SEC);
	assert_int_equal(last.window_ns, 60 * NSEC_PER_SEC);
	assert_int_equal(last.at.window, 2);
	store__close(s);
}

static void test_store_writer__open_lets_one_in(void **state)
{
	const char *path = workdir__path(&dir, "locked");
	struct store_writer *w = open_writer(path), *other = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(store_writer__open(path, &other, &err), -EBUSY);
	assert_non_null(strstr(err.msg, "another agent (PID "));
	store_writer__close(w);
	w = open_writer(path);
	store_writer__close(w);
}

static void test_store_writer__recorder_stays_when_the_clock_goes_back(void **state)
{
	const char *path = workdir__path(&dir, "back");
	struct store_writer *w = open_writer(path);
	struct store_cursor at = { 0 };
	struct store *s;

	(void)state;
	add(w, NOV_25_NS);
	s = open_store(path);
	assert_int_equal(count(s, &at), 1);
	add(w, NOV_25_NS - 30 * NSEC_PER_SEC);
	assert_int_equal(store__look(s, NULL), 0);
	assert_int_equal(count(s, &at), 1);
	assert_int_equal(store__files_len(s), 1);
	/* the same after a restart */
	store_writer__close(w);
	w = open_writer(path);
	add(w, NOV_25_NS - 20 * NSEC_PER_SEC);
	assert_int_equal(count(s, &at), 1);
	store_writer__close(w);
	store__close(s);
}

static void spoil(const char *store, const char *name, off_t at)
{
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", store, name);
	fd = open(path, O_WRONLY | O_CREAT, 0644);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, "spoiled", 7, at), 7);
	close(fd);
}

static void test_store_writer__recorder_leaves_a_damaged_file_alone(void **state)
{
	const char *path = workdir__path(&dir, "damaged");
	struct store_writer *w = open_writer(path);
	struct store_cursor at = { 0 };
	struct store *s;

	(void)state;
	add(w, NOV_25_NS);
	add(w, NOV_25_NS + 60 * NSEC_PER_SEC);
	store_writer__close(w);
	spoil(path, "2026-11-25.coldspot", 0);
	w = open_writer(path);
	add(w, NOV_25_NS + 120 * NSEC_PER_SEC);
	store_writer__close(w);
	s = open_store(path);
	assert_int_equal(store__files_len(s), 2);
	assert_int_equal(store__file(s, 1).file.part, 2);
	/* what can be read of the first file still counts */
	assert_int_equal(count(s, &at), 3);
	assert_non_null(store__damage(s, 0));
	store__close(s);
}

static void test_store__next_passes_over_what_is_no_recording(void **state)
{
	const char *path = workdir__path(&dir, "foreign");
	struct store_writer *w = open_writer(path);
	struct store_cursor at = { 0 };
	struct store *s;

	(void)state;
	add(w, NOV_25_NS);
	spoil(path, "2026-11-24.coldspot", 5000);
	s = open_store(path);
	assert_int_equal(count(s, &at), 1);
	assert_non_null(strstr(store__damage(s, 0), "2026-11-24"));
	/* a file that its writer could not begin is begun again */
	spoil(path, "2026-11-26.coldspot", 0);
	add(w, NOV_25_NS + DAY_NS);
	assert_int_equal(store__look(s, NULL), 0);
	assert_int_equal(count(s, &at), 1);
	store_writer__close(w);
	store__close(s);
}

static void test_store_writer__recorder_splits_a_large_day(void **state)
{
	const char *path = workdir__path(&dir, "parts");
	struct store_writer *w = open_writer(path);
	struct store_cursor at = { 0 };
	struct store *s;

	(void)state;
	assert_int_equal(try_add(w, NOV_25_NS, 1), 0);
	/* windows in the log do not count until it is taken in */
	store_writer__close(w);
	w = open_writer(path);
	assert_int_equal(try_add(w, NOV_25_NS + 60 * NSEC_PER_SEC, 1), 0);
	store_writer__close(w);
	s = open_store(path);
	assert_int_equal(store__files_len(s), 2);
	assert_int_equal(count(s, &at), 2);
	store__close(s);
}

/* Never returns. */
static void write_until_killed(const char *path, int fd, u64 from_ns)
{
	struct store_writer *w = open_writer(path);

	for (u32 i = 0; i < 200; i++) {
		if (try_add(w, from_ns + i * 60 * NSEC_PER_SEC, 0) || write(fd, "w", 1) != 1)
			_exit(1);
	}
	pause();
	_exit(1);
}

static size_t kill_one(const char *path, u32 nr)
{
	size_t n = 0;
	int fds[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		write_until_killed(path, fds[1], NOV_25_NS + nr * 200 * 60 * NSEC_PER_SEC);
	}
	close(fds[1]);
	while (n < nr % 5 && read(fds[0], &byte, 1) == 1)
		n++;
	usleep(nr * 41);
	kill(pid, SIGKILL);
	while (read(fds[0], &byte, 1) == 1)
		n++;
	waitpid(pid, NULL, 0);
	close(fds[0]);
	return n;
}

static void test_store_writer__goes_on_after_kills(void **state)
{
	const char *path = workdir__path(&dir, "killed");
	struct store_cursor at = { 0 };
	struct store *s;
	size_t acked = 0, found;

	(void)state;
	for (u32 i = 0; i < KILLS; i++)
		acked += kill_one(path, i);
	assert_true(acked > 0);
	s = open_store(path);
	found = count(s, &at);
	/* a window may be safe before its writer could say so */
	assert_in_range(found, acked, acked + KILLS);
	assert_null(store__damage(s, 0));
	assert_sound(s);
	for (size_t i = 0; i < store__files_len(s); i++)
		assert_int_equal(store__file(s, i).file.part, 1);
	store__close(s);
}

static void test_store_writer__retain_removes_oldest_first(void **state)
{
	const char *path = workdir__path(&dir, "retained");
	struct store_limits limits = { .days = 3 };
	struct store_writer *w = open_writer(path);
	struct store_removed gone;
	struct store *s;
	u64 now_ns = NOV_25_NS + 5 * DAY_NS, bytes;

	(void)state;
	for (u32 i = 0; i < 6; i++)
		add(w, NOV_25_NS + i * DAY_NS);
	assert_int_equal(store_writer__retain(w, &limits, now_ns, false, &gone, NULL), 0);
	assert_int_equal(gone.files, 0);
	assert_int_equal(store_writer__retain(w, &limits, now_ns, true, &gone, NULL), 0);
	assert_int_equal(gone.files, 3);
	assert_false(gone.over);
	s = open_store(path);
	assert_int_equal(store__files_len(s), 3);
	assert_int_equal(store__file(s, 0).file.day, 20782 + 3);
	bytes = store__file(s, 1).bytes + store__file(s, 2).bytes;
	limits = (struct store_limits){ .bytes = bytes };
	assert_int_equal(store_writer__retain(w, &limits, now_ns, false, &gone, NULL), 0);
	assert_int_equal(gone.files, 1);
	assert_true(gone.bytes > 0);
	assert_int_equal(access(store__file(s, 0).path, F_OK), -1);
	/* the current file stays, however large */
	limits.bytes = 1;
	assert_int_equal(store_writer__retain(w, &limits, now_ns, false, &gone, NULL), 0);
	assert_int_equal(gone.files, 1);
	assert_true(gone.over);
	assert_int_equal(store__look(s, NULL), 0);
	assert_int_equal(store__files_len(s), 1);
	store__close(s);
	add(w, NOV_25_NS + 5 * DAY_NS + 60 * NSEC_PER_SEC);
	store_writer__close(w);
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
		cmocka_unit_test(test_store_day_names_are_read_back),
		cmocka_unit_test(test_store__next_goes_through_days_in_order),
		cmocka_unit_test(test_store__last_is_of_the_last_file_with_windows),
		cmocka_unit_test(test_store_writer__open_lets_one_in),
		cmocka_unit_test(test_store_writer__recorder_stays_when_the_clock_goes_back),
		cmocka_unit_test(test_store_writer__recorder_leaves_a_damaged_file_alone),
		cmocka_unit_test(test_store__next_passes_over_what_is_no_recording),
		cmocka_unit_test(test_store_writer__recorder_splits_a_large_day),
		cmocka_unit_test(test_store_writer__goes_on_after_kills),
		cmocka_unit_test(test_store_writer__retain_removes_oldest_first),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
