/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every renderer against committed outputs: tests/golden/<case>/profile.lit goes in, and
 * expected.<variant> beside it has to come out, byte for byte. With GOLDEN_ACCEPT set, what comes
 * out is written there instead; without, it is left in O/golden for a look with diff.
 *
 * The style and the script of an SVG are the same in all of them, so they are left out except one,
 * which svg.t opens in a browser.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis/cause/syscall_name.h"
#include "analysis/view/time_view.h"
#include "analysis/view/wake_view.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/sink.h"
#include "lib/literal.h"
#include "lib/page_read.h"
#include "lib/pprof_read.h"
#include "render/render.h"

#define DIR_NAME "tests/golden"
#define MAX_TESTS 512

struct variant {
	const char *ending;
	const char *format;
	const char *only; /* the one case it is for; NULL: all */
	struct render_options opt;
};

static const struct variant variants[] = {
	{ "summary", "summary", NULL, { 0 } },
	{ "narrow.summary", "summary", "shop", { .width = 80, .rows = 2, .color = true } },
	{ "txt", "txt", NULL, { 0 } },
	{ "header.txt", "txt", "kernel", { .header = "Tracing off-CPU time (us)" } },
	{ "offsets.txt", "txt", "shop", { .offsets = true, .delimiter = true } },
	{ "verbose.txt", "txt", "unnamed", { .verbose = true } },
	{ "user.txt", "txt", "lost", { .sides = SIDE_USER } },
	{ "kernel.txt", "txt", "lost", { .sides = SIDE_KERNEL } },
	{ "tree.txt", "tree", NULL, { 0 } },
	{ "inverted.tree.txt",
	  "tree",
	  "shop",
	  { .invert = true, .delimiter = true, .root = GROUP_BY_PROCESS, .rows = 4 } },
	{ "cause.tree.txt", "tree", "lost", { .root = GROUP_BY_CAUSE, .min_share = 0.2 } },
	{ "thread.summary", "summary", "shop", { .groups = true, .root = GROUP_BY_THREAD } },
	{ "module.summary",
	  "summary",
	  "shop",
	  { .groups = true, .root = GROUP_BY_MODULE, .rows = 2 } },
	{ "cgroup.summary", "summary", "cgroups", { .groups = true, .root = GROUP_BY_CGROUP } },
	{ "cgroup.tree.txt", "tree", "cgroups", { .root = GROUP_BY_CGROUP } },
	{ "cgroup.svg", "svg", "cgroups", { .root = GROUP_BY_CGROUP } },
	{ "cgroup.hist.txt", "hist", "cgroups", { .groups = true, .root = GROUP_BY_CGROUP } },
	{ "inverted.svg", "svg", "shop", { .invert = true, .icicle = true } },
	{ "apart.tree.txt", "tree", "shop", { .idle_apart = true } },
	{ "apart.wide.folded", "wide", "shop", { .idle_apart = true } },
	{ "apart.svg", "svg", "shop", { .idle_apart = true, .palette = "cause" } },
	{ "class.tree.txt", "tree", "shop", { .root = GROUP_BY_CLASS } },
	{ "class.wall.tree.txt", "tree", "wall", { .root = GROUP_BY_CLASS, .view = VIEW_WALL } },
	{ "requests.summary", "summary", "shop", { .requests_milli = 120000, .width = 80 } },
	{ "hist.txt", "hist", NULL, { 0 } },
	{ "hist.json", "hist-json", NULL, { 0 } },
	{ "cause.hist.txt", "hist", "shop", { .groups = true, .root = GROUP_BY_CAUSE } },
	{ "thread.hist.json", "hist-json", "nasty", { .groups = true, .root = GROUP_BY_THREAD } },
	{ "runq.hist.txt",
	  "hist",
	  "hists",
	  { .of = RENDER_OF_RUNQ, .steps = 4, .groups = true, .root = GROUP_BY_THREAD } },
	{ "on.hist.txt", "hist", "hists", { .of = RENDER_OF_ON, .steps = 2 } },
	{ "cause.hist.txt", "hist", "hists", { .groups = true, .root = GROUP_BY_CAUSE } },
	{ "blocked.hist.json",
	  "hist-json",
	  "hists",
	  { .of = RENDER_OF_BLOCKED, .groups = true, .root = GROUP_BY_PROCESS } },
	{ "folded", "folded", NULL, { 0 } },
	{ "delimited.folded", "folded", "lost", { .delimiter = true } },
	{ "user.folded", "folded", "lost", { .sides = SIDE_USER, .delimiter = true } },
	{ "kernel.folded", "folded", "lost", { .sides = SIDE_KERNEL } },
	{ "ns.folded", "folded", "nasty", { .unit = RENDER_UNIT_NS } },
	{ "wide.folded", "wide", NULL, { 0 } },
	{ "frames.folded", "folded", "objects", { .object_frames = true } },
	{ "frames.wide.folded", "wide", "objects", { .object_frames = true } },
	{ "object.summary", "summary", "objects", { .groups = true, .root = GROUP_BY_OBJECT } },
	{ "details.summary", "summary", "wakers", { .details = true } },
	{ "waker.summary", "summary", "wakers", { .groups = true, .root = GROUP_BY_WAKER } },
	{ "waker.tree.txt", "tree", "wakers", { .root = GROUP_BY_WAKER } },
	{ "waker.hist.txt", "hist", "wakers", { .groups = true, .root = GROUP_BY_WAKER } },
	{ "owner.summary", "summary", "objects", { .groups = true, .root = GROUP_BY_OWNER } },
	{ "object.tree.txt", "tree", "objects", { .root = GROUP_BY_OBJECT } },
	{ "object.tree.txt", "tree", "peers", { .root = GROUP_BY_OBJECT } },
	{ "frames.folded", "folded", "peers", { .object_frames = true } },
	{ "svg", "svg", NULL, { 0 } },
	{ "whole.svg", "svg", "shop", { 0 } },
	{ "icicle.svg",
	  "svg",
	  "shop",
	  { .icicle = true,
	    .delimiter = true,
	    .width = 800,
	    .min_share = 0.02,
	    .root = GROUP_BY_THREAD,
	    .palette = "hot",
	    .title = "A & B" } },
	{ "cause.svg", "svg", "shop", { .palette = "cause" } },
	{ "page", "html", NULL, { 0 } },
	{ "json", "json", NULL, { 0 } },
	{ "pb.gz", "pprof", NULL, { 0 } },
	{ "otlp", "otlp", NULL, { 0 } },
	{ "speedscope.json", "speedscope", NULL, { 0 } },
	{ "csv", "csv", NULL, { 0 } },
	{ "ndjson", "ndjson", NULL, { 0 } },
	{ "firefox.json", "firefox", NULL, { 0 } },
	{ "denet.json", "denet", NULL, { 0 } },
	{ "perf.txt", "perf-script", NULL, { 0 } },
	{ "narrative.txt", "narrative", "events", { 0 } },
	{ "perfetto", "perfetto", "events", { 0 } },
	{ "trace.json", "chrome", "events", { 0 } },
	{ "timeline.firefox.json", "firefox-timeline", "events", { 0 } },
	{ "timeline.speedscope.json", "speedscope-timeline", "events", { 0 } },
	{ "interpreter.wide.folded", "wide", "python", { .interpreter = true } },
	{ "wall.summary", "summary", "wall", { .view = VIEW_WALL } },
	{ "on.summary", "summary", "wall", { .view = VIEW_ON } },
	{ "wall.txt", "txt", "wall", { .view = VIEW_WALL } },
	{ "wall.tree.txt", "tree", "wall", { .view = VIEW_WALL } },
	{ "inverted.wall.tree.txt", "tree", "wall", { .view = VIEW_WALL, .invert = true } },
	{ "on.tree.txt", "tree", "wall", { .view = VIEW_ON } },
	{ "wall.folded", "folded", "wall", { .view = VIEW_WALL } },
	{ "on.folded", "folded", "wall", { .view = VIEW_ON } },
	{ "wall.wide.folded", "wide", "wall", { .view = VIEW_WALL } },
	{ "on.svg", "svg", "wall", { .view = VIEW_ON } },
	{ "off.svg", "svg", "wall", { .view = VIEW_OFF } },
	{ "cause.wall.svg", "svg", "wall", { .view = VIEW_WALL, .palette = "cause" } },
	{ "off.csv", "csv", "wall", { .view = VIEW_OFF } },
	{ "off.pb.gz", "pprof", "wall", { .view = VIEW_OFF } },
	{ "on.pb.gz", "pprof", "wall", { .view = VIEW_ON } },
	{ "on.otlp", "otlp", "wall", { .view = VIEW_ON } },
	{ "off.ndjson", "ndjson", "wall", { .view = VIEW_OFF } },
	{ "hidden.txt", "txt", "ends", { .no_truncated = true } },
	{ "woken.folded", "folded", "wakers", { .wakers = WAKERS_ONE, .delimiter = true } },
	{ "woken.txt", "txt", "wakers", { .wakers = WAKERS_ONE } },
	{ "woken.csv", "csv", "wakers", { .wakers = WAKERS_ONE } },
	{ "woken.pb.gz", "pprof", "wakers", { .wakers = WAKERS_ONE } },
	{ "woken.otlp", "otlp", "wakers", { .wakers = WAKERS_ONE, .kernel_frames = true } },
	{ "woken.firefox.json", "firefox", "wakers", { .wakers = WAKERS_ONE } },
	{ "chains.folded", "folded", "wakers", { .wakers = WAKERS_CHAIN } },
	{ "chains.wide.folded", "wide", "wakers", { .wakers = WAKERS_CHAIN } },
	{ "chains.svg", "svg", "wakers", { .wakers = WAKERS_CHAIN, .palette = "chain" } },
	{ "cause.chains.svg", "svg", "wakers", { .wakers = WAKERS_CHAIN, .palette = "cause" } },
	{ "chains.tree.txt", "tree", "wakers", { .wakers = WAKERS_CHAIN } },
	{ "inverted.chains.tree.txt",
	  "tree",
	  "wakers",
	  { .wakers = WAKERS_CHAIN, .invert = true } },
	{ "chains.page", "html", "wakers", { .wakers = WAKERS_CHAIN } },
	{ "chains.speedscope.json", "speedscope", "wakers", { .wakers = WAKERS_CHAIN } },
	{ "hidden.folded", "folded", "ends", { .no_truncated = true, .delimiter = true } },
};

