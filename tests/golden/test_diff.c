/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is made of a diff against committed outputs: tests/golden/diff/before.lit and after.lit go
 * in, and expected.<variant> beside them has to come out, byte for byte. With GOLDEN_ACCEPT set,
 * what comes out is written there. Style and script of an SVG are left out, as in test_golden.c.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/syscall_name.h"
#include "base/file.h"
#include "base/mem.h"
#include "lib/literal.h"
#include "lib/page_read.h"
#include "render/diff/diff_view.h"

#define DIR_NAME "tests/golden/diff/"
#define DEEP 3000

enum format {
	TEXT,
	JSON,
	FOLDED,
	SVG,
	PAGE,
};

static const struct variant {
	const char *ending;
	const char *before;
	const char *after;
	enum format format;
	struct diff_options opt;
	struct diff_view view;
} variants[] = {
	{ "txt", "before", "after", TEXT, { 0 }, { 0 } },
	{ "color.txt",
	  "before",
	  "after",
	  TEXT,
	  { .per = DIFF_PER_REQUEST, .requests = { 4000, 4400 } },
	  { .color = true, .rows = 2 } },
	{ "thread.txt", "before", "after", TEXT, { .per = DIFF_PER_THREAD }, { 0 } },
	/* without intervals on one side */
	{ "unknown.txt", "../shop/profile", "after", TEXT, { 0 }, { .rows = 3 } },
	{ "nasty.txt", "../nasty/profile", "nasty", TEXT, { 0 }, { 0 } },
	{ "nasty.folded", "../nasty/profile", "nasty", FOLDED, { 0 }, { 0 } },
	/* a part of several windows */
	{ "nasty.page", "../nasty/profile", "nasty", PAGE, { 0 }, { 0 } },
	{ "same.txt", "after", "after", TEXT, { 0 }, { 0 } },
	{ "json", "before", "after", JSON, { 0 }, { 0 } },
	{ "folded", "before", "after", FOLDED, { 0 }, { 0 } },
	{ "svg", "before", "after", SVG, { 0 }, { 0 } },
	{ "side.svg", "before", "after", SVG, { 0 }, { .side_by_side = true, .width = 800 } },
	{ "unknown.svg", "../shop/profile", "after", SVG, { 0 }, { 0 } },
	{ "page", "before", "after", PAGE, { 0 }, { 0 } },
	{ "python.page", "../python/profile", "../python/profile", PAGE, { 0 }, { 0 } },
	/* waits for work in two rows, and in one as any other */
	{ "untested.page", "../shop/profile", "after", PAGE, { 0 }, { 0 } },
	{ "idle.page", "../shop/profile", "after", PAGE, { .idle = true }, { 0 } },
};

static struct profile *load(const char *name)
{
	char path[256];
	struct profile *p = NULL;
	struct err err = { 0 };

	snprintf(path, sizeof(path), DIR_NAME "%s.lit", name);
	if (literal_load(path, &p, &err) || profile__check(p, &err))
		fail_msg("%s: %s", path, err.msg);
	return p;
}

/* Cuts out what is between `open` and `close`. */
static void cut_out(char *text, const char *open, const char *close)
{
	char *from = strstr(text, open), *to;

	if (!from)
		return;
	from += strlen(open);
	to = strstr(from, close);
	assert_non_null(to);
	memmove(from, to, strlen(to) + 1);
}

static void put(const struct variant *v, const struct diff_view *view, struct sink *out)
{
	struct err err = { 0 };
	int r = 0;

	switch (v->format) {
	case TEXT:
		diff_text_put(view, out);
		break;
	case JSON:
		diff_json_put(view, out);
		break;
	case FOLDED:
		r = diff_folded_put(view, out, &err);
		break;
	case SVG:
		r = diff_svg_put(view, out, &err);
		break;
	case PAGE:
		r = diff_html_put(view, out, &err);
		break;
	}
	if (r)
		fail_msg("%s", err.msg);
}

/* The page itself is built by web/, and its tests are there; here is what goes into it. */
static char *without_copies(const struct variant *v, char *text, size_t *ret_sz)
{
	if (v->format == SVG) {
		cut_out(text, "<style>", "</style>");
		cut_out(text, "<![CDATA[", "]]>");
		*ret_sz = strlen(text);
	}
	if (v->format == PAGE) {
		char *data = page_data(text, ret_sz);

		assert_non_null(data);
		mem_free(text);
		return data;
	}
	return text;
}

