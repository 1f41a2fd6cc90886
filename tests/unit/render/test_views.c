/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a format shows of each view adds up to the time that the threads have of it: off the CPU,
 * on one, and with what is unaccounted for their wall time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/view/time_view.h"
#include "lib/pprof_read.h"
#include "lib/rendered.h"
#include "render/formats.h"

static struct profile *load(void)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	if (literal_load("tests/golden/wall/profile.lit", &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static u64 task_times(const struct profile *p, enum time_view view)
{
	struct profile_budget b;
	u64 off_ns;

	assert_int_equal(profile__budget(p, &b), 0);
	off_ns = b.blocked_ns + b.preempted_ns + b.runq_ns;
	assert_int_equal(b.wall_ns, off_ns + b.on_ns + b.unaccounted_ns);
	assert_true(b.on_ns && b.unaccounted_ns);
	return view == VIEW_ON ? b.on_ns : view == VIEW_WALL ? off_ns + b.on_ns : off_ns;
}

/* All numbers behind `mark`, added up. */
static u64 sum_behind(const char *text, const char *mark)
{
	u64 sum = 0;

	while ((text = strstr(text, mark))) {
		text += strlen(mark);
		sum += strtoull(text, NULL, 10);
	}
	return sum;
}

static u64 line_ends(const char *text)
{
	const char *line, *end;
	u64 sum = 0;

	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		while (end[-1] >= '0' && end[-1] <= '9')
			end--;
		sum += strtoull(end, NULL, 10);
		end = strchr(line, '\n');
	}
	return sum;
}

/* blocked_ns, runq_ns and on_ns are the ninth, the tenth and the last but one, before a text. */
static u64 csv_sum(const char *text)
{
	const char *line = strchr(text, '\n') + 1, *end;
	u64 sum = 0;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		const char *at = line;
		int i;

		for (i = 0; i < 8; i++)
			at = strchr(at, ',') + 1;
		sum += strtoull(at, NULL, 10) + strtoull(strchr(at, ',') + 1, NULL, 10);
		/* on_ns is the third from the end */
		for (i = 0; i < 3; i++) {
			for (end -= i > 0; end[-1] != ',';)
				end--;
		}
		sum += strtoull(end, NULL, 10);
		end = strchr(line, '\n');
	}
	return sum;
}

/* "weight":[1.000002,...] of each thread, in ms. */
static u64 firefox_sum(const char *text)
{
	u64 sum = 0;

	while ((text = strstr(text, "\"weight\":["))) {
		char *end = strchr(text, '[') + 1;

		text = end;
		for (; *end != ']'; end += *end == ',') {
			sum += strtoull(end, &end, 10) * NSEC_PER_MSEC;
			sum += strtoull(end + 1, &end, 10);
		}
	}
	return sum;
}

static u64 list_sum(const char *text, const char *mark)
{
	char *end = strstr(text, mark) + strlen(mark);
	u64 sum = 0;

	while (*end != ']') {
		sum += strtoull(end, &end, 10);
		end += *end == ',';
	}
	return sum;
}

static u64 ndjson_sum(const char *text)
{
	const char *line, *end;
	u64 sum = 0;

	for (line = text; (end = strchr(line, '\n')); line = end + 1) {
		char *one = mem_strndup(line, (size_t)(end - line));

		if (strstr(one, "\"type\":\"wait\""))
			sum += sum_behind(one, "\"blocked_ns\":") + sum_behind(one, "\"runq_ns\":");
		if (strstr(one, "\"type\":\"hot\""))
			sum += sum_behind(one, "\"on_ns\":");
		mem_free(one);
	}
	return sum;
}

static u64 svg_sum(const char *text)
{
	/* the root is the first frame that is drawn */
	return strtoull(strstr(text, "data-t=\"") + strlen("data-t=\""), NULL, 10);
}

static u64 pprof_sum(const struct profile *p, struct render_options opt, u32 value)
{
	struct pprof_sums sums = { 0 };
	struct err err = { 0 };
	const char *why = "";
	char *zipped, *raw, *text;
	struct sink out;
	size_t sz;

	sink__init_mem(&out);
	if (render_pprof.render(p, &opt, &out, &err) || sink__finish(&out, &err))
		fail_msg("%s", err.msg);
	zipped = sink__steal(&out, &sz);
	sink__done(&out);
	raw = gunzip(zipped, sz, &sz);
	text = pprof_text(raw, sz, &sums, &why);
	if (!text)
		fail_msg("%s", why);
	mem_free(text);
	mem_free(raw);
	mem_free(zipped);
	return sums.values[value];
}

static const enum time_view views[] = { VIEW_OFF, VIEW_ON, VIEW_WALL };

