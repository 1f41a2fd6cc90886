/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the pages that the tests of the viewer open, into O/tests/web/pages: one for each golden
 * case, with the JSON of the same profile beside it, a few that are large, and diffs. That each
 * could be written, and is no larger than it may be, is a test of its own.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/diff/diff.h"
#include "analysis/path/path_table.h"
#include "analysis/path/request_report.h"
#include "analysis/path/wait_graph.h"
#include "analysis/view/time_view.h"
#include "base/sink.h"
#include "lib/literal.h"
#include "lib/made/timeline_made.h"
#include "profile/builder.h"
#include "render/diff/diff_view.h"
#include "render/formats.h"
#include "render/json/json_graph.h"
#include "render/json/json_path.h"
#include "render/json/json_requests.h"
#include "render/page/page.h"

#define CASES "tests/golden"
#define PATH_SZ 512
#define NAMES 8000
#define MODULES 24
#define KERNEL_STACKS 64
#define MAX_DEPTH 100
#define PATHS 8 /* threads of a recording whose paths are written, if it has no more */
#define SEED 88172645463325252ULL

static char pages[PATH_SZ];
static int number, failed;

static void report(bool good, const char *what, const char *name, size_t sz)
{
	failed += !good;
	printf("%s %d - %s: %s, %zu bytes\n", good ? "ok" : "not ok", ++number, name, what, sz);
}

static bool write_file(const char *path, const struct sink *bytes)
{
	FILE *f = fopen(path, "w");
	bool good = f && fwrite(bytes->buf, 1, bytes->len, f) == bytes->len;

	return f && !fclose(f) && good;
}

static size_t write_format(const struct profile *p, const struct render_ops *format,
			   const char *name, const struct render_options *opt)
{
	char path[PATH_SZ + 300];
	struct sink out;
	size_t sz = 0;

	snprintf(path, sizeof(path), "%s/%s.%s", pages, name, format->name);
	sink__init_mem(&out);
	if (!format->render(p, opt, &out, NULL) && !sink__finish(&out, NULL) &&
	    write_file(path, &out))
		sz = out.len;
	sink__done(&out);
	return sz;
}

/* What `coldspot graph` and `report --critical-path` say of it, for those threads that are few. */
static void write_graph(const struct profile *p, const struct lanes *lanes, const char *name)
{
	struct wait_graph g;
	struct arena a;
	struct sink out;
	char path[PATH_SZ + 300];

	snprintf(path, sizeof(path), "%s/%s.graph.json", pages, name);
	arena__init(&a);
	sink__init_mem(&out);
	if (wait_graph__build(lanes, NULL, &a, &g, NULL) || json_graph_put(&g, &out) ||
	    sink__finish(&out, NULL) || !write_file(path, &out))
		report(false, "its graph is written", name, p->waits_len);
	sink__done(&out);
	arena__done(&a);
}

static void write_path(const struct lanes *lanes, u32 lane, const char *name)
{
	const struct lane *l = &lanes->lanes[lane];
	const struct path_range range = { lane, l->begin_ns, l->end_ns };
	struct critical_path path = { 0 };
	struct path_table table;
	struct arena a;
	struct sink out;
	char file[PATH_SZ + 300];

	snprintf(file, sizeof(file), "%s/%s.path-%u.json", pages, name,
		 lanes->p->tasks[l->task].tid);
	arena__init(&a);
	sink__init_mem(&out);
	if (!critical_path__init(&path, lanes, range) &&
	    !path_table__build(&path, NULL, &a, &table, NULL))
		json_path_put(&path, &table, &out);
	if (sink__finish(&out, NULL) || !write_file(file, &out))
		report(false, "its paths are written", name, lane);
	sink__done(&out);
	critical_path__done(&path);
	arena__done(&a);
}

/* What `report --requests` says of it, with --critical-path if it has wakers. */
static void write_requests(const struct lanes *lanes, const char *name)
{
	struct request_report rr = { .critical_path = lanes->p->hdr.wakers };
	struct arena a;
	struct sink out;
	char file[PATH_SZ + 300];
	bool good;

	snprintf(file, sizeof(file), "%s/%s.requests.json", pages, name);
	arena__init(&a);
	sink__init_mem(&out);
	good = !request_report__build(lanes, NULL, &a, &rr, NULL) &&
	       !json_requests_put(lanes, &rr.table, rr.paths, NULL, &out);
	report(good && !sink__finish(&out, NULL) && write_file(file, &out),
	       "its requests are written", name, out.len);
	sink__done(&out);
	arena__done(&a);
}

