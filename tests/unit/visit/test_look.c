/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at threads of a made-up /proc, where files are missing as in gVisor and old kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/thread.h"
#include "visit/look.h"

#define STAT                                                                                       \
	"77 (a) S 1 77 77 0 -1 64 0 0 0 0 150 16 0 0 20 0 1 0 2300 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 " \
	"1 1 1 1\n"

struct world {
	char root[32];
	struct looker looker;
	struct looked_at thread;
};

static void put(const struct world *w, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/77/task/77/%s", w->root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int set_up(void **state)
{
	struct world *w = calloc(1, sizeof(*w));
	char path[256];

	if (!w)
		return -1;
	snprintf(w->root, sizeof(w->root), "/tmp/look-XXXXXX");
	if (!mkdtemp(w->root))
		return -1;
	snprintf(path, sizeof(path), "mkdir -p %s/77/task/77 %s/self", w->root, w->root);
	w->thread = (struct looked_at){ .tgid = 77, .tid = 77, .fd = -1, .is_kthread = true };
	*state = w;
	return system(path);
}

/* With our own counters, or without any. */
static void begin(struct world *w, const char *own)
{
	const struct look_options opt = { .kernel_stacks = true, .depth = 10 };

	if (own)
		put(w, "../../../self/schedstat", own);
	assert_int_equal(looker__init(&w->looker, &opt, w->root), 0);
}

static int tear_down(void **state)
{
	struct world *w = *state;
	char command[256];

	looker__done(&w->looker);
	snprintf(command, sizeof(command), "rm -rf %s", w->root);
	free(w);
	return system(command);
}

static void test_looker__read_takes_schedstat(void **state)
{
	struct world *w = *state;
	struct tally_reading now;

	begin(w, "1 2 3\n");
	put(w, "schedstat", "5000 300 7\n");
	assert_int_equal(looker__read(&w->looker, &w->thread, &now), 0);
	assert_int_equal(now.on_ns, 5000);
	assert_int_equal(now.runq_ns, 300);
	assert_int_equal(now.runs, 7);
	assert_false(w->looker.coarse);
}

static void test_looker__read_does_without_schedstat(void **state)
{
	struct world *w = *state;
	struct tally_reading now;

	begin(w, NULL);
	put(w, "stat", STAT);
	put(w, "status",
	    "voluntary_ctxt_switches:\t5\n"
	    "nonvoluntary_ctxt_switches:\t2\n");
	assert_int_equal(looker__read(&w->looker, &w->thread, &now), 0);
	assert_true(w->looker.coarse);
	assert_int_equal(now.on_ns, thread_ticks_ns(166));
	assert_int_equal(now.runq_ns, 0);
	assert_int_equal(now.runs, 7);
}

static void test_looker__read_takes_zeros_for_no_counters(void **state)
{
	struct world *w = *state;
	struct tally_reading now;

	begin(w, "0 0 0\n");
	put(w, "schedstat", "0 0 0\n");
	put(w, "stat", STAT);
	put(w, "status", "Name:\ta\n");
	assert_int_equal(looker__read(&w->looker, &w->thread, &now), 0);
	assert_true(w->looker.coarse);
	assert_true(now.runs == TALLY_RUNS_UNKNOWN);
}

/* A thread that never ran must not change how the others are read. */
static void test_looker__read_believes_zeros_of_one_thread(void **state)
{
	struct world *w = *state;
	struct tally_reading now;

	begin(w, "1 2 3\n");
	put(w, "schedstat", "0 0 0\n");
	assert_int_equal(looker__read(&w->looker, &w->thread, &now), 0);
	assert_int_equal(now.runs, 0);
	assert_false(w->looker.coarse);
}

static void test_looker__read_knows_the_gone(void **state)
{
	struct world *w = *state;
	struct tally_reading now;

	begin(w, "1 2 3\n");
	w->thread.tid = 78;
	assert_int_equal(looker__read(&w->looker, &w->thread, &now), -ESRCH);
}

static void test_looker__look_finds_what_files_there_are(void **state)
{
	struct world *w = *state;
	const struct look_key *key;
	struct look look = { .now.runs = 7 };

	begin(w, "1 2 3\n");
	put(w, "schedstat", "5000 300 7\n");
	put(w, "stat", STAT);
	assert_int_equal(looker__look(&w->looker, &w->thread, &look), 0);
	assert_int_equal(look.state, 1);
	assert_true(look.key != 0);
	key = intern__at(&w->looker.keys, look.key);
	assert_int_equal(key->kstack, 0);
	put(w, "wchan", "futex_wait_queue");
	assert_int_equal(looker__look(&w->looker, &w->thread, &look), 0);
	key = intern__at(&w->looker.keys, look.key);
	assert_true(key->kstack != 0);
	assert_string_equal(strtab__get(&w->looker.stacks.names, 1), "futex_wait_queue");
}

static void test_looker__look_takes_no_key_of_a_running_thread(void **state)
{
	struct world *w = *state;
	struct look look = { .now.runs = 7 };

	begin(w, "1 2 3\n");
	put(w, "schedstat", "5000 300 7\n");
	put(w, "stat",
	    "77 (a) R 1 77 77 0 -1 64 0 0 0 0 150 16 0 0 20 0 1 0 2300 1 1 1 1 1 1 1 1 1 1\n");
	assert_int_equal(looker__look(&w->looker, &w->thread, &look), 0);
	assert_int_equal(look.key, 0);
	assert_false(look.is_dead);
	put(w, "stat",
	    "77 (a) Z 1 77 77 0 -1 64 0 0 0 0 150 16 0 0 20 0 1 0 2300 1 1 1 1 1 1 1 1 1 1\n");
	assert_int_equal(looker__look(&w->looker, &w->thread, &look), 0);
	assert_true(look.is_dead);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_looker__read_takes_schedstat),
		TEST(test_looker__read_does_without_schedstat),
		TEST(test_looker__read_takes_zeros_for_no_counters),
		TEST(test_looker__read_believes_zeros_of_one_thread),
		TEST(test_looker__read_knows_the_gone),
		TEST(test_looker__look_finds_what_files_there_are),
		TEST(test_looker__look_takes_no_key_of_a_running_thread),
	};

	return cmocka_run_group_tests_name("look", tests, NULL, NULL);
}
