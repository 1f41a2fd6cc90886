/* SPDX-License-Identifier: Apache-2.0 */

/*
 * cpudist -O: for scripts written for bcc's tool of that name. Its flags, its output: how long
 * threads were off the CPU, from switch to switch, for waits that began and ended in the interval.
 *
 * A profile's histograms have powers of two of 1.024 us, bcc's of 1 us: rows have bcc's labels and
 * begin 2.4 % later (4.9 % with -m). Each interval is a trace of its own.
 */
#include "cli/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/intern.h"
#include "base/mem.h"
#include "capture/privilege.h"
#include "cli/run.h"
#include "cli/target.h"
#include "gen/version.h"
#include "session/session.h"

#define STARS 40
/* The first bucket that is not in bcc's first row: 2 us, 2 ms. */
#define FIRST_US 2
#define FIRST_MS 12

struct cpudist_values {
	struct vec pids;
	bool off_cpu;
	bool timestamp;
	bool milliseconds;
	bool by_pid;
	bool by_tid;
	u64 interval_ns;
	u64 count;
};

#define V struct cpudist_values
static const struct opt table[] = {
	{ 'O', "offcpu", OPT_FLAG(V, off_cpu), NULL,
	  "Measure time off the CPU; must be given, for time on it has no histogram here." },
	{ 'T', "timestamp", OPT_FLAG(V, timestamp), NULL, "Print the time of day." },
	{ 'm', "milliseconds", OPT_FLAG(V, milliseconds), NULL, "Rows in milliseconds." },
	{ 'P', "pids", OPT_FLAG(V, by_pid), NULL, "A histogram for each process.",
	  .excludes = "tids" },
	{ 'L', "tids", OPT_FLAG(V, by_tid), NULL, "A histogram for each thread." },
	{ 'p', "pid", OPT_IDS(V, pids), "PID,...", "Trace these processes only.",
	  .flags = OPT_PROCESS, .min = 1 },
	OPT_END,
};

static const struct opt args[] = {
	{ 0, NULL, OPT_NS(V, interval_ns), "INTERVAL",
	  "Seconds between two outputs; one at the end, at Ctrl-C, if not given." },
	{ 0, NULL, OPT_U64(V, count), "COUNT", "How many outputs; without end if not given.",
	  .min = 1 },
	OPT_END,
};
#undef V

static const struct opt_example examples[] = {
	{ "coldspot cpudist -O 5 1", "How long were waits, for five seconds?" },
	{ "coldspot cpudist -O -P -p 185", "Of process 185, until Ctrl-C." },
	{ NULL, NULL },
};

const struct opt_command cpudist_opts = {
	.name = "cpudist",
	.summary = "off-CPU time as histograms, with bcc's flags and output (-O)",
	.description = "Takes the flags of bcc's cpudist and prints what it prints with -O: how "
		       "long threads were off the CPU. A row begins 2.4 % later than its label "
		       "says (4.9 % with -m): our buckets are powers of two of 1.024 us. Between "
		       "two intervals is a moment that is in neither.",
	.opts = table,
	.args = args,
	.examples = examples,
	.values_sz = sizeof(struct cpudist_values),
};

/* The histogram of a process, a thread, or everything. */
struct dist {
	u32 id; /* 0: everything */
	u32 comm;
	u64 rows[PROFILE_HIST_LEN];
};

static u32 row_of(const struct cpudist_values *v, u32 bucket)
{
	u32 first = v->milliseconds ? FIRST_MS : FIRST_US;

	return bucket < first ? 0 : bucket - first + 1;
}

static int add_wait(const struct cpudist_values *v, const struct profile *p,
		    const struct profile_wait *w, struct intern *dists)
{
	const struct profile_task *t = &p->tasks[w->task];
	struct dist key = { .id = v->by_pid ? t->tgid : v->by_tid ? t->tid : 0 }, *dist;
	u32 id, i;

	if (w->flags & (WAIT_PRE | WAIT_OPEN | WAIT_LOST))
		return 0;
	if (intern__add(dists, &key, &id))
		return -ENOMEM;
	dist = intern__at(dists, id);
	dist->comm = v->by_pid ? t->group_comm : t->comm;
	for (i = 0; i < PROFILE_HIST_LEN; i++)
		dist->rows[row_of(v, i)] += w->hist[i];
	return 0;
}

static void print_stars(u64 n, u64 most)
{
	u64 stars = most ? (u64)((unsigned __int128)n * STARS / most) : 0, i;

	for (i = 0; i < STARS; i++)
		putchar(i < stars ? '*' : ' ');
}

