/* SPDX-License-Identifier: Apache-2.0 */
/* From the windows of a trace to finished profiles. The trace is ours: capture.h is replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

#include "base/clock.h"
#include "session/session.h"

#define WINDOW_NS 1000000ULL

static struct session *s;
static struct fake {
	u32 cuts, stops, drains, polls, frees;
	int cut_result, poll_result, drain_result;
	u64 cut_at_ns;
	u64 switches_ns; /* cost of the hooks; 0: they keep the budget */
	u64 started_at_ns, stopped_at_ns;
	u32 opens, visit_hz;
	int open_result;
	u64 excess_ns; /* of a listed wait over the totals of its thread */
} fake;

int features__verdict(const struct features *f, struct err *err)
{
	return f ? 0 : err__set(err, -EPERM, "no rights");
}

int capture__open(const struct capture_options *opt, const struct features *f, struct capture **ret,
		  struct err *err)
{
	(void)f;
	if (fake.open_result)
		return err__set(err, fake.open_result, "no iterator");
	fake.opens++;
	fake.visit_hz = opt->visit_hz;
	*ret = (struct capture *)&fake;
	return 0;
}

u32 capture__threads(const struct capture *c)
{
	(void)c;
	return 5;
}

u32 capture__targets(const struct capture *c)
{
	(void)c;
	return 2;
}

int capture__expect_target(struct capture *c, u32 id, struct err *err)
{
	(void)c;
	return err__set(err, -ESRCH, "no target %u", id);
}

int capture__add_target(struct capture *c, u32 id, struct err *err)
{
	return capture__expect_target(c, id, err);
}

int capture__remove_target(struct capture *c, u32 id, struct err *err)
{
	return capture__expect_target(c, id, err);
}

int capture__add_cgroup(struct capture *c, const char *path, struct err *err)
{
	(void)c, (void)path, (void)err;
	return 0;
}

int capture__remove_cgroup(struct capture *c, const char *path, struct err *err)
{
	(void)c, (void)path, (void)err;
	return 0;
}

void capture__start(struct capture *c)
{
	(void)c;
}

void capture__start_at(struct capture *c, u64 at_ns)
{
	(void)c;
	fake.started_at_ns = at_ns;
}

bool capture__hooks_cost(const struct capture *c, u64 *ret_switches_ns, u64 *ret_switch_ns)
{
	(void)c;
	*ret_switches_ns = fake.switches_ns;
	*ret_switch_ns = 250;
	return fake.switches_ns;
}

/* Waits for what it is given: the thread that looks up names says when it is done. */
int capture__poll(struct capture *c, int wake_fd, int timeout_ms, struct err *err)
{
	struct pollfd fd = { .fd = wake_fd, .events = POLLIN };

	(void)c;
	fake.polls++;
	if (wake_fd >= 0)
		assert_in_range(poll(&fd, 1, timeout_ms), 0, 1);
	return fake.poll_result == -EIO ? err__set(err, -EIO, "no news") : fake.poll_result;
}

int capture__cut(struct capture *c, u64 at_ns, struct err *err)
{
	(void)c;
	fake.cuts++;
	fake.cut_at_ns = at_ns;
	return fake.cut_result ? err__set(err, fake.cut_result, "no end") : 0;
}

u64 capture__end_at(struct capture *c, u64 at_ns)
{
	(void)c;
	return at_ns ^ 1;
}

int capture__stop(struct capture *c, u64 at_ns, struct err *err)
{
	(void)c;
	(void)err;
	fake.stopped_at_ns = at_ns;
	fake.stops++;
	return 0;
}

int capture__hists(struct capture *c, capture_hist_fn *each, void *arg, struct err *err)
{
	(void)c;
	(void)each;
	(void)arg;
	(void)err;
	return 0;
}

u64 capture__hists_lost(const struct capture *c)
{
	(void)c;
	return 3;
}

int capture__kernel_symbols(const struct capture *c, struct kallsyms **ret, struct err *err)
{
	(void)c;
	(void)ret;
	return err__set(err, -EACCES, "hidden");
}

/* A thread that sleeps throughout. */
int capture__drain(struct capture *c, struct builder *b, const struct kallsyms *k,
		   const struct capture_files *files, struct err *err)
{
	struct profile_task t = { .tid = 7, .tgid = 7, .wall_ns = WINDOW_NS };
	struct profile_wait w = { .sysno = -1, .state = 1, .count = 1, .samples = 1 };

	(void)c;
	(void)k;
	(void)files;
	fake.drains++;
	if (fake.drain_result)
		return err__set(err, fake.drain_result, "no profile");
	t.blocked_ns[1] = WINDOW_NS;
	builder__header(b)->window_ns = WINDOW_NS;
	builder__header(b)->max_ns = ~0ULL;
	builder__task(b, &t, &w.task);
	w.blocked_ns = w.max_ns = WINDOW_NS + fake.excess_ns;
	w.hist[0] = 1;
	builder__task_waits(b, w.task, 1);
	return builder__wait(b, &w);
}