static void write_paths(const struct profile *p, const char *name)
{
	struct lanes lanes;
	u32 i;

	if (!p || (!p->hdr.wakers && !p->marks_len))
		return;
	if (!lanes__init(&lanes, p)) {
		if (p->marks_len)
			write_requests(&lanes, name);
		if (p->hdr.wakers)
			write_graph(p, &lanes, name);
		for (i = 0;
		     p->hdr.wakers && p->hdr.max_moments && i < lanes.len && lanes.len <= PATHS;
		     i++) {
			if (lanes.lanes[i].len)
				write_path(&lanes, i, name);
		}
	}
	lanes__done(&lanes);
}

static void write_as(struct profile *p, const char *name, const struct render_options *opt,
		     size_t most)
{
	size_t sz = p ? write_format(p, &render_html, name, opt) : 0;
	bool good = sz && sz <= most && write_format(p, &render_json, name, opt);

	report(good, "page and JSON are written", name, sz);
	write_paths(p, name);
	profile__free(p);
}

static void write_pages(struct profile *p, const char *name, size_t most)
{
	write_as(p, name, &(struct render_options){ 0 }, most);
}

static struct profile *loaded(const char *name)
{
	char path[PATH_SZ];
	struct profile *p = NULL;

	snprintf(path, sizeof(path), CASES "/%s/profile.lit", name);
	return literal_load(path, &p, NULL) ? NULL : p;
}

static void write_case(const char *name)
{
	write_pages(loaded(name), name, 1 << 20);
}

static int is_case(const struct dirent *entry)
{
	char path[PATH_SZ];

	snprintf(path, sizeof(path), CASES "/%s/profile.lit", entry->d_name);
	return access(path, R_OK) == 0;
}

/* A program that does not exist: its functions call each other by a fixed, lopsided chance. */
struct world {
	struct builder *b;
	u64 seed;
	u32 user[NAMES];
	u32 kernel[KERNEL_STACKS];
	u32 nodes;
};

static u64 random_u64(struct world *w)
{
	w->seed ^= w->seed << 13;
	w->seed ^= w->seed >> 7;
	w->seed ^= w->seed << 17;
	return w->seed;
}

static u32 random_below(struct world *w, u32 n)
{
	return (u32)(random_u64(w) >> 33) % n;
}

static void make_frames(struct world *w)
{
	u32 modules[MODULES], i;
	char path[64];

	for (i = 0; i < MODULES; i++) {
		struct profile_module m = { .kind = i ? MODULE_ELF : MODULE_KERNEL, .ino = i };

		snprintf(path, sizeof(path), i ? "/usr/lib/libpart%u.so.1" : "[kernel]", i);
		builder__str(w->b, path, &m.path);
		builder__module(w->b, &m, &modules[i]);
	}
	for (i = 0; i < NAMES; i++)
		builder__frame(w->b, modules[1 + i % (MODULES - 1)], i + 1, 0, FRAME_NOT_TRIED,
			       &w->user[i]);
	for (i = 0; i < KERNEL_STACKS; i++) {
		u32 frame, stack = 0, d;

		for (d = 0; d < 3 + i % 6; d++) {
			builder__frame(w->b, modules[0], 1 + (d < 2 ? d : i * 8 + d), FRAME_KERNEL,
				       FRAME_NOT_TRIED, &frame);
			builder__stack(w->b, stack, frame, &stack);
		}
		w->kernel[i] = stack;
	}
}

/* The child of a function is one of six, the first ones more often. */
static u32 random_stack(struct world *w, u32 split)
{
	u32 depth = 4 + random_below(w, 12), stack = 0, at = 1 + random_below(w, 3), d;

	if (!random_below(w, 6))
		depth += random_below(w, MAX_DEPTH - 20);
	for (d = 0; d < depth; d++) {
		u32 choice = random_below(w, split), next = random_below(w, split);

		if (next < choice)
			choice = next;
		at = (at * 2654435761u + choice * 40503u + d) % NAMES;
		builder__stack(w->b, stack, w->user[at], &stack);
	}
	if (stack > w->nodes)
		w->nodes = stack;
	return stack;
}