static u64 sum_in(const struct profile *p, const struct render_ops *format, enum time_view view)
{
	struct render_options opt = { .unit = RENDER_UNIT_NS, .view = view };
	char *text = rendered(p, format, opt);
	u64 sum;

	if (format == &render_csv)
		sum = csv_sum(text);
	else if (format == &render_ndjson)
		sum = ndjson_sum(text);
	else if (format == &render_firefox)
		sum = firefox_sum(text);
	else if (format == &render_speedscope)
		sum = list_sum(text, "\"weights\":[");
	else if (format == &render_svg)
		sum = svg_sum(text);
	else
		sum = line_ends(text);
	mem_free(text);
	return sum;
}

static void test_views__of_every_format_add_up(void **state)
{
	static const struct render_ops *const formats[] = { &render_folded,  &render_wide,
							    &render_csv,     &render_ndjson,
							    &render_firefox, &render_speedscope,
							    &render_svg };
	struct profile *p = load();
	size_t f, v;

	(void)state;
	for (f = 0; f < ARRAY_LEN(formats); f++) {
		for (v = 0; v < ARRAY_LEN(views); v++) {
			u64 sum = sum_in(p, formats[f], views[v]);

			if (sum != task_times(p, views[v]))
				fail_msg("%s, view %d: %llu ns, the threads have %llu",
					 formats[f]->name, views[v], sum, task_times(p, views[v]));
		}
	}
	profile__free(p);
}

static void test_views__of_pprof_add_up(void **state)
{
	struct render_options opt = { 0 };
	struct profile *p = load();

	(void)state;
	assert_int_equal(pprof_sum(p, opt, 0), task_times(p, VIEW_OFF));
	assert_int_equal(pprof_sum(p, opt, 2), task_times(p, VIEW_ON));
	assert_int_equal(pprof_sum(p, opt, 3), 98);
	assert_int_equal(pprof_sum(p, opt, 4), task_times(p, VIEW_WALL));
	opt.view = VIEW_OFF;
	assert_int_equal(pprof_sum(p, opt, 0), task_times(p, VIEW_OFF));
	assert_int_equal(pprof_sum(p, opt, 2), 0);
	opt.view = VIEW_ON;
	assert_int_equal(pprof_sum(p, opt, 0), task_times(p, VIEW_ON));
	profile__free(p);
}

/* Whatever view is asked for, JSON has all of it. */
static void test_views__json_has_both(void **state)
{
	struct profile *p = load();
	char *text = rendered(p, &render_json, (struct render_options){ .view = VIEW_OFF });

	(void)state;
	assert_int_equal(sum_behind(strstr(text, "\"hots\":["), "\"on_ns\":"),
			 task_times(p, VIEW_ON));
	assert_int_equal(sum_behind(strstr(text, "\n\"waits\":["), "\"blocked_ns\":") +
				 sum_behind(strstr(text, "\n\"waits\":["), "\"runq_ns\":"),
			 task_times(p, VIEW_OFF));
	mem_free(text);
	profile__free(p);
}

/* A view of what was not sampled is that of the waits. */
static void test_views__without_samples_are_of_waits(void **state)
{
	struct profile *p = lit("task 1/1 a on=5ms\nwait S blocked=3ms\nu main\n");
	char *off = rendered(p, &render_svg, (struct render_options){ 0 });
	char *wall = rendered(p, &render_svg, (struct render_options){ .view = VIEW_WALL });

	(void)state;
	assert_string_equal(off, wall);
	assert_null(strstr(off, "[on-CPU]"));
	mem_free(off);
	mem_free(wall);
	profile__free(p);
}

/* Whoever writes several formats has the causes found once for all of them. */
static void test_render__with_a_memo_writes_the_same_bytes(void **state)
{
	struct profile *p = load();
	struct cause_memo memo = { .p = p };
	u32 view;
	size_t i;

	(void)state;
	for (i = 0; render_formats[i]; i++) {
		for (view = VIEW_DEFAULT; view <= VIEW_WALL; view++) {
			struct render_options opt = { .view = view, .idle_apart = true };
			struct sink out[2];
			u32 k;

			for (k = 0; k < 2; k++) {
				sink__init_mem(&out[k]);
				opt.memo = k ? &memo : NULL;
				assert_int_equal(render_formats[i]->render(p, &opt, &out[k], NULL),
						 0);
				assert_int_equal(sink__finish(&out[k], NULL), 0);
			}
			assert_int_equal(out[0].len, out[1].len);
			assert_memory_equal(out[0].buf, out[1].buf, out[0].len);
			sink__done(&out[0]);
			sink__done(&out[1]);
		}
	}
	assert_true(memo.found);
	cause_memo__done(&memo);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_render__with_a_memo_writes_the_same_bytes),
		cmocka_unit_test(test_views__of_every_format_add_up),
		cmocka_unit_test(test_views__of_pprof_add_up),
		cmocka_unit_test(test_views__json_has_both),
		cmocka_unit_test(test_views__without_samples_are_of_waits),
	};

	return cmocka_run_group_tests_name("views", tests, NULL, NULL);
}