struct golden {
	char name[128];
	char dir[128];
	const struct variant *variant;
};

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

/* The page itself is built by web/, and its tests are there; here is what goes into it. */
static char *unpacked(char *html, size_t *ret_sz)
{
	char *data = page_data(html, ret_sz);

	assert_non_null(data);
	mem_free(html);
	return data;
}

static char *rendered(const struct golden *g, size_t *ret_sz)
{
	char path[256];
	struct profile *p = NULL;
	struct err err = { 0 };
	struct sink out;
	char *text;

	snprintf(path, sizeof(path), "%s/profile.lit", g->dir);
	if (literal_load(path, &p, &err) || profile__check(p, &err))
		fail_msg("%s: %s", path, err.msg);
	sink__init_mem(&out);
	if (render_find(g->variant->format)->render(p, &g->variant->opt, &out, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(sink__finish(&out, &err), 0);
	text = sink__steal(&out, ret_sz);
	assert_non_null(text);
	sink__done(&out);
	profile__free(p);
	if (strcmp(g->variant->format, "svg") == 0 &&
	    strcmp(g->variant->ending, "whole.svg") != 0) {
		cut_out(text, "<style>", "</style>");
		cut_out(text, "<![CDATA[", "]]>");
		*ret_sz = strlen(text);
	}
	return strcmp(g->variant->format, "html") == 0 ? unpacked(text, ret_sz) : text;
}

static void write_text(const char *path, const char *text, size_t sz)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, sz, f), sz);
	assert_int_equal(fclose(f), 0);
}