static void add_wait(struct world *w, u32 task, u32 split)
{
	u32 kernel = random_below(w, KERNEL_STACKS), bucket = 2 + random_below(w, 12);
	u64 count = 1 + random_below(w, 1000), each = 1024ULL << bucket;
	struct profile_wait wait = {
		.task = task,
		.ustack = random_stack(w, split),
		.kstack = w->kernel[kernel],
		.sysno = (s32)random_below(w, 200),
		.state = kernel % 7 ? 1 : 2,
		.flags = kernel % 7 ? 0 : WAIT_IOWAIT,
		.blocked_ns = each * count * 3 / 4,
		.runq_ns = random_below(w, 1000) * count,
		.count = count,
		.samples = count,
		.max_ns = each * 2 - 1,
	};

	wait.hist[bucket + 1] = (u32)count;
	builder__wait(w->b, &wait);
}

static void name_frames(struct profile *p)
{
	static const char *const words[] = { "order", "cache", "query", "index", "stream",
					     "token", "batch", "shard", "lease", "route" };
	static const char *const calls[] = { "entry_SYSCALL_64", "do_syscall_64", "do_futex",
					     "futex_wait",	 "tcp_recvmsg",	  "io_schedule",
					     "ep_poll",		 "schedule" };
	char name[128];
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		u64 a = p->frames[i].addr;

		if (p->frames[i].flags & FRAME_KERNEL)
			snprintf(name, sizeof(name), a < 3 ? "%s" : "%s_%llu",
				 calls[a < 3 ? a - 1 : a % 8], a);
		else
			snprintf(name, sizeof(name), "shop::%s::%s_%llu(std::string const&)",
				 words[a % 10], words[a / 10 % 10], a);
		profile__name_frame(p, i, name, 0, FRAME_NAMED);
	}
}

static struct profile *diff_side(const char *name)
{
	char path[PATH_SZ];
	struct profile *p = NULL;

	snprintf(path, sizeof(path), CASES "/diff/%s.lit", name);
	return literal_load(path, &p, NULL) ? NULL : p;
}

static size_t write_view_of(const struct diff_view *v, const char *name, bool html)
{
	char path[PATH_SZ + 300];
	struct sink out;
	size_t sz = 0;
	int r = 0;

	snprintf(path, sizeof(path), "%s/%s.%s", pages, name, html ? "html" : "json");
	sink__init_mem(&out);
	if (html)
		r = diff_html_put(v, &out, NULL);
	else
		diff_json_put(v, &out);
	if (!r && !sink__finish(&out, NULL) && write_file(path, &out))
		sz = out.len;
	sink__done(&out);
	return sz;
}

/* The page of a diff, and its JSON; of both sides the JSON beside it, for their totals. */
static void write_diff(const char *name, struct profile *before, struct profile *after,
		       const struct diff_options *opt, size_t most)
{
	struct profile *const p[2] = { before, after };
	const struct render_options plain = { 0 };
	struct diff_view v = { .names = { "before.coldspot", "after <&> .coldspot" } };
	struct arena a;
	struct diff d;
	char side[2][300];
	size_t sz = 0;
	bool good = false;

	snprintf(side[0], sizeof(side[0]), "%s-before", name);
	snprintf(side[1], sizeof(side[1]), "%s-after", name);
	arena__init(&a);
	v.d = &d;
	if (before && after && !diff__build((const struct profile *const *)p, opt, &a, &d, NULL)) {
		sz = write_view_of(&v, name, true);
		good = sz && sz <= most && write_view_of(&v, name, false) &&
		       write_format(before, &render_json, side[0], &plain) &&
		       write_format(after, &render_json, side[1], &plain);
	}
	report(good, "page and JSON of a diff are written", name, sz);
	arena__done(&a);
	profile__free(before);
	profile__free(after);
}

static struct profile *parsed(const char *text)
{
	struct profile *p = NULL;

	return literal_parse(text, &p, NULL) ? NULL : p;
}

/* Two functions of one name, of which one waits longer. */
static struct profile *two_modules(const char *time)
{
	char text[600];

	snprintf(text, sizeof(text),
		 "target PID 1 (two)\nwindow 1s\nmodule a elf /lib/liba.so.1\n"
		 "module b elf /lib/libb.so.2\ntask 1/1 two\n"
		 "wait S sys=read blocked=%s\n u @a 0x10 init\n"
		 "wait S sys=read blocked=20ms\n u @b 0x20 init\n",
		 time);
	return parsed(text);
}

/* Histograms in milliseconds, where those of the case "hists" are in steps of 1024 ns. */
static const char hists_after[] =
	"target PID 300 (shop)\nwindow 2s\nhist_unit 1000000\n"
	"task 300/300 shop\n hists on=3:4 off=13:2,14:1 runq=0:3 blocked=13:2,14:1\n"
	" wait S sys=nanosleep blocked=30ms count=3 max=12ms\n  u main\n  k do_nanosleep\n"
	"task 300/301 worker group=shop\n hists off=21:5 blocked=21:5\n"
	" wait S sys=futex blocked=160ms count=5 max=40ms\n  u main\n  k futex_wait\n";

