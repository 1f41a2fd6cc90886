/* SPDX-License-Identifier: Apache-2.0 */
/* Writers that end at the wrong moment, and what goes wrong on both sides. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "recorded.h"
#include "recording/check.h"
#include "recording/database.h"
#include "recording/schema.h"

/* Recorders that are killed; the child writes windows until then. */
#define KILLS 20
#define KILL_WINDOWS 200

static struct workdir dir;

static void fail_on_fault(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

static void assert_sound(const char *path)
{
	struct recording_checked sum;

	assert_int_equal(recording_check(path, fail_on_fault, NULL, &sum, NULL), 0);
}

static void assert_windows(const char *path, size_t least, size_t most)
{
	struct recording *rec = open_recording(path);
	struct profile *want = lit(recorded_text), *p;
	size_t i, len = recording__windows_len(rec);

	assert_in_range(len, least, most);
	for (i = 0; i < len; i++) {
		assert_int_equal(recording__window(rec, i)->id, i + 1);
		p = read_window(rec, i);
		assert_true(recorded_equal(p, want));
		profile__free(p);
	}
	assert_null(recording__damage(rec, 0));
	recording__close(rec);
	profile__free(want);
	assert_sound(path);
}

/* Never returns; a byte for each window that is safe. */
static void write_until_killed(const char *path, int fd)
{
	struct profile *p = lit(recorded_text);
	struct recorder *rec = NULL;
	u32 i;

	if (recorder__create(path, &rec, NULL))
		_exit(1);
	for (i = 0; i < KILL_WINDOWS; i++) {
		record(rec, p);
		if (write(fd, "w", 1) != 1)
			_exit(1);
	}
	pause();
	_exit(1);
}

/* Kills after `after` windows and a moment; the number that was acknowledged. */
static size_t kill_one(const char *path, u32 after)
{
	int fds[2];
	size_t n = 0;
	char byte;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		close(fds[0]);
		write_until_killed(path, fds[1]);
	}
	close(fds[1]);
	while (n < after && read(fds[0], &byte, 1) == 1)
		n++;
	usleep(after * 37);
	kill(pid, SIGKILL);
	while (read(fds[0], &byte, 1) == 1)
		n++;
	waitpid(pid, NULL, 0);
	close(fds[0]);
	return n;
}

static void test_recorder__add_loses_no_window_when_killed(void **state)
{
	char name[32];
	u32 i;

	(void)state;
	for (i = 0; i < KILLS; i++) {
		const char *path;
		size_t acked;

		snprintf(name, sizeof(name), "killed-%u", i);
		path = workdir__path(&dir, name);
		acked = kill_one(path, 1 + i);
		assert_true(acked > i);
		assert_windows(path, acked, acked + 1);
	}
}

static void test_recording__open_reads_while_it_is_written(void **state)
{
	const char *path = workdir__path(&dir, "live.coldspot");
	struct profile *p = lit(recorded_text);
	struct recorder *rec = NULL;

	(void)state;
	assert_int_equal(recorder__create(path, &rec, NULL), 0);
	record(rec, p);
	assert_windows(path, 1, 1);
	record(rec, p);
	assert_windows(path, 2, 2);
	assert_int_equal(recorder__finish(rec, NULL), 0);
	recorder__free(rec);
	assert_windows(path, 2, 2);
	assert_int_not_equal(access(workdir__path(&dir, "live.coldspot-wal"), F_OK), 0);
	assert_int_not_equal(access(workdir__path(&dir, "live.coldspot-shm"), F_OK), 0);
	profile__free(p);
}

/* A log without its file's last windows, as when only the file is copied. */
static void test_recording__open_reads_an_unfinished_file_alone(void **state)
{
	struct profile *p = lit(recorded_text);
	struct recorder *rec = NULL;
	struct recording *in = NULL;
	struct err err = { 0 };
	int r;

	(void)state;
	assert_int_equal(recorder__create(workdir__path(&dir, "unfinished"), &rec, NULL), 0);
	record(rec, p);
	assert_true(workdir__run(&dir, "cp unfinished alone"));
	recorder__free(rec);
	r = recording__open(workdir__path(&dir, "alone"), &in, &err);
	assert_true(r == 0 || r == -EINVAL || r == -EBADMSG);
	if (!r)
		assert_int_equal(recording__windows_len(in), 0);
	recording__close(in);
	profile__free(p);
}

