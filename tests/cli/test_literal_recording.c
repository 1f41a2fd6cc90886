/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings for the scripts beside it, from profiles written as text, so that they need no right
 * to trace: `test_literal_recording OUT.coldspot WINDOW.lit...`. Without words it tests that what
 * it makes is what it read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/cause/cause.h"
#include "lib/literal.h"
#include "lib/workdir.h"
#include "recording/reader.h"
#include "recording/writer.h"

static int add_window(struct recorder *rec, const char *path, struct err *err)
{
	struct recording_cause all = { .name = "all" };
	struct profile *p = NULL;
	u32 i;
	int r = literal_load(path, &p, err);

	if (r)
		return r;
	for (i = 1; i < p->waits_len; i++) {
		all.waits += p->waits[i].count;
		all.blocked_ns += p->waits[i].blocked_ns;
		all.runq_ns += p->waits[i].runq_ns;
		if (p->waits[i].max_ns > all.max_ns)
			all.max_ns = p->waits[i].max_ns;
	}
	profile__count_unnamed(p);
	r = recorder__add(rec, p, &all, p->waits_len > 1, NULL, err);
	profile__free(p);
	return r;
}

static int make(const char *out, char *const *windows, struct err *err)
{
	struct recorder *rec = NULL;
	int r = recorder__create(out, &rec, err);

	for (; *windows && !r; windows++)
		r = add_window(rec, *windows, err);
	if (!r)
		r = recorder__finish(rec, err);
	recorder__free(rec);
	return r;
}

static void test_literal_recording__is_what_was_read(void **state)
{
	char lit[] = "tests/golden/shop/profile.lit";
	struct profile *p = NULL, *q = NULL;
	struct recording *rec = NULL;
	struct profile_budget a, b;
	struct err err = { 0 };
	struct workdir dir;

	(void)state;
	workdir__init(&dir);
	if (make(workdir__path(&dir, "x.coldspot"), (char *[]){ lit, NULL }, &err) ||
	    literal_load(lit, &p, &err) ||
	    recording__open(workdir__path(&dir, "x.coldspot"), &rec, &err) ||
	    recording__read(rec, 0, &q, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(profile__budget(p, &a), 0);
	assert_int_equal(profile__budget(q, &b), 0);
	assert_memory_equal(&a, &b, sizeof(a));
	profile__free(p);
	profile__free(q);
	recording__close(rec);
	workdir__done(&dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literal_recording__is_what_was_read),
	};
	struct err err = { 0 };

	if (argc < 3)
		return cmocka_run_group_tests(tests, NULL, NULL);
	if (make(argv[1], argv + 2, &err)) {
		fprintf(stderr, "%s\n", err.msg);
		return 1;
	}
	return 0;
}