/* What is most of the longer recording is least of a second. */
static const char short_side[] = "target PID 1 (uneven)\nwindow 1s\ntask 1/1 -bash\n"
				 "wait S sys=futex blocked=800ms\n u main\n u locked\n"
				 " k futex_wait\n";
static const char long_side[] = "target PID 2 (uneven)\nwindow 10s\ntask 2/2 -bash\n"
				"wait S sys=read blocked=2s\n u main\n u fill\n k pipe_read\n"
				"task 3/3 bash\nwait S sys=read blocked=1s\n u main\n u fill\n"
				" k pipe_read\n";

static void write_diffs(void)
{
	const struct diff_options per_wall = { 0 };
	const struct diff_options idle = { .per = DIFF_PER_THREAD, .idle = true };
	const struct diff_options requests = { .per = DIFF_PER_REQUEST,
					       .requests = { 4000, 4400 } };

	write_diff("diff", diff_side("before"), diff_side("after"), &per_wall, 1 << 20);
	write_diff("diff-requests", diff_side("before"), diff_side("after"), &requests, 1 << 20);
	write_diff("diff-same", diff_side("after"), diff_side("after"), &per_wall, 1 << 20);
	write_diff("diff-untested", loaded("shop"), diff_side("after"), &per_wall, 1 << 20);
	write_diff("diff-idle", loaded("shop"), diff_side("after"), &idle, 1 << 20);
	write_diff("diff-nasty", loaded("nasty"), diff_side("nasty"), &per_wall, 1 << 20);
	write_diff("diff-python", loaded("python"), loaded("python"), &per_wall, 1 << 20);
	write_diff("diff-empty", loaded("empty"), loaded("empty"), &per_wall, 1 << 20);
	write_diff("diff-modules", two_modules("10ms"), two_modules("15ms"), &per_wall, 1 << 20);
	write_diff("diff-hists", loaded("hists"), parsed(hists_after), &per_wall, 1 << 20);
	write_diff("diff-half-hists", loaded("shop"), parsed(hists_after), &per_wall, 1 << 20);
	write_diff("diff-uneven", parsed(short_side), parsed(long_side), &per_wall, 1 << 20);
	write_diff("diff-new", loaded("empty"), diff_side("after"), &per_wall, 1 << 20);
}

/* What `coldspot serve` gives to a browser, before any data. */
static void write_live(void)
{
	char path[PATH_SZ + 300];
	struct sink out;
	size_t sz = 0;

	snprintf(path, sizeof(path), "%s/live.html", pages);
	sink__init_mem(&out);
	page_live_put("web-7", &out);
	if (!sink__finish(&out, NULL) && write_file(path, &out))
		sz = out.len;
	sink__done(&out);
	report(sz > 0, "the page of a server is written", "live", sz);
}

/* `waits` waits, or as many as it takes for `nodes` nodes of stacks. */
static struct profile *made(const char *name, u32 waits, u32 nodes, u32 tasks, u64 seed)
{
	struct world w = { .b = builder__new(), .seed = seed };
	struct profile *p = NULL;
	u32 i, target;

	make_frames(&w);
	builder__str(w.b, name, &target);
	*builder__header(w.b) = (struct profile_header){
		.target = target,
		.window_ns = 10 * NSEC_PER_SEC,
		.ncpu = 4,
		.max_ns = ~0ULL,
		.filtered = 1, /* totals of threads are not made up */
	};
	for (i = 0; i < tasks; i++) {
		struct profile_task t = { .tid = 100 + i, .tgid = 100 + i / 64 * 64 };
		char comm[16];
		u32 id;

		snprintf(comm, sizeof(comm), "worker-%u", i % 10);
		builder__str(w.b, comm, &t.comm);
		t.group_comm = t.comm;
		builder__task(w.b, &t, &id);
	}
	for (i = 0; waits ? i < waits : w.nodes < nodes; i++)
		add_wait(&w, 1 + i % tasks, waits ? 3 : 6);
	if (builder__freeze(w.b, &p, NULL))
		p = NULL;
	else
		name_frames(p);
	builder__free(w.b);
	printf("# %s: %u nodes of stacks, %u waits, %u threads\n", name, p ? p->stacks_len - 1 : 0,
	       p ? p->waits_len - 1 : 0, tasks);
	return p;
}

