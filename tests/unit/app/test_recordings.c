/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define profile_source_merge spied_source_merge
#include "app/recordings.c"
#undef profile_source_merge
int profile_source_merge(const struct profile_source *src, struct profile **ret, struct err *err);

#include "analysis/cause/cause_memo.h"
#include "app/recording_file.h"
#include "base/mem.h"
#include "lib/lit.h"
#include "lib/workdir.h"
#include "recording/writer.h"

#define S NSEC_PER_SEC

/* Ten seconds of one thread. */
#define WINDOW(begin)                                                                              \
	"arch x86_64\nsides user kernel\nwindow 10s\nbegin_wall " begin "\n"                       \
	"task 10/10 web group=web on=2s\n  wait S sys=futex blocked=8s\n    u main\n"

/* What the source of windows says: N, A, and . at its end. */
static char said[16];
static const struct profile_source *spied;

static int spy(void *arg, struct profile **ret, struct err *err)
{
	int r = spied->next(arg, ret, err);
	size_t len = strlen(said);

	if (r >= 0 && len + 1 < sizeof(said))
		said[len] = ".NA"[r];
	return r;
}

int spied_source_merge(const struct profile_source *src, struct profile **ret, struct err *err)
{
	const struct profile_source spying = { spy, src->arg };

	memset(said, 0, sizeof(said));
	spied = src;
	return profile_source_merge(&spying, ret, err);
}

struct loaded {
	struct workdir dir;
	struct vec files;
	struct notices notices;
	struct profile *p;
	struct recordings_found found;
	struct err err;
};

static int setup(void **state)
{
	struct loaded *l = mem_array(1, sizeof(*l));

	assert_non_null(l);
	workdir__init(&l->dir);
	vec__init(&l->files, sizeof(const char *));
	notices__init(&l->notices);
	*state = l;
	return 0;
}

static int teardown(void **state)
{
	struct loaded *l = *state;

	profile__free(l->p);
	notices__done(&l->notices);
	vec__done(&l->files);
	workdir__done(&l->dir);
	mem_free(l);
	return 0;
}

static void add_file(struct loaded *l, const char *name, const char *text)
{
	const char **path = vec__push(&l->files);
	struct profile *p = text ? lit(text) : NULL;
	struct sink out;

	assert_non_null(path);
	*path = workdir__path(&l->dir, name);
	if (!p)
		return;
	sink__init_mem(&out);
	assert_int_equal(recording_file_write(p, NULL, &out, NULL), 0);
	assert_int_equal(sink__finish(&out, NULL), 0);
	workdir__write(&l->dir, name, out.buf, out.len);
	sink__done(&out);
	profile__free(p);
}

/* A file of two windows. */
static void add_two(struct loaded *l, const char *name, const char *a, const char *b)
{
	const char **path = vec__push(&l->files);
	const char *const texts[] = { a, b };
	struct recorder *rec = NULL;

	assert_non_null(path);
	*path = workdir__path(&l->dir, name);
	assert_int_equal(recorder__create(*path, &rec, NULL), 0);
	for (u32 i = 0; i < 2; i++) {
		struct profile *p = lit(texts[i]);
		struct cause_memo memo = { .p = p };

		assert_int_equal(recording_file_add(rec, p, &memo, NULL), 0);
		cause_memo__done(&memo);
		profile__free(p);
	}
	assert_int_equal(recorder__finish(rec, NULL), 0);
	recorder__free(rec);
}

static int read_range(struct loaded *l, const char *from, const char *to)
{
	struct time_range range = { 0 };

	if (from)
		assert_int_equal(time_point_parse(from, &range.from, NULL), 0);
	if (to)
		assert_int_equal(time_point_parse(to, &range.to, NULL), 0);
	return recordings_load(&l->files, &range, &l->notices, &l->p, &l->found, &l->err);
}