/* Leaves the output where a person can compare it, and says where. */
static void report(const struct golden *g, const char *expected_path, const char *text, size_t sz)
{
	const char *build = getenv("COLDSPOT_BUILD");
	char path[512];

	snprintf(path, sizeof(path), "%s/golden", build ? build : "/tmp");
	mkdir(path, 0777);
	snprintf(path, sizeof(path), "%s/golden/%s.%s", build ? build : "/tmp",
		 strrchr(g->dir, '/') + 1, g->variant->ending);
	write_text(path, text, sz);
	fail_msg("not as expected; compare with: diff -u %s %s", expected_path, path);
}

/* Compressed bytes are zlib's own affair, and other versions of it make others of the same. */
static bool is_same(const struct golden *g, const char *a, size_t a_sz, const char *b, size_t b_sz)
{
	bool same;
	char *x, *y;
	size_t x_sz = 0, y_sz = 0;

	if (strcmp(g->variant->format, "pprof") != 0)
		return a_sz == b_sz && memcmp(a, b, a_sz) == 0;
	x = gunzip(a, a_sz, &x_sz);
	y = gunzip(b, b_sz, &y_sz);
	same = x && y && x_sz == y_sz && memcmp(x, y, x_sz) == 0;
	mem_free(x);
	mem_free(y);
	return same;
}