static const char one_wait[] = "target PID 1 (one)\nwindow 1s\ntask 1/1 one\n"
			       "wait S sys=read blocked=1s\n u main\n k schedule\n";

static const char all_idle[] = "target PID 1 (idle)\nwindow 46s\ntask 1/1 idle\n"
			       "wait S sys=epoll_wait blocked=46s runq=40ms count=9\n u main\n"
			       " u event_loop\n k do_epoll_wait\n";

static const char recursion[] =
	"target PID 1 (recursion)\nwindow 1s\ntask 1/1 walk\n"
	"wait S blocked=5ms\n u main\n u walk\n u visit\n u walk\n u walk\n u leaf\n k schedule\n"
	"wait S blocked=3ms\n u main\n u walk\n u walk\n k schedule\n"
	"wait S blocked=1ms\n u main\n u other\n u walk\n k schedule\n";

/* What waited in which second: a lock in the first two, the network in the last one. */
static const char seconds[] =
	"target PID 1 (seconds)\nwindow 4s\nintervals 4 1s\ntask 1/1 first\n"
	"wait S sys=futex blocked=1500ms count=3 each=1s,500ms\n u main\n u locked\n"
	" k futex_wait\n"
	"task 2/2 second\nwait S sys=futex blocked=2s count=2 each=1s,1s\n u main\n u locked\n"
	" k futex_wait\n"
	"wait S sys=poll blocked=500ms count=1 each=0*3,500ms\n u main\n u served\n"
	" k do_poll\n";

/* The same with the instants of waits: two of a second, one second apart. */
static const char paced[] =
	"target PID 1 (paced)\nwindow 4s\nmax_events 10\nintervals 4 1s\n"
	"task 1/1 first on=2s\n"
	"wait S sys=futex blocked=2s count=2 each=0,1s,0,1s at=2s:1s:0,4s:1s:0\n"
	" u main\n u locked\n k futex_wait\n";

/* The same second three times, with a lock in the fourth tenth of each. */
static const char tenths[] =
	"target PID 1 (tenths)\nwindow 3s\nintervals 30 100ms\ntask 1/1 first\n"
	"wait S sys=futex blocked=300ms count=3 each=0*3,100ms,0*9,100ms,0*9,100ms\n"
	" u main\n u locked\n k futex_wait\n"
	"wait S sys=poll blocked=2s count=1 each=0*10,100ms*20\n u main\n u served\n"
	" k do_poll\n";

int main(void)
{
	const char *build = getenv("COLDSPOT_BUILD");
	struct dirent **cases;
	int cases_len, i;

	snprintf(pages, sizeof(pages), "%s/tests/web/pages", build ? build : "build");
	mkdir(pages, 0777);
	cases_len = scandir(CASES, &cases, is_case, alphasort);
	for (i = 0; i < cases_len; i++) {
		write_case(cases[i]->d_name);
		free(cases[i]);
	}
	if (cases_len > 0)
		free(cases);
	write_as(loaded("wall"), "wall-on", &(struct render_options){ .view = VIEW_ON }, 1 << 20);
	write_pages(parsed(one_wait), "one", 1 << 20);
	write_pages(parsed(all_idle), "all-idle", 1 << 20);
	write_as(loaded("idle"), "idle-shown", &(struct render_options){ .idle_shown = true },
		 1 << 20);
	write_pages(parsed(recursion), "recursion", 1 << 20);
	write_pages(parsed(seconds), "seconds", 1 << 20);
	write_pages(parsed(paced), "paced", 1 << 20);
	write_pages(parsed(tenths), "tenths", 1 << 20);
	write_pages(made("threads", 12000, 0, 5000, SEED), "threads", 2 << 20);
	write_pages(made("nodes", 0, 100000, 40, SEED), "nodes", 4 << 20);
	write_pages(made("stacks", 100000, 0, 200, SEED), "stacks", 12 << 20);
	write_pages(timeline_made("relay", 4, 400, 0), "relay", 1 << 20);
	write_pages(timeline_made("million", 16, 1000000, 0), "million", 16 << 20);
	write_pages(requests_made_few(), "requests-one", 1 << 20);
	write_pages(requests_made_many_places(), "requests-places", 1 << 20);
	write_pages(timeline_made("requests", 8, 4000, 50), "requests", 1 << 20);
	write_diffs();
	write_live();
	write_diff("diff-nodes", made("nodes", 0, 40000, 40, SEED),
		   made("nodes", 0, 40000, 40, SEED / 3), &(struct diff_options){ 0 }, 6 << 20);
	printf("1..%d\n", number);
	return failed > 0 || cases_len <= 0;
}