static void test_files_are_merged(void **state)
{
	struct loaded *l = *state;
	struct profile_budget b;

	add_file(l, "a.coldspot", WINDOW("1790000000000000000"));
	add_file(l, "b.coldspot", WINDOW("1790000010000000000"));
	assert_int_equal(read_range(l, NULL, NULL), 0);
	assert_int_equal(profile__budget(l->p, &b), 0);
	assert_int_equal(b.listed_blocked_ns, 16 * S);
	assert_int_equal(notices__len(&l->notices), 0);
	assert_false(l->found.damaged);
}

/* The windows of one file go on from each other, and those of the next one do not. */
static void test_each_file_is_another_recording(void **state)
{
	struct loaded *l = *state;
	struct profile_budget b;

	add_two(l, "a.coldspot", WINDOW("1790000000000000000"), WINDOW("1790000010000000000"));
	add_two(l, "b.coldspot", WINDOW("1790000020000000000"), WINDOW("1790000030000000000"));
	assert_int_equal(read_range(l, NULL, NULL), 0);
	assert_string_equal(said, "ANAN.");
	assert_int_equal(l->p->hdr.windows, 4);
	assert_int_equal(profile__budget(l->p, &b), 0);
	assert_int_equal(b.listed_blocked_ns, 32 * S);
	profile__free(l->p);
	/* the first one in the range is the first one of its file */
	assert_int_equal(read_range(l, "15s", "25s"), 0);
	assert_string_equal(said, "AA.");
	assert_int_equal(l->p->hdr.windows, 2);
	profile__free(l->p);
	assert_int_equal(read_range(l, "30s", NULL), 0);
	assert_string_equal(said, "A.");
}

static void test_range_cuts_a_window(void **state)
{
	struct loaded *l = *state;
	struct profile_budget b;

	add_file(l, "a.coldspot", WINDOW("1790000000000000000"));
	add_file(l, "b.coldspot", WINDOW("1790000010000000000"));
	assert_int_equal(read_range(l, "15s", NULL), 0);
	assert_int_equal(profile__budget(l->p, &b), 0);
	assert_int_equal(b.listed_blocked_ns, 8 * S);
	assert_int_equal(notices__len(&l->notices), 1);
	assert_non_null(strstr(notices__at(&l->notices, 0), "windows are not split"));
}

static void test_no_window_in_range(void **state)
{
	struct loaded *l = *state;

	add_file(l, "a.coldspot", WINDOW("1790000000000000000"));
	assert_int_equal(read_range(l, "20s", NULL), -ENOENT);
	assert_non_null(strstr(l->err.msg, "no window in that time range"));
	assert_null(l->p);
	assert_int_equal(read_range(l, "5s", "2s"), -EINVAL);
	assert_null(l->p);
}

static void test_wrong_file(void **state)
{
	static const char text[] = "this is not a recording\n";
	struct loaded *l = *state;

	add_file(l, "text.coldspot", NULL);
	assert_int_equal(read_range(l, NULL, NULL), -ENOENT);
	assert_non_null(strstr(l->err.msg, "text.coldspot"));
	workdir__write(&l->dir, "text.coldspot", text, sizeof(text) - 1);
	assert_int_equal(read_range(l, NULL, NULL), -EINVAL);
	assert_non_null(strstr(l->err.msg, "text.coldspot"));
	assert_null(l->p);
	assert_false(l->found.damaged);
}

static void test_damaged_file(void **state)
{
	struct loaded *l = *state;
	char *bytes;
	size_t sz;

	add_file(l, "a.coldspot", WINDOW("1790000000000000000"));
	bytes = workdir__read(&l->dir, "a.coldspot", &sz);
	for (size_t i = 4096; i < sz; i++)
		bytes[i] = (char)0xa5;
	workdir__write(&l->dir, "a.coldspot", bytes, sz);
	mem_free(bytes);
	assert_true(read_range(l, NULL, NULL) < 0);
	assert_true(l->err.msg[0]);
	assert_null(l->p);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_files_are_merged),
		TEST(test_range_cuts_a_window),
		TEST(test_each_file_is_another_recording),
		TEST(test_no_window_in_range),
		TEST(test_wrong_file),
		TEST(test_damaged_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