static void test_format__renders_as_expected(void **state)
{
	const struct golden *g = *state;
	char path[256], *expected = NULL, *text;
	size_t sz, expected_sz;
	bool same;

	text = rendered(g, &sz);
	snprintf(path, sizeof(path), "%s/expected.%s", g->dir, g->variant->ending);
	same = !file_read(path, 64 << 20, &expected, &expected_sz, NULL) &&
	       is_same(g, expected, expected_sz, text, sz);
	if (!same && getenv("GOLDEN_ACCEPT"))
		write_text(path, text, sz);
	else if (!same)
		report(g, path, text, sz);
	mem_free(expected);
	mem_free(text);
}

static int is_case(const struct dirent *entry)
{
	char path[512];

	snprintf(path, sizeof(path), DIR_NAME "/%s/profile.lit", entry->d_name);
	return access(path, R_OK) == 0;
}

static size_t add_case(const char *name, struct golden *goldens, struct CMUnitTest *tests, size_t n)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(variants) && n < MAX_TESTS; i++) {
		struct golden *g = &goldens[n];

		if (variants[i].only && strcmp(variants[i].only, name) != 0)
			continue;
		snprintf(g->name, sizeof(g->name), "%.60s/%s", name, variants[i].ending);
		snprintf(g->dir, sizeof(g->dir), DIR_NAME "/%.60s", name);
		g->variant = &variants[i];
		tests[n].name = g->name;
		tests[n].test_func = test_format__renders_as_expected;
		tests[n].initial_state = g;
		n++;
	}
	return n;
}

int main(void)
{
	static struct golden goldens[MAX_TESTS];
	static struct CMUnitTest tests[MAX_TESTS];
	struct dirent **cases;
	int cases_len, i, r;
	size_t n = 0;

	if (strcmp(syscall_arch(), "x86_64") != 0) {
		printf("1..0 # SKIP the cases name system calls of x86-64\n");
		return 77;
	}
	cases_len = scandir(DIR_NAME, &cases, is_case, alphasort);
	for (i = 0; i < cases_len; i++) {
		n = add_case(cases[i]->d_name, goldens, tests, n);
		free(cases[i]);
	}
	if (cases_len <= 0) {
		fprintf(stderr, "no cases in " DIR_NAME ": run it in the root of the tree\n");
		return 1;
	}
	free(cases);
	r = _cmocka_run_group_tests("golden", tests, n, NULL, NULL);
	return r > 0 ? 1 : r;
}