static void test_recorder__add_takes_back_a_window_that_fails(void **state)
{
	struct profile *p = lit(recorded_text);
	struct recording_cause cause = recorded_cause(p);
	struct recorder *rec = NULL;
	struct recording_cause twice[] = { cause, { .name = cause.name } };
	struct err err = { 0 };

	(void)state;
	/* a cause twice is a row that cannot be: everything of the window goes back */
	assert_int_equal(recorder__create(workdir__path(&dir, "back"), &rec, NULL), 0);
	record(rec, p);
	assert_true(recorder__add(rec, p, twice, 2, NULL, &err) < 0);
	assert_true(*err.msg);
	assert_int_equal(recorder__add(rec, p, &cause, 1, NULL, &err), 0);
	assert_int_equal(recorder__finish(rec, NULL), 0);
	recorder__free(rec);
	assert_windows(workdir__path(&dir, "back"), 2, 2);
	profile__free(p);
}

/* Waits that differ in their stacks alone are one row; other labels, objects or owners are not. */
static void test_recorder__add_gives_waits_their_labels_objects_and_owners(void **state)
{
	static const char text[] =
		"host a\nwindow 10s\ntask 4/4 main on=10s\n"
		"task 4/5 worker group=main\n"
		"wait S blocked=1s count=2 max=700ms owner=4\n object futex futex=lock tgid=4 "
		"name=m\n u a\n"
		"wait S blocked=2s count=3 max=900ms owner=4\n object futex futex=lock tgid=4 "
		"name=m\n u b\n"
		"wait S blocked=3s count=1 owner=77\n object futex futex=lock tgid=4 name=m\n u a\n"
		"wait S blocked=4s count=1\n u idle\n";
	static const struct recording_cause causes[] = {
		{ "lock", 6, 6 * NSEC_PER_SEC, 0, 3 * NSEC_PER_SEC },
		{ "queue", 1, 4 * NSEC_PER_SEC, 0, 4 * NSEC_PER_SEC },
	};
	struct profile *p = lit(text);
	static const char query[] =
		"SELECT comm, cause, class, object, name, owner_comm, owner_tid, waits, seconds,"
		" max_ms FROM wait_times ORDER BY seconds, owner_tid";
	static const char want[] = "worker|lock|work|futex|m|main|4|5|3.0|900.0\n"
				   "worker|lock|work|futex|m||77|1|3.0|3000.0\n"
				   "worker|queue|idle||||0|1|4.0|4000.0\n";
	struct recording_label labels[8];
	struct recorder *rec = NULL;
	char *rows;
	size_t sz;
	u32 i;

	(void)state;
	for (i = 1; i < p->waits_len; i++) {
		bool idle = p->waits[i].blocked_ns == 4 * NSEC_PER_SEC;

		labels[i].cause = idle ? "queue" : "lock";
		labels[i].class = idle ? "idle" : "work";
	}
	assert_int_equal(recorder__create(workdir__path(&dir, "labels"), &rec, NULL), 0);
	assert_int_equal(recorder__add(rec, p, causes, 2, labels, NULL), 0);
	assert_int_equal(recorder__finish(rec, NULL), 0);
	recorder__free(rec);
	profile__free(p);
	assert_sound(workdir__path(&dir, "labels"));
	assert_true(workdir__run(&dir, "sqlite3 labels '%s' >rows", query));
	rows = workdir__read(&dir, "rows", &sz);
	assert_int_equal(sz, strlen(want));
	assert_memory_equal(rows, want, sz);
	mem_free(rows);
}