static char *rendered(const struct variant *v, size_t *ret_sz)
{
	struct profile *p[2] = { load(v->before), load(v->after) };
	struct diff_view view = v->view;
	struct err err = { 0 };
	struct arena a;
	struct diff d;
	struct sink out;
	char *text;

	arena__init(&a);
	if (diff__build((const struct profile *const *)p, &v->opt, &a, &d, &err))
		fail_msg("%s", err.msg);
	view.d = &d;
	view.names[0] = "before.coldspot";
	view.names[1] = "after <&> .coldspot";
	sink__init_mem(&out);
	put(v, &view, &out);
	assert_int_equal(sink__finish(&out, &err), 0);
	text = sink__steal(&out, ret_sz);
	assert_non_null(text);
	sink__done(&out);
	arena__done(&a);
	profile__free(p[0]);
	profile__free(p[1]);
	return without_copies(v, text, ret_sz);
}

static void write_bytes(const char *path, const char *bytes, size_t sz)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, sz, f), sz);
	assert_int_equal(fclose(f), 0);
}

static void renders_as_expected(void **state)
{
	const struct variant *v = *state;
	size_t sz, expected_sz;
	char path[256], seen[512], *expected = NULL, *text = rendered(v, &sz);
	const char *build = getenv("COLDSPOT_BUILD");
	bool same;

	snprintf(path, sizeof(path), DIR_NAME "expected.%s", v->ending);
	same = !file_read(path, 64 << 20, &expected, &expected_sz, NULL) && expected_sz == sz &&
	       memcmp(expected, text, sz) == 0;
	if (!same && getenv("GOLDEN_ACCEPT")) {
		write_bytes(path, text, sz);
	} else if (!same) {
		snprintf(seen, sizeof(seen), "%s/golden-diff.%s", build ? build : "/tmp",
			 v->ending);
		write_bytes(seen, text, sz);
		fail_msg("not as expected; compare with: diff -u %s %s", path, seen);
	}
	mem_free(expected);
	mem_free(text);
}

/* A terminal obeys what is below a space, DEL, and U+0080 .. U+009F, which begin with c2. */
static void nothing_a_terminal_obeys(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(variants); i++) {
		const struct variant *v = &variants[i];
		const unsigned char *at;
		size_t sz;
		char *text;

		if (strncmp(v->ending, "nasty.", 6) != 0 || v->format == PAGE)
			continue;
		text = rendered(v, &sz);
		for (at = (const unsigned char *)text; *at; at++) {
			if ((*at < ' ' && *at != '\n' && *at != '\t') || *at == 0x7f ||
			    (*at == 0xc2 && at[1] < 0xa0))
				fail_msg("%s has a 0x%02x before '%.20s'", v->ending, *at,
					 (const char *)at + 1);
		}
		mem_free(text);
	}
}

/* Frames at the root are the first to go where room is short: none is left out. */
static void deep_stacks_are_whole(void **state)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	struct diff_view view = { 0 };
	struct diff_options opt = { 0 };
	struct sink text, out;
	struct arena a;
	struct diff d;
	u32 i, frames = 0;

	(void)state;
	sink__init_mem(&text);
	sink__puts(&text, "window 1s\nsides user\ntask 1/1 a\nwait S blocked=1s\n");
	for (i = 0; i < DEEP; i++)
		sink__printf(&text, " u f%u\n", i);
	assert_int_equal(sink__finish(&text, NULL), 0);
	if (literal_parse(text.buf, &p, &err))
		fail_msg("%s", err.msg);
	arena__init(&a);
	assert_int_equal(diff__build((const struct profile *const[]){ p, p }, &opt, &a, &d, &err),
			 0);
	view.d = &d;
	sink__init_mem(&out);
	assert_int_equal(diff_folded_put(&view, &out, &err), 0);
	assert_int_equal(sink__finish(&out, NULL), 0);
	assert_int_equal(strncmp(out.buf, "a;f0;f1;", 8), 0);
	for (i = 0; i < out.len; i++)
		frames += out.buf[i] == ';';
	assert_int_equal(frames, DEEP);
	sink__done(&out);
	sink__done(&text);
	arena__done(&a);
	profile__free(p);
}

