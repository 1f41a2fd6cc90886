/* SPDX-License-Identifier: Apache-2.0 */
/* What ends a recording. The session is one of the test's own: it waits as a real one does. */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "app/run.h"
#include "base/clock.h"

struct session {
	bool started;
	u32 polls;
	u32 woken; /* polls that did not last to the end of their time */
	u32 signal_at; /* raised in this poll; 0: never */
	int error; /* of every poll */
	u32 targets_until; /* there are some until this poll */
};

u32 session__targets(const struct session *s)
{
	return s->polls < s->targets_until ? 3 : 0;
}

bool session__changes(const struct session *s)
{
	(void)s;
	return false;
}

int session__start(struct session *s, struct err *err)
{
	s->started = true;
	(void)err;
	return 0;
}

int session__poll(struct session *s, int wake_fd, int timeout_ms, struct err *err)
{
	struct pollfd p = { .fd = wake_fd, .events = POLLIN };
	int n;

	if (s->error)
		return err__set(err, s->error, "the ring is broken");
	if (++s->polls == s->signal_at)
		raise(SIGTERM);
	n = poll(&p, 1, timeout_ms);
	s->woken += n > 0;
	return n < 0 ? -errno : 0;
}

/* A process that sleeps until it is killed; the test ends it. */
static pid_t sleeper(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		alarm(30);
		pause();
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* So that a loop that misses its end fails, and does not hang. */
#define TOO_LONG_NS (5 * NSEC_PER_SEC)

static void assert_ends_early(struct session *s, struct run_options *opt)
{
	u64 begin = clock_mono_ns();

	opt->duration_ns = TOO_LONG_NS;
	assert_int_equal(run_session(s, opt, NULL), 0);
	assert_true(clock_mono_ns() - begin < TOO_LONG_NS);
}

static int setup(void **state)
{
	(void)state;
	run_catch_signals();
	return 0;
}

static void test_time(void **state)
{
	struct session s = { 0 };
	struct run_options opt = { .duration_ns = 30 * NSEC_PER_MSEC };
	u64 begin = clock_mono_ns();

	(void)state;
	assert_int_equal(run_session(&s, &opt, NULL), 0);
	assert_true(s.started);
	assert_true(clock_mono_ns() - begin >= opt.duration_ns);
}

static void test_signal(void **state)
{
	struct session s = { .signal_at = 2 };
	struct run_options opt = { 0 };

	(void)state;
	assert_ends_early(&s, &opt);
	assert_int_equal(s.polls, 2);
	assert_true(run_is_over());
}

static void test_signal_before_the_begin(void **state)
{
	struct session s = { 0 };
	struct run_options opt = { 0 };
	struct err err = { 0 };

	(void)state;
	raise(SIGINT);
	assert_int_equal(run_session(&s, &opt, &err), -EINTR);
	assert_non_null(strstr(err.msg, "before the recording began"));
	assert_false(s.started);
}

static void test_targets_end(void **state)
{
	pid_t first = sleeper(), second = sleeper();
	u32 ids[] = { (u32)first, (u32)second };
	struct session s = { 0 };
	struct run_options opt = { .ids = ids, .ids_len = 2 };
	enum run_pause why;

	(void)state;
	end(first); /* one that lives is reason enough to go on */
	assert_int_equal(run_until(&s, &opt, clock_mono_ns(), clock_mono_ns() + 20 * NSEC_PER_MSEC,
				   &why, NULL),
			 0);
	assert_int_equal(why, RUN_UNTIL);
	end(second);
	assert_ends_early(&s, &opt);
	assert_false(run_is_over());
}

static bool cut_at_once(void *arg)
{
	(void)arg;
	return true;
}

static void test_a_cut_ends_a_window_and_not_the_run(void **state)
{
	struct session s = { 0 };
	struct run_options opt = { .cut = cut_at_once };
	u64 begin = clock_mono_ns();
	enum run_pause why;

	(void)state;
	assert_int_equal(run_until(&s, &opt, begin, begin + 10 * NSEC_PER_SEC, &why, NULL), 0);
	assert_true(why == RUN_CUT && clock_mono_ns() - begin < 5 * NSEC_PER_SEC);
}

static void test_command_ends(void **state)
{
	char name[] = "true", *argv[] = { name, NULL };
	struct child child = { 0 };
	struct session s = { 0 };
	struct run_options opt = { .child = &child };

	(void)state;
	assert_int_equal(child__start(&child, argv, NULL), 0);
	assert_ends_early(&s, &opt);
	assert_true(child__ended(&child));
	child__done(&child);
}

/* It left processes behind, and they are waited for. */
static void test_command_ends_before_its_children(void **state)
{
	char name[] = "false", *argv[] = { name, NULL };
	struct child child = { 0 };
	struct session s = { .targets_until = 4 };
	struct run_options opt = { .child = &child, .wait_all = true };

	(void)state;
	assert_int_equal(child__start(&child, argv, NULL), 0);
	assert_ends_early(&s, &opt);
	assert_in_range(s.polls, 4, 100);
	assert_int_equal(child__exit_status(&child), 1);
	child__done(&child);
}

static void test_command_status_is_what_a_shell_says(void **state)
{
	char name[] = "sh", opt[] = "-c", line[] = "kill -TERM $$",
	     *argv[] = { name, opt, line, 0 };
	struct child child = { 0 };
	struct session s = { 0 };
	struct run_options run = { .child = &child };

	(void)state;
	assert_int_equal(child__exit_status(&child), 0);
	assert_int_equal(child__start(&child, argv, NULL), 0);
	assert_int_equal(child__exit_status(&child), 0);
	assert_ends_early(&s, &run);
	assert_int_equal(child__exit_status(&child), 128 + SIGTERM);
	child__done(&child);
}

static void test_command_that_does_not_exist(void **state)
{
	char name[] = "/nowhere/at/all", *argv[] = { name, NULL };
	struct child child = { 0 };
	struct session s = { 0 };
	struct run_options opt = { .child = &child };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(child__start(&child, argv, NULL), 0);
	assert_int_equal(run_session(&s, &opt, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "cannot run '/nowhere/at/all'"));
	assert_int_equal(s.polls, 0);
	child__done(&child);
}

static int wake_fd;

struct seen {
	u32 began;
	u32 went_on;
	u32 ended;
};

static void began(void *arg)
{
	((struct seen *)arg)->began++;
}

static void goes_on(void *arg, u64 since_ns)
{
	(void)since_ns;
	((struct seen *)arg)->went_on++;
}

static void ended(void *arg)
{
	((struct seen *)arg)->ended++;
}

static void test_watcher(void **state)
{
	struct seen seen = { 0 };
	struct run_watcher watcher = { began, goes_on, ended, &seen };
	struct session s = { .error = -EIO };
	struct run_options opt = { .duration_ns = NSEC_PER_SEC, .watcher = &watcher };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(run_session(&s, &opt, &err), -EIO);
	assert_string_equal(err.msg, "the ring is broken");
	assert_int_equal(seen.began, 1);
	assert_int_equal(seen.went_on, 1);
	assert_int_equal(seen.ended, 1);
}

/* Counts, and ends it when it was woken for the second time. */
static void take_wakeup(void *arg, u64 since_ns)
{
	struct seen *seen = arg;

	(void)since_ns;
	seen->went_on++;
	if (seen->went_on == 3)
		run_end();
	else
		/* after the look at it, and before the sleep; it is never read */
		assert_int_equal(eventfd_write(wake_fd, 1), 0);
}

static void test_others_wake(void **state)
{
	struct seen seen = { 0 };
	struct run_watcher watcher = { .goes_on = take_wakeup, .arg = &seen };
	struct session s = { 0 };
	struct run_options opt = { .watcher = &watcher };
	struct err err = { 0 };

	(void)state;
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true(wake_fd > 0);
	opt.wake_fd = wake_fd;
	assert_false(run_is_over());
	assert_int_equal(run_session(&s, &opt, &err), 0);
	assert_true(run_is_over());
	assert_int_equal(seen.went_on, 3);
	/* by each of them once */
	assert_int_equal(s.woken, 2);
	close(wake_fd);
}

static void test_silent_command(void **state)
{
	char name[] = "sh", opt[] = "-c",
	     line[] = "for i in 0 1 2; do "
		      "[ \"$(readlink /proc/$$/fd/$i)\" = /dev/null ] || exit 1; done; exit 7",
	     *argv[] = { name, opt, line, 0 };
	struct child child = { .silent = true };
	struct session s = { 0 };
	struct run_options run = { .child = &child };

	(void)state;
	assert_int_equal(child__start(&child, argv, NULL), 0);
	assert_ends_early(&s, &run);
	assert_int_equal(child__exit_status(&child), 7);
	child__done(&child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_time, setup),
		cmocka_unit_test_setup(test_signal, setup),
		cmocka_unit_test_setup(test_signal_before_the_begin, setup),
		cmocka_unit_test_setup(test_targets_end, setup),
		cmocka_unit_test_setup(test_a_cut_ends_a_window_and_not_the_run, setup),
		cmocka_unit_test_setup(test_command_ends, setup),
		cmocka_unit_test_setup(test_command_ends_before_its_children, setup),
		cmocka_unit_test_setup(test_command_status_is_what_a_shell_says, setup),
		cmocka_unit_test_setup(test_command_that_does_not_exist, setup),
		cmocka_unit_test_setup(test_watcher, setup),
		cmocka_unit_test_setup(test_others_wake, setup),
		cmocka_unit_test_setup(test_silent_command, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