/* The record of a thread may be lost, and its waits are there still. */
static void test_recorder__shows_waits_of_threads_that_are_lost(void **state)
{
	struct profile *p = lit("window 10s\ntask 4/4 main on=9s\nwait S blocked=1s\n u a\n"
				"wait S blocked=4s count=3 max=3s\n u b\n");
	static const char want[] = "main|main|4|4|1.0\n||0|0|4.0\n";
	struct recorder *rec = NULL;
	struct err err = { 0 };
	char *rows;
	size_t sz;

	(void)state;
	p->waits[2].task = 0;
	p->tasks[1].blocked_ns[p->waits[2].state] -= p->waits[2].blocked_ns;
	p->tasks[1].wall_ns -= p->waits[2].blocked_ns;
	if (profile__check(p, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(recorder__create(workdir__path(&dir, "lost"), &rec, NULL), 0);
	record(rec, p);
	assert_int_equal(recorder__finish(rec, NULL), 0);
	recorder__free(rec);
	profile__free(p);
	assert_sound(workdir__path(&dir, "lost"));
	assert_true(workdir__run(&dir, "sqlite3 lost 'SELECT process, comm, tgid, tid, seconds"
				       " FROM wait_times ORDER BY seconds' >rows"));
	rows = workdir__read(&dir, "rows", &sz);
	assert_int_equal(sz, strlen(want));
	assert_memory_equal(rows, want, sz);
	mem_free(rows);
}

/* True when the allocation was reached. */
static bool fail_writing(const struct profile *p, u64 nth)
{
	struct recording_cause cause = recorded_cause(p);
	struct recorder *rec = NULL;
	struct err err = { 0 };
	bool fired;
	int r;

	mem_fail_nth(nth);
	r = recorder__create_in_memory(&rec, &err);
	if (!r)
		r = recorder__add(rec, p, &cause, 1, NULL, &err);
	fired = mem_fail_fired();
	mem_fail_nth(0);
	recorder__free(rec);
	if (fired && r != -ENOMEM)
		fail_msg("allocation %llu failed, and writing gives %d", nth, r);
	if (fired)
		assert_true(*err.msg);
	else
		assert_int_equal(r, 0);
	return fired;
}

static void test_recorder__add_reports_every_allocation_that_fails(void **state)
{
	struct profile *p = lit(recorded_text);
	u64 nth = 1;

	(void)state;
	while (fail_writing(p, nth))
		nth++;
	assert_true(nth > 30);
	profile__free(p);
}

/* Sentences about damage may be lost for want of memory, but not a window. */
static bool fail_reading(const char *path, const struct profile *want, u64 nth)
{
	struct recording *rec = NULL;
	struct profile *p = NULL;
	struct err err = { 0 };
	bool fired;
	int r;

	mem_fail_nth(nth);
	r = recording__open(path, &rec, &err);
	if (!r)
		r = recording__read(rec, 0, &p, &err);
	fired = mem_fail_fired();
	mem_fail_nth(0);
	if (fired && r != -ENOMEM)
		fail_msg("allocation %llu failed, and reading gives %d", nth, r);
	if (fired)
		assert_true(*err.msg);
	if (!r) {
		assert_true(recorded_equal(p, want));
		profile__free(p);
	}
	recording__close(rec);
	return fired;
}

static void test_recording__read_reports_every_allocation_that_fails(void **state)
{
	struct profile *p = lit(recorded_text);
	u64 nth = 1;

	(void)state;
	record_file(&dir, "nomem", (const char *[]){ recorded_text, NULL });
	while (fail_reading(workdir__path(&dir, "nomem"), p, nth))
		nth++;
	assert_true(nth > 30);
	profile__free(p);
}

/* What is put into the file by hand, as a newer version or a bad disk would. */
static int open_changed(const char *name, const char *sql, struct err *err)
{
	struct recording *rec = NULL;
	struct profile *p = NULL;
	int r;

	record_file(&dir, name, (const char *[]){ recorded_text, NULL });
	assert_true(workdir__run(&dir, "sqlite3 %s \"%s\"", name, sql));
	r = recording__open(workdir__path(&dir, name), &rec, err);
	if (!r && recording__windows_len(rec))
		r = recording__read(rec, 0, &p, err);
	profile__free(p);
	recording__close(rec);
	return r;
}

static void test_recording__open_reads_only_the_blocks_it_needs(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(open_changed("tables",
				      "DROP VIEW cause_times; DROP TABLE causes;"
				      "ALTER TABLE windows ADD COLUMN more DEFAULT 7;"
				      "CREATE TABLE newer(x)",
				      &err),
			 0);
}

static void test_recording__open_tells_a_newer_format(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(open_changed("newer",
				      "DELETE FROM blocks; DELETE FROM windows;"
				      "PRAGMA user_version = 2",
				      &err),
			 -EOPNOTSUPP);
	assert_non_null(strstr(err.msg, "newer"));
}

static void count_fault(void *ctx, const char *sentence)
{
	(void)sentence;
	++*(u32 *)ctx;
}

/* Each of these is a number that a person would believe. */
static void test_recording_check_sees_every_changed_row(void **state)
{
	static const char *const changes[] = {
		"UPDATE windows SET on_ns = on_ns + 1",
		"UPDATE windows SET host = 'db2'",
		"UPDATE tasks SET comm = 'x' WHERE task = 2",
		"DELETE FROM tasks WHERE task = 2",
		"INSERT INTO tasks SELECT 2, task, tgid, tid, process, comm, kthread, born, exited,"
		" execed, start_boottime_ns, cgroup_id, begin_ns, wall_ns, on_ns, preempted_ns,"
		" runq_ns, blocked_ns, blocked_s_ns, blocked_d_ns, blocked_i_ns, unaccounted_ns,"
		" switches, preemptions, wakeups, migrations, cgroup, threads, processes,"
		" container_name, gap_wait_ns"
		" FROM tasks",
		"UPDATE tasks SET cgroup = '/x' WHERE task = 1",
		"UPDATE tasks SET container_name = 'x' WHERE task = 1",
		"UPDATE tasks SET gap_wait_ns = 2 WHERE task = 1",
		"DROP VIEW cgroup_times",
		"UPDATE causes SET max_ns = 1",
		"UPDATE objects SET port = 5433",
		"UPDATE objects SET peer = 'db-8'",
		"DELETE FROM objects",
		"UPDATE waits SET class = 'idle' WHERE task = 2",
		"UPDATE waits SET owner = 0",
		"UPDATE waits SET owner_tid = 5",
		"UPDATE waits SET count = count + 1 WHERE task = 2",
		("INSERT INTO waits SELECT 2, task, cause, class, object, owner, owner_tid, count,"
		 " blocked_ns, runq_ns, max_ns FROM waits"),
		"UPDATE on_cpu SET function = 'x' WHERE hot = 1",
		"UPDATE on_cpu SET on_ns = on_ns - 1 WHERE hot = 1",
		"DELETE FROM on_cpu",
		"INSERT INTO histograms VALUES(1, 1, 'on', 0, 1024, 1)",
		"UPDATE stack_nodes SET parent = 0",
		"UPDATE stack_frames SET module = 'x'",
		"DELETE FROM place_waits",
		"UPDATE place_waits SET cause = 'idle'",
		"DROP VIEW places",
		"DROP VIEW wait_times",
		"DROP TABLE on_cpu",
		"DELETE FROM losses WHERE loss = 'stack_cut'",
		"UPDATE losses SET sentence = 'nothing'",
		"UPDATE recording SET value = 10 WHERE key = 'minor'",
		"UPDATE blocks SET kind = 'tasks'",
		"UPDATE blocks SET window = 2",
		"INSERT INTO blocks VALUES(99, 12, 'waits', x'00')",
		"DROP VIEW cause_times",
		"DROP VIEW cause_times; CREATE VIEW cause_times AS SELECT 1",
		"PRAGMA user_version = 3",
		"PRAGMA application_id = 3",
	};
	struct recording_checked sum;
	char name[32];
	u32 faults;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(changes); i++) {
		snprintf(name, sizeof(name), "changed-%zu", i);
		record_file(&dir, name, (const char *[]){ recorded_text, NULL });
		assert_true(workdir__run(&dir, "sqlite3 %s \"%s\"", name, changes[i]));
		faults = 0;
		if (recording_check(workdir__path(&dir, name), count_fault, &faults, &sum, NULL) ||
		    !faults || faults != sum.faults)
			fail_msg("not seen: %s", changes[i]);
	}
}

static void note_blocks(void *ctx, const char *sentence)
{
	if (strstr(sentence, "does not say what its blocks say"))
		snprintf(ctx, 128, "%s", sentence);
}

/* A fault of the writer has the right checksum: only its blocks tell. */
static void test_recording_check_holds_tables_against_blocks(void **state)
{
	static const struct {
		const char *change;
		const char *table;
	} cases[] = {
		{ "UPDATE windows SET on_ns = on_ns + 1", "windows" },
		{ "UPDATE tasks SET cgroup = '/x'", "tasks" },
		{ "UPDATE objects SET port = 5433", "objects" },
		{ "UPDATE waits SET object = object + 1 WHERE object > 0", "waits" },
		{ "UPDATE waits SET owner = owner + 1 WHERE owner > 0", "waits" },
		{ "UPDATE waits SET owner_tid = owner_tid + 1 WHERE owner_tid > 0", "waits" },
		{ "UPDATE waits SET max_ns = max_ns + 1", "waits" },
		{ "UPDATE waits SET task = 3 - task", "waits" },
		{ "UPDATE stack_nodes SET place = place + 1 WHERE place > 0", "stack_nodes" },
		{ "UPDATE stack_frames SET function = 'x' WHERE function = 'main'",
		  "stack_frames" },
		{ "UPDATE place_waits SET stack = stack + 1000", "place_waits" },
		{ "UPDATE place_waits SET ns = ns + 1", "place_waits" },
		/* not theirs to know */
		{ "UPDATE waits SET class = 'idle'", NULL },
		{ "UPDATE place_waits SET cause = 'idle'", NULL },
	};
	struct recording_checked sum;
	char name[32], want[128], seen[128];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		snprintf(name, sizeof(name), "wrong-%zu", i);
		record_file(&dir, name, (const char *[]){ recorded_text, NULL });
		assert_true(workdir__run(&dir, "sqlite3 %s \"%s\"", name, cases[i].change));
		want[0] = seen[0] = '\0';
		if (cases[i].table)
			snprintf(want, sizeof(want),
				 "window 1: the table %s does not say what its blocks say",
				 cases[i].table);
		recording_check(workdir__path(&dir, name), note_blocks, seen, &sum, NULL);
		if (strcmp(seen, want) != 0)
			fail_msg("%s: '%s', not '%s'", cases[i].change, seen, want);
	}
}