static void print_dist(const struct cpudist_values *v, const struct profile *p,
		       const struct dist *dist)
{
	u64 most = 0;
	u32 i, last = 0;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (dist->rows[i])
			last = i;
		if (dist->rows[i] > most)
			most = dist->rows[i];
	}
	if (!most)
		return;
	if (dist->id)
		printf("\n%s = %u %s\n", v->by_pid ? "pid" : "tid", dist->id,
		       profile__str(p, dist->comm));
	printf("     %-19s : count    distribution\n", v->milliseconds ? "msecs" : "usecs");
	for (i = 0; i <= last; i++) {
		printf("%10llu -> %-10llu : %-8llu |", i ? 1ULL << i : 0, (2ULL << i) - 1,
		       dist->rows[i]);
		print_stars(dist->rows[i], most);
		printf("|\n");
	}
}

static int by_id(const void *a, const void *b)
{
	const struct dist *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int print(const struct cpudist_values *v, const struct profile *p, struct err *err)
{
	struct intern dists;
	struct dist *list;
	char text[16];
	time_t now = time(NULL);
	struct tm tm;
	size_t len, i;
	int r = intern__init(&dists, sizeof(struct dist), sizeof(u32));

	for (i = 1; i < p->waits_len && !r; i++)
		r = add_wait(v, p, &p->waits[i], &dists);
	if (r) {
		intern__done(&dists);
		return err__nomem(err);
	}
	printf("\n");
	if (v->timestamp && localtime_r(&now, &tm)) {
		strftime(text, sizeof(text), "%H:%M:%S", &tm);
		printf("%-8s\n", text);
	}
	list = vec__steal(&dists.items, &len);
	qsort(list + 1, len - 1, sizeof(*list), by_id);
	for (i = 1; i < len; i++)
		print_dist(v, p, &list[i]);
	mem_free(list);
	intern__done(&dists);
	if (fflush(stdout) || ferror(stdout))
		return err__set(err, -errno, "cannot write to standard output: %s", err_str(errno));
	return 0;
}

/* One interval. */
static int trace(const struct cpudist_values *v, const struct features *f, struct profile **ret,
		 struct err *err)
{
	struct session_options opt = {
		.capture = {
			.target = v->pids.len ? CAPTURE_PROCESSES : CAPTURE_ALL,
			.ids = v->pids.data,
			.ids_len = v->pids.len,
			.user_threads = true,
			.kernel_threads = true,
			.max_ns = ~0ULL,
			.state_any = true,
		},
		.command = "coldspot cpudist",
		.target = "cpudist",
		.version = COLDSPOT_VERSION,
	};
	struct run_options run = { .duration_ns = v->interval_ns, .target = "cpudist" };
	struct session *s = NULL;
	int r = session__open(&opt, f, &s, err);

	if (!r && v->count == 1)
		r = privilege__drop(PRIVILEGE_WHILE_TRACING, err);
	if (!r)
		r = run_session(s, &run, err);
	if (!r)
		r = session__finish(s, ret, err);
	session__free(s);
	return r;
}

static int cpudist(const struct cpudist_values *v, struct err *err)
{
	struct features f;
	u64 n;
	int r = features__probe(&f, 0, err);

	run_catch_signals();
	if (!r) {
		printf("Tracing off-CPU time... Hit Ctrl-C to end.\n");
		fflush(stdout);
	}
	for (n = 0; !r && (!v->count || n < v->count); n++) {
		struct profile *p = NULL;

		r = trace(v, &f, &p, err);
		if (!r)
			r = print(v, p, err);
		profile__free(p);
	}
	features__done(&f);
	/* a signal ended the interval before */
	return r == -EINTR && n > 1 ? 0 : r;
}

int cmd_cpudist(int argc, char **argv)
{
	struct cpudist_values v;
	struct target target = { .pids = &v.pids, .tids = &(const struct vec){ 0 } };
	struct err err = { 0 };
	int status;

	if (!command_begin(&cpudist_opts, argc, argv, &v, &status))
		return status;
	if (!v.interval_ns)
		v.count = 1;
	if (!v.off_cpu)
		status = command_usage(&cpudist_opts, "time on a CPU has no histogram here: "
						      "give -O for time off it");
	else if (target_check(&target, &err) || cpudist(&v, &err))
		status = command_fail(&cpudist_opts, &err);
	else
		status = STATUS_OK;
	opt_release(&cpudist_opts, &v);
	return status;
}