const char *capture__notice(const struct capture *c, size_t idx)
{
	(void)c;
	return idx ? NULL : "a notice of the trace";
}

bool capture__take_slow_request(struct capture *c)
{
	(void)c;
	return false;
}

u64 capture__memory_bytes(const struct capture *c)
{
	(void)c;
	return 4096;
}

void capture__free(struct capture *c)
{
	fake.frees += c != NULL;
}

static const struct session_options options = { .command = "coldspot record",
						.target = "thread 7",
						.version = "0.test" };

static int set_up(void **state)
{
	static const struct features features;
	struct err err;

	(void)state;
	fake = (struct fake){ 0 };
	return session__open(&options, &features, &s, &err);
}

static int tear_down(void **state)
{
	(void)state;
	session__free(s);
	return fake.frees == 1 ? 0 : -1;
}

static void test_open__says_what_is_missing(void **state)
{
	struct session *none = NULL;
	struct err err;

	(void)state;
	assert_int_equal(session__open(&options, NULL, &none, &err), -EPERM);
	assert_string_equal(err.msg, "no rights");
	assert_null(none);
}

/* One profile for each window, and the trace is read while it is made. */
static void test_next__gives_a_profile_of_each_window(void **state)
{
	struct profile *p;
	struct err err;

	(void)state;
	for (u32 window = 1; window <= 3; window++) {
		p = NULL;
		assert_int_equal(session__next(s, window * WINDOW_NS, &p, &err), 0);
		assert_int_equal(fake.cut_at_ns, window * WINDOW_NS);
		assert_int_equal(fake.cuts, window);
		assert_int_equal(fake.drains, window);
		assert_in_range(fake.polls, window, ~0U);
		assert_int_equal(p->tasks[1].blocked_ns[1], WINDOW_NS);
		profile__free(p);
	}
	assert_int_equal(fake.stops, 0);
}

static void test_finish__reads_no_news_of_a_trace_that_is_over(void **state)
{
	struct profile *p = NULL;
	struct err err;

	(void)state;
	assert_int_equal(session__finish(s, &p, &err), 0);
	assert_int_equal(fake.stops, 1);
	assert_int_equal(fake.polls, 0);
	profile__free(p);
}

static void test_finish__header_says_who_what_and_where(void **state)
{
	struct profile *p = NULL;
	struct utsname un;
	struct err err;

	(void)state;
	assert_int_equal(uname(&un), 0);
	assert_int_equal(session__finish(s, &p, &err), 0);
	assert_string_equal(profile__str(p, p->hdr.command), "coldspot record");
	assert_string_equal(profile__str(p, p->hdr.target), "thread 7");
	assert_string_equal(profile__str(p, p->hdr.version), "0.test");
	assert_string_equal(profile__str(p, p->hdr.host), un.nodename);
	assert_string_equal(profile__str(p, p->hdr.kernel), un.release);
	assert_in_range(p->hdr.ncpu, 1, 1 << 16);
	profile__free(p);
}

/* Ctrl-C while news are read: the window has ended, and its profile is wanted. */
static void test_next__of_an_interrupted_poll_gives_its_profile(void **state)
{
	struct profile *p = NULL;
	struct err err;

	(void)state;
	fake.poll_result = -EINTR;
	assert_int_equal(session__next(s, 0, &p, &err), 0);
	assert_non_null(p);
	profile__free(p);
}

static void test_next__fails_with_the_error_of_the_trace(void **state)
{
	struct profile *p = NULL;
	struct err err;

	(void)state;
	fake.poll_result = -EIO;
	assert_int_equal(session__next(s, 0, &p, &err), -EIO);
	assert_string_equal(err.msg, "no news");
	fake.poll_result = 0;
	fake.drain_result = -ENOMEM;
	assert_int_equal(session__next(s, 0, &p, &err), -ENOMEM);
	fake.cut_result = -EBADF;
	fake.drains = 0;
	assert_int_equal(session__next(s, 0, &p, &err), -EBADF);
	assert_int_equal(fake.drains, 0);
	assert_null(p);
}

/* Nobody gets a profile that does not add up. */
static void test_next__refuses_a_profile_that_is_not_sound(void **state)
{
	struct profile *p = NULL;
	struct err err;

	(void)state;
	fake.excess_ns = 1;
	assert_int_equal(session__next(s, 0, &p, &err), -EINVAL);
	assert_null(p);
}

/* With a budget, names are work for later: other programs come first. */
static void test_finish__lowers_our_priority_only_with_a_budget(void **state)
{
	struct session_options cheap = options;
	static const struct features features;
	int before = getpriority(PRIO_PROCESS, 0);
	struct profile *p = NULL;
	struct err err;

	(void)state;
	assert_int_equal(session__finish(s, &p, &err), 0);
	profile__free(p);
	assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
	session__free(s);
	fake.frees = 0;
	cheap.capture.overhead_ppm = 5000;
	assert_int_equal(session__open(&cheap, &features, &s, &err), 0);
	assert_int_equal(session__finish(s, &p, &err), 0);
	profile__free(p);
	assert_in_range(getpriority(PRIO_PROCESS, 0), before + 1, 19);
}