static void test_schema_has_its_trees_where_readers_look(void **state)
{
	struct database d;
	s64 page;

	(void)state;
	assert_int_equal(database__create(&d, NULL, NULL), 0);
	database__number(&d, "SELECT rootpage FROM sqlite_master WHERE name = 'blocks'", &page,
			 NULL);
	assert_int_equal(page, 2);
	database__number(&d, "SELECT rootpage FROM sqlite_master WHERE name = 'windows'", &page,
			 NULL);
	assert_int_equal(page, 3);
	database__number(&d, "SELECT value FROM recording WHERE key = 'format'", &page, NULL);
	assert_int_equal(page, SCHEMA_FORMAT);
	database__number(&d, "SELECT value FROM recording WHERE key = 'minor'", &page, NULL);
	assert_int_equal(page, SCHEMA_MINOR);
	database__close(&d);
}

static int set_up(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorder__add_loses_no_window_when_killed),
		cmocka_unit_test(test_recording__open_reads_while_it_is_written),
		cmocka_unit_test(test_recording__open_reads_an_unfinished_file_alone),
		cmocka_unit_test(test_recorder__shows_waits_of_threads_that_are_lost),
		cmocka_unit_test(test_recorder__add_takes_back_a_window_that_fails),
		cmocka_unit_test(test_recorder__add_gives_waits_their_labels_objects_and_owners),
		cmocka_unit_test(test_recorder__add_reports_every_allocation_that_fails),
		cmocka_unit_test(test_recording__read_reports_every_allocation_that_fails),
		cmocka_unit_test(test_recording__open_reads_only_the_blocks_it_needs),
		cmocka_unit_test(test_recording__open_tells_a_newer_format),
		cmocka_unit_test(test_recording_check_sees_every_changed_row),
		cmocka_unit_test(test_recording_check_holds_tables_against_blocks),
		cmocka_unit_test(test_schema_has_its_trees_where_readers_look),
	};

	return cmocka_run_group_tests_name("recording/recorder", tests, set_up, tear_down);
}
