/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/page_read.h"
#include "lib/rendered.h"
#include "render/formats.h"

static const char *const cases[] = { "shop",   "nasty",	  "empty",   "lost", "deep",
				     "kernel", "unnamed", "sampled", "ends", "python" };

static struct profile *load(const char *name)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	char path[128];

	snprintf(path, sizeof(path), "tests/golden/%s/profile.lit", name);
	if (literal_load(path, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static char *data_of(const struct profile *p, struct render_options opt, size_t *ret_sz)
{
	char *html = rendered(p, &render_html, opt), *data = page_data(html, ret_sz);

	assert_non_null(data);
	mem_free(html);
	return data;
}

static u64 sum(const char *data, size_t sz, const char *name, u32 want_rows)
{
	u32 rows = 0, i;
	u64 *values = page_column(data, sz, name, &rows), total = 0;

	if (!values)
		fail_msg("no column %s", name);
	assert_int_equal(rows, want_rows);
	for (i = 0; i < rows; i++)
		total += values[i];
	mem_free(values);
	return total;
}

static void assert_sums(const struct profile *p, const char *data, size_t sz)
{
	u32 waits = p->waits_len - 1, tasks = p->tasks_len - 1;
	u64 count = 0, hist = 0, buckets = 0;
	struct profile_budget b;
	u32 i, k;

	assert_int_equal(profile__budget(p, &b), 0);
	for (i = 1; i < p->waits_len; i++) {
		count += p->waits[i].count;
		for (k = 0; k < PROFILE_HIST_LEN; k++) {
			hist += p->waits[i].hist[k];
			buckets += p->waits[i].hist[k] != 0;
		}
	}
	assert_int_equal(sum(data, sz, "wait.blocked_ns", waits), b.listed_blocked_ns);
	assert_int_equal(sum(data, sz, "wait.runq_ns", waits), b.listed_runq_ns);
	assert_int_equal(sum(data, sz, "wait.count", waits), count);
	assert_int_equal(sum(data, sz, "wait.buckets", waits), buckets);
	assert_int_equal(sum(data, sz, "hist.count", (u32)buckets), hist);
	assert_int_equal(sum(data, sz, "task.wall_ns", tasks), b.wall_ns);
	assert_int_equal(sum(data, sz, "task.on_ns", tasks), b.on_ns);
	assert_int_equal(sum(data, sz, "task.blocked_ns", tasks), b.blocked_ns);
	assert_int_equal(sum(data, sz, "task.preempted_ns", tasks), b.preempted_ns);
	assert_int_equal(sum(data, sz, "task.runq_ns", tasks), b.runq_ns);
	assert_int_equal(sum(data, sz, "task.unaccounted_ns", tasks), b.unaccounted_ns);
}

static void test_html__data_adds_up_to_the_profile(void **state)
{
	size_t i, sz = 0;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		struct profile *p = load(cases[i]);
		char *data = data_of(p, (struct render_options){ 0 }, &sz);

		assert_sums(p, data, sz);
		mem_free(data);
		/* what is not shown of a stack takes no time away */
		data = data_of(p,
			       (struct render_options){ .no_truncated = true, .interpreter = true },
			       &sz);
		assert_sums(p, data, sz);
		mem_free(data);
		profile__free(p);
	}
}

static void test_html__sides_leave_stacks_out(void **state)
{
	struct profile *p = load("shop");
	u32 waits = p->waits_len - 1;
	size_t sz = 0;
	char *data = data_of(p, (struct render_options){ .sides = SIDE_KERNEL }, &sz);

	(void)state;
	assert_int_equal(sum(data, sz, "wait.user_stack", waits), 0);
	assert_true(sum(data, sz, "wait.kernel_stack", waits) > 0);
	mem_free(data);
	data = data_of(p, (struct render_options){ .sides = SIDE_USER }, &sz);
	assert_int_equal(sum(data, sz, "wait.kernel_stack", waits), 0);
	assert_true(sum(data, sz, "wait.user_stack", waits) > 0);
	mem_free(data);
	profile__free(p);
}

static void test_html__notes_report_losses(void **state)
{
	struct profile *p = lit(
		"task 1/1 a\nwait S blocked=1ms\n k schedule\n"
		"wait S blocked=2ms\n u main\nwait D blocked=3ms\n u main\n k cut_here\n kcut\n");
	size_t sz = 0;
	char *data = data_of(p, (struct render_options){ 0 }, &sz);
	u32 rows = 0;
	u64 *notes = page_column(data, sz, "wait.notes", &rows);

	(void)state;
	assert_int_equal(rows, 3);
	assert_int_equal(notes[0], 1);
	assert_int_equal(notes[1], 2);
	assert_int_equal(notes[2], 8);
	mem_free(notes);
	mem_free(data);
	profile__free(p);
}

/* A name stands in the data only, where it is base64 of something compressed. */
static void test_html__has_every_count_of_the_histograms_of_threads(void **state)
{
	struct profile *p = load("hists");
	u64 count = 0;
	size_t sz;
	char *data = data_of(p, (struct render_options){ 0 }, &sz);
	u32 i;

	(void)state;
	for (i = 1; i < p->bins_len; i++)
		count += p->bins[i].count;
	assert_true(count);
	assert_int_equal(sum(data, sz, "bin.count", p->bins_len - 1), count);
	assert_non_null(strstr(data + 4, "\"hist_unit_ns\":1024"));
	mem_free(data);
	profile__free(p);
}

static void test_html__names_never_reach_the_page(void **state)
{
	struct profile *p = lit("target <script>alert(1)</script> & </title>\n"
				"command </script><img src=x onerror=alert(2)>\ntask 1/1 <!--a\n"
				"wait S blocked=1ms\n u ]]></script><script>alert(3)</script>\n");
	char *html = rendered(p, &render_html, (struct render_options){ 0 });
	size_t sz = 0;
	char *data = page_data(html, &sz);

	(void)state;
	assert_null(strstr(html, "alert"
				 "(2)"));
	assert_null(strstr(html, "alert"
				 "(3)"));
	assert_non_null(strstr(html,
			       "<title>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &lt;/title&gt;"
			       " - coldspot</title>"));
	assert_non_null(strstr(data + 4, "]]></script><script>alert(3)</script>"));
	mem_free(data);
	mem_free(html);
	profile__free(p);
}

static void test_html__forbids_every_request(void **state)
{
	struct profile *p = lit("task 1/1 a\n");
	char *html = rendered(p, &render_html, (struct render_options){ .title = "A title" });

	(void)state;
	assert_non_null(strstr(html, "default-src 'none'; script-src 'sha256-"));
	assert_null(strstr(html, "unsafe-"));
	assert_null(strstr(html, "<link"));
	assert_non_null(strstr(html, "<title>A title - coldspot</title>"));
	mem_free(html);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_html__data_adds_up_to_the_profile),
		cmocka_unit_test(test_html__sides_leave_stacks_out),
		cmocka_unit_test(test_html__notes_report_losses),
		cmocka_unit_test(test_html__has_every_count_of_the_histograms_of_threads),
		cmocka_unit_test(test_html__names_never_reach_the_page),
		cmocka_unit_test(test_html__forbids_every_request),
	};

	return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