static void test_notices__are_ours_and_those_of_the_trace(void **state)
{
	(void)state;
	assert_string_equal(session__notice(s, 0), "a notice of the trace");
	assert_null(session__notice(s, 1));
	assert_int_equal(session__hists_lost(s), 3);
	assert_int_equal(session__threads(s), 5);
	assert_int_equal(session__targets(s), 2);
	assert_int_equal(session__kernel_memory_bytes(s), 4096);
}

/* Of a machine whose switches cost a second of CPU time each second. */
static void open_governed(u64 switches_ns)
{
	struct session_options governed = options;
	static const struct features features;
	struct err err;

	session__free(s);
	fake = (struct fake){ .switches_ns = switches_ns };
	governed.capture.overhead_ppm = 10000;
	governed.changes = true;
	assert_int_equal(session__open(&governed, &features, &s, &err), 0);
}

static void test_changes__not_while_hooks_keep_the_budget(void **state)
{
	struct err err;

	(void)state;
	open_governed(0);
	assert_int_equal(session__poll(s, -1, 0, &err), 0);
	assert_false(session__changes(s));
	assert_int_equal(fake.opens, 1);
}

static void test_changes__to_visits_at_the_end_of_a_window(void **state)
{
	u64 end_ns = clock_mono_ns() + 50 * NSEC_PER_MSEC;
	struct profile *p = NULL;
	struct err err;

	(void)state;
	open_governed(NSEC_PER_SEC);
	assert_int_equal(session__poll(s, -1, 0, &err), 0);
	assert_true(session__changes(s));
	assert_int_equal(fake.opens, 2);
	assert_int_equal(fake.visit_hz, 19);
	assert_int_equal(fake.stops + fake.cuts, 0);
	assert_int_equal(session__next(s, end_ns, &p, &err), 0);
	assert_false(session__changes(s));
	assert_int_equal(fake.cuts, 0);
	assert_int_equal(fake.stops, 1);
	assert_int_equal(fake.frees, 1);
	/* the last bit of an instant is not ours to choose */
	assert_int_equal(fake.stopped_at_ns, end_ns ^ 1);
	assert_in_range(fake.started_at_ns, fake.stopped_at_ns + 1, fake.stopped_at_ns + 2);
	assert_int_equal(fake.started_at_ns & 1, 0);
	assert_string_equal(session__notice(s, 0), "a notice of the trace");
	assert_non_null(strstr(session__notice(s, 1), "visited 19 times a second"));
	profile__free(p);
	/* visits have no hooks that could break the budget */
	assert_int_equal(session__poll(s, -1, 0, &err), 0);
	assert_false(session__changes(s));
	fake.frees = 0;
}

static void test_changes__as_soon_as_possible_without_an_end(void **state)
{
	struct profile *p = NULL;
	struct err err;

	(void)state;
	open_governed(NSEC_PER_SEC);
	assert_int_equal(session__poll(s, -1, 0, &err), 0);
	assert_int_equal(session__next(s, 0, &p, &err), 0);
	assert_in_range(fake.stopped_at_ns, clock_mono_ns() - NSEC_PER_SEC,
			clock_mono_ns() + NSEC_PER_SEC);
	assert_true(fake.started_at_ns > fake.stopped_at_ns);
	profile__free(p);
	fake.frees = 0;
}

static void test_changes__not_to_what_cannot_be_opened(void **state)
{
	struct err err;

	(void)state;
	open_governed(NSEC_PER_SEC);
	fake.open_result = -EOPNOTSUPP;
	assert_int_equal(session__poll(s, -1, 0, &err), 0);
	assert_false(session__changes(s));
	assert_string_equal(session__notice(s, 0),
			    "cannot visit threads, which would cost less than hooks, so the "
			    "recording goes on as before: no iterator");
}

#define T(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(test_open__says_what_is_missing),
		T(test_next__gives_a_profile_of_each_window),
		T(test_finish__reads_no_news_of_a_trace_that_is_over),
		T(test_finish__header_says_who_what_and_where),
		T(test_next__of_an_interrupted_poll_gives_its_profile),
		T(test_next__fails_with_the_error_of_the_trace),
		T(test_next__refuses_a_profile_that_is_not_sound),
		T(test_notices__are_ours_and_those_of_the_trace),
		T(test_changes__not_while_hooks_keep_the_budget),
		T(test_changes__to_visits_at_the_end_of_a_window),
		T(test_changes__as_soon_as_possible_without_an_end),
		T(test_changes__not_to_what_cannot_be_opened),
		/* the last: a priority cannot be raised again */
		T(test_finish__lowers_our_priority_only_with_a_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
