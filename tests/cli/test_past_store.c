/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores for the scripts beside it: `test_past_store DIRECTORY SEED [sleep]` writes the hour from
 * 10:00 (UTC) of eight days, the last of them 2026-11-25, of a machine on which everything varies
 * between days and windows; windows are missing or have other lengths. With `sleep`, one function
 * of `shop` sleeps for 2 ms, 50 times a second, from 10:00 of the last day on. Without words it
 * tests that its numbers vary as it says.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "base/clock.h"
#include "base/sink.h"
#include "lib/literal.h"
#include "store/store_writer.h"

#define DAY_NS (86400 * NSEC_PER_SEC)
/* 2026-11-25T10:00Z */
#define TODAY_NS (20782 * DAY_NS + 36000 * NSEC_PER_SEC)
#define DAYS 8
#define WINDOW_S 300
#define WINDOWS 12

/* What waits, and for how many ms a second. */
struct place {
	const char *process;
	u32 pid;
	const char *function;
	const char *call; /* in libc */
	u32 sysno;
	char state;
	double ms;
};

static const struct place places[] = {
	{ "shop", 10, "fetch_prices", "recv", 45, 'S', 400 },
	{ "shop", 10, "render_cart", "pthread_mutex_lock", 202, 'S', 60 },
	{ "shop", 10, "apply_discount", "pthread_mutex_lock", 202, 'S', 30 },
	{ "shop", 10, "poll_stock", "clock_nanosleep", 230, 'S', 20 },
	{ "db", 20, "write_log", "fsync", 74, 'D', 200 },
	{ "db", 20, "read_page", "pread64", 17, 'D', 150 },
	{ "db", 20, "lock_row", "pthread_cond_wait", 202, 'S', 90 },
	{ "mail", 30, "deliver", "fsync", 74, 'D', 40 },
	{ "mail", 30, "look_up", "poll", 7, 'S', 25 },
	{ "cron", 40, "run_job", "wait4", 61, 'S', 12 },
};
#define SLOW_PLACE 2

struct world {
	u64 state; /* of the random numbers */
	double today[ARRAY_LEN(places)]; /* by how much a day differs */
	double now[ARRAY_LEN(places)]; /* and a window, which resembles the one before */
};

/* splitmix64 */
static double uniform(struct world *w)
{
	u64 z = w->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(struct world *w)
{
	double r = sqrt(-2 * log(uniform(w)));

	return r * cos(2 * 3.14159265358979 * uniform(w));
}

static void begin_day(struct world *w)
{
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		w->today[i] = 0.1 * normal(w);
		w->now[i] = 0.3 * normal(w);
	}
}

/* A heavy tail: one window in fifty has four times as much. */
static double ms_of(struct world *w, size_t place)
{
	w->now[place] = 0.5 * w->now[place] + 0.26 * normal(w);
	return places[place].ms * exp(w->today[place] + w->now[place]) *
	       (uniform(w) < 1 / 50.0 ? 4 : 1);
}

static void put_wait(struct sink *out, size_t i, double ms, u64 seconds, const struct place *as)
{
	u64 ns = (u64)(ms * 1e6 * (double)seconds);

	if (!i || places[i].pid != places[i - 1].pid)
		sink__printf(out, "task %u/%u %s start=%u\n", places[i].pid, places[i].pid,
			     places[i].process, places[i].pid);
	sink__printf(out, "wait %c sys=%u blocked=%lluns count=%llu max=%lluns\n", as->state,
		     as->sysno, ns, 50 * seconds, ns / (50 * seconds) + 1);
	sink__printf(out, " u main\n u @%s %zu %s\n u @libc %u %s\n", places[i].process, 4096 + i,
		     places[i].function, as->sysno, as->call);
}

static void put_window(struct world *w, u64 begin_ns, u64 seconds, bool sleeps, struct sink *out)
{
	static const struct place sleep = { .call = "clock_nanosleep", .sysno = 230, .state = 'S' };

	sink__printf(out,
		     "host db1\nkernel 6.18.44\narch x86_64\nboot 5f1c\nncpu 4\nwindow %llus\n"
		     "begin_wall %llu\nbegin_mono %llu\nmodule libc elf /usr/lib/libc.so.6\n",
		     seconds, begin_ns, begin_ns - TODAY_NS + 100 * DAY_NS);
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (!i || places[i].pid != places[i - 1].pid)
			sink__printf(out, "module %s elf /usr/bin/%s\n", places[i].process,
				     places[i].process);
	}
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		put_wait(out, i, ms_of(w, i), seconds, &places[i]);
		if (sleeps && i == SLOW_PLACE)
			put_wait(out, i, 100, seconds, &sleep);
	}
}

static int add(struct store_writer *store, const char *text, u64 begin_ns, struct err *err)
{
	struct cause_memo memo = { 0 };
	struct profile *p = NULL;
	struct recorder *rec;
	int r = literal_parse(text, &p, err);

	memo.p = p;
	if (!r)
		r = store_writer__recorder(store, begin_ns, 0, &rec, err);
	if (!r)
		r = recording_file_add(rec, p, &memo, err);
	cause_memo__done(&memo);
	profile__free(p);
	return r;
}

static int add_window(struct world *w, struct store_writer *store, u64 begin_ns, u64 seconds,
		      bool sleeps, struct err *err)
{
	struct sink out;
	int r;

	sink__init_mem(&out);
	put_window(w, begin_ns, seconds, sleeps, &out);
	sink__put(&out, "", 1);
	r = sink__finish(&out, err);
	if (!r)
		r = add(store, out.buf, begin_ns, err);
	sink__done(&out);
	return r;
}

static int make(const char *dir, u64 seed, bool sleeps, struct err *err)
{
	struct world w = { .state = seed * 1000003 };
	struct store_writer *store;
	int r = store_writer__open(dir, &store, err);

	for (u32 i = 0; i < DAYS * WINDOWS && !r; i++) {
		u64 day = DAYS - 1 - i / WINDOWS, seconds = WINDOW_S;
		u64 begin_ns = TODAY_NS - day * DAY_NS + i % WINDOWS * WINDOW_S * NSEC_PER_SEC;
		double luck = uniform(&w);

		if (i % WINDOWS == 0)
			begin_day(&w);
		if (luck < 0.04 && i % WINDOWS + 1 < WINDOWS)
			continue;
		if (luck < 0.08) {
			r = add_window(&w, store, begin_ns, 20, sleeps && !day, err);
			begin_ns += 20 * NSEC_PER_SEC;
			seconds -= 20;
		}
		if (!r)
			r = add_window(&w, store, begin_ns, seconds, sleeps && !day, err);
	}
	if (!r)
		store_writer__close(store);
	return r;
}

static void test_past_store__varies(void **state)
{
	struct world w = { .state = 1 };
	double sum = 0, squares = 0;

	(void)state;
	for (u32 i = 0; i < 10000; i++) {
		double x = normal(&w);

		sum += x;
		squares += x * x;
	}
	assert_true(fabs(sum / 10000) < 0.05);
	assert_true(fabs(squares / 10000 - 1) < 0.05);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_past_store__varies),
	};
	struct err err = { 0 };

	if (argc < 3)
		return cmocka_run_group_tests(tests, NULL, NULL);
	if (make(argv[1], strtoull(argv[2], NULL, 10), argc > 3, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	return 0;
}