/* Of a thread that began late there are ten intervals, of which eight say nothing. */
static void intervals_without_a_thread_are_not_told_as_some(void **state)
{
	static const char *const texts[2] = {
		"window 10s\nintervals 10 1s\ntask 1/1 a\n"
		"wait S blocked=10s count=10 each=1s*10\n u f\n",
		"window 10s\nintervals 10 1s\ntask 1/1 a begin=8s\n"
		"wait S blocked=2s count=2 each=0*8,1s*2\n u f\n",
	};
	const struct diff_options opt = { .per = DIFF_PER_THREAD };
	struct profile *p[2] = { NULL, NULL };
	struct err err = { 0 };
	char text[256];
	struct arena a;
	struct diff d;

	(void)state;
	arena__init(&a);
	if (literal_parse(texts[0], &p[0], &err) || literal_parse(texts[1], &p[1], &err) ||
	    diff__build((const struct profile *const *)p, &opt, &a, &d, &err))
		fail_msg("%s", err.msg);
	diff_tested_text(&d, text, sizeof(text));
	assert_string_equal(
		text,
		"Not tested against chance: the recording after has 2 intervals, 4 are needed.");
	arena__done(&a);
	profile__free(p[0]);
	profile__free(p[1]);
}

/* Whoever reads the text has 80 columns. */
static void text_is_80_columns_wide(void **state)
{
	size_t sz;
	char *text = rendered(&variants[0], &sz), *line, *save = NULL;

	(void)state;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strlen(line) > 80)
			fail_msg("%zu columns: %s", strlen(line), line);
	}
	mem_free(text);
}

static u64 listed_ns(const char *name)
{
	struct profile_budget b;
	struct profile *p = load(name);

	assert_int_equal(profile__budget(p, &b), 0);
	profile__free(p);
	return b.listed_blocked_ns + b.listed_runq_ns;
}

/* Whatever rows a wait is, its time is in the page once. */
static void pages_have_all_time_of_both_sides(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_LEN(variants); i++) {
		const struct variant *v = &variants[i];
		u64 sum[2] = { 0 };
		u32 rows, split;
		size_t sz;
		char *data;

		if (v->format != PAGE)
			continue;
		data = rendered(v, &sz);
		split = (u32)atoi(strstr(data + 4, "\"split\":[") + 9);
		for (k = 0; k < 2; k++) {
			u64 *ns = page_column(data, sz, k ? "wait.runq_ns" : "wait.blocked_ns",
					      &rows);
			u32 w;

			assert_non_null(ns);
			for (w = 0; w < rows; w++)
				sum[w >= split] += ns[w];
			mem_free(ns);
		}
		assert_int_equal(sum[0], listed_ns(v->before));
		assert_int_equal(sum[1], listed_ns(v->after));
		mem_free(data);
	}
}

int main(void)
{
	static struct CMUnitTest tests[ARRAY_LEN(variants) + 5];
	size_t i;
	int r;

	if (strcmp(syscall_arch(), "x86_64") != 0) {
		printf("1..0 # SKIP the cases name system calls of x86-64\n");
		return 77;
	}
	for (i = 0; i < ARRAY_LEN(variants); i++)
		tests[i] = (struct CMUnitTest){ .name = variants[i].ending,
						.test_func = renders_as_expected,
						.initial_state = (void *)(uintptr_t)&variants[i] };
	tests[i++] =
		(struct CMUnitTest){ .name = "deep stacks", .test_func = deep_stacks_are_whole };
	tests[i++] = (struct CMUnitTest){ .name = "nothing a terminal obeys",
					  .test_func = nothing_a_terminal_obeys };
	tests[i++] =
		(struct CMUnitTest){ .name = "80 columns", .test_func = text_is_80_columns_wide };
	tests[i++] =
		(struct CMUnitTest){ .name = "intervals without a thread",
				     .test_func = intervals_without_a_thread_are_not_told_as_some };
	tests[i] = (struct CMUnitTest){ .name = "all time of both sides",
					.test_func = pages_have_all_time_of_both_sides };
	r = _cmocka_run_group_tests("diff", tests, ARRAY_LEN(tests), NULL, NULL);
	return r > 0 ? 1 : r;
}
