/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every golden profile through a recording: each format gives the same bytes. And a recording
 * made by an old version stays readable: those of tests/golden/recording have the profiles of a
 * few cases as their windows. These files are never rewritten; GOLDEN_ACCEPT creates one if
 * it is missing, for the next version.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/cause/cause.h"
#include "base/mem.h"
#include "app/recording_file.h"
#include "lib/literal.h"
#include "lib/workdir.h"
#include "recording/check.h"
#include "recording/reader.h"
#include "recording/writer.h"
#include "render/formats.h"

/* By format and minor version, and those that an agent wrote. */
static const struct old {
	const char *path;
	const char *windows[12]; /* up to NULL */
} olds[] = {
	{ "tests/golden/recording/format1.coldspot", { "shop", "sampled" } },
	{ "tests/golden/recording/format1.1.coldspot", { "shop", "objects", "wall", "hists" } },
	{ "tests/golden/recording/format1.2.coldspot", { "part", "wall" } },
	{ "tests/golden/recording/format1.3.coldspot", { "cgroups", "objects", "wall", "hists" } },
	{ "tests/golden/recording/format1.4.coldspot",
	  { "cgroups", "objects", "wall", "hists", "wakers" } },
	{ "tests/golden/recording/format1.5.coldspot",
	  { "shop", "objects", "wall", "hists", "wakers" } },
	{ "tests/golden/recording/format1.6.coldspot",
	  { "shop", "objects", "wall", "hists", "wakers", "imported" } },
	{ "tests/golden/recording/format1.7.coldspot",
	  { "shop", "cgroups", "wall", "wakers", "imported" } },
	{ "tests/golden/recording/format1.8.coldspot",
	  { "shop", "sampled", "recording/singles", "hists", "containers" } },
	{ "tests/golden/recording/format1.9.coldspot", { "shop", "lost", "hists" } },
	{ "tests/golden/recording/store1.8.coldspot",
	  { "shop", "sampled", "shop", "recording/singles", "containers", "shop" } },
};

static struct workdir dir;

static struct profile *load(const char *name)
{
	char path[512];
	struct profile *p = NULL;
	struct err err = { 0 };

	snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", name);
	if (literal_load(path, &p, &err))
		fail_msg("%s: %s", path, err.msg);
	return p;
}

static struct profile *read_back(const char *path, size_t idx)
{
	struct recording *rec = NULL;
	struct profile *p = NULL;
	struct err err = { 0 };

	if (recording__open(path, &rec, &err) || recording__read(rec, idx, &p, &err))
		fail_msg("%s", err.msg);
	assert_null(recording__damage(rec, 0));
	recording__close(rec);
	return p;
}

static void assert_same_bytes(const struct profile *a, const struct profile *b)
{
	const struct render_options opt = { 0 };
	const struct profile *const both[] = { a, b };
	struct sink out[2];
	size_t i, k;

	for (i = 0; render_formats[i]; i++) {
		for (k = 0; k < 2; k++) {
			sink__init_mem(&out[k]);
			assert_int_equal(render_formats[i]->render(both[k], &opt, &out[k], NULL),
					 0);
			assert_int_equal(sink__finish(&out[k], NULL), 0);
		}
		if (out[0].len != out[1].len || memcmp(out[0].buf, out[1].buf, out[0].len) != 0)
			fail_msg("%s is another when it comes from a recording",
				 render_formats[i]->name);
		sink__done(&out[0]);
		sink__done(&out[1]);
	}
}

static int is_case(const struct dirent *entry)
{
	char path[512];

	snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", entry->d_name);
	return access(path, R_OK) == 0;
}

/* As `record -o` writes it. */
static void write_recording(const char *path, const struct profile *p)
{
	struct err err = { 0 };
	struct sink out;

	sink__init_mem(&out);
	if (recording_file_write(p, NULL, &out, &err) || sink__finish(&out, &err))
		fail_msg("%s", err.msg);
	workdir__write(&dir, path, out.buf, out.len);
	sink__done(&out);
}

static void count_fault(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

static void assert_sound(const char *path)
{
	struct recording_checked sum;
	struct err err = { 0 };

	if (recording_check(path, count_fault, NULL, &sum, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(sum.faults, 0);
}

static void test_recording__read_renders_to_the_same_bytes(void **state)
{
	struct dirent **cases;
	int n = scandir("tests/golden", &cases, is_case, alphasort), i;

	(void)state;
	assert_true(n > 5);
	for (i = 0; i < n; i++) {
		struct profile *p = load(cases[i]->d_name), *q;

		write_recording("case.coldspot", p);
		q = read_back(workdir__path(&dir, "case.coldspot"), 0);
		assert_same_bytes(p, q);
		assert_sound(workdir__path(&dir, "case.coldspot"));
		profile__free(p);
		profile__free(q);
		free(cases[i]);
	}
	free(cases);
}

static void record_labelled(struct recorder *rec, const struct profile *p)
{
	struct recording_label *labels = mem_alloc(p->waits_len * sizeof(*labels));
	struct recording_cause *rows = mem_alloc(p->waits_len * sizeof(*rows));
	struct causes causes;
	u32 len = 0, i, k;

	assert_true(labels && rows);
	assert_int_equal(causes__init(&causes, p, NULL, NULL), 0);
	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];

		labels[i].cause = cause_name(causes__of(&causes, i));
		labels[i].class = class_name(causes__class(&causes, i));
		for (k = 0; k < len && strcmp(rows[k].name, labels[i].cause) != 0; k++)
			;
		if (k == len)
			rows[len++] = (struct recording_cause){ .name = labels[i].cause };
		rows[k].waits += w->count;
		rows[k].blocked_ns += w->blocked_ns;
		rows[k].runq_ns += w->runq_ns;
		if (w->max_ns > rows[k].max_ns)
			rows[k].max_ns = w->max_ns;
	}
	assert_int_equal(recorder__add(rec, p, rows, len, labels, NULL), 0);
	causes__done(&causes);
	mem_free(rows);
	mem_free(labels);
}

static void make_old(const struct old *old)
{
	struct recorder *rec = NULL;
	size_t i;

	if (strstr(old->path, "/store"))
		assert_int_equal(recorder__create_lean(old->path, &rec, NULL), 0);
	else
		assert_int_equal(recorder__create(old->path, &rec, NULL), 0);
	for (i = 0; old->windows[i]; i++) {
		struct profile *p = load(old->windows[i]);

		record_labelled(rec, p);
		profile__free(p);
	}
	assert_int_equal(recorder__finish(rec, NULL), 0);
	recorder__free(rec);
}

static void assert_understood(const struct old *old)
{
	struct profile *p, *q;
	size_t i;

	if (access(old->path, R_OK) && getenv("GOLDEN_ACCEPT"))
		make_old(old);
	for (i = 0; old->windows[i]; i++) {
		p = load(old->windows[i]);
		q = read_back(old->path, i);
		assert_same_bytes(p, q);
		profile__free(p);
		profile__free(q);
	}
	assert_sound(old->path);
}

static void test_recording__read_understands_format_1(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(olds); i++)
		assert_understood(&olds[i]);
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
		cmocka_unit_test(test_recording__read_renders_to_the_same_bytes),
		cmocka_unit_test(test_recording__read_understands_format_1),
	};

	return cmocka_run_group_tests_name("recording/golden", tests, set_up, tear_down);
}
