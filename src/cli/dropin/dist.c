/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One trace for all intervals: the BPF programs keep histograms of every slice and wait, which are
 * read during the trace. The units are bcc's own, so rows are those of bcc to the ns. The list of
 * waits is not needed here and kept small: no stacks, and as few waits as can be chosen.
 */
#include "cli/dropin/dist.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "abi/wait.h"
#include "base/clock.h"
#include "base/mem.h"
#include "capture/feature/privilege.h"
#include "cli/dropin/dist_table.h"
#include "app/run.h"
#include "gen/version.h"
#include "base/text/utf8.h"
#include "session/session.h"

#define STARS 40

struct tracing {
	const struct dist_options *opt;
	struct session *session;
	struct dist_table table;
	u64 lost; /* threads, so far */
};

static const char *unit_of(const struct dist_options *opt)
{
	return opt->milliseconds ? "msecs" : "usecs";
}

static void print_stars(u64 n, u64 most)
{
	u64 stars = most ? (u64)((unsigned __int128)n * STARS / most) : 0, i;

	for (i = 0; i < STARS; i++)
		putchar(i < stars ? '*' : ' ');
}

static u64 count_of(const struct dist *d)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < DIST_ROWS; i++)
		sum += d->live.rows[i];
	return sum;
}

static void print_rows(const struct dist *d, const char *unit)
{
	u64 most = 0;
	u32 i, last = 0;

	for (i = 0; i < DIST_ROWS; i++) {
		if (d->live.rows[i])
			last = i;
		if (d->live.rows[i] > most)
			most = d->live.rows[i];
	}
	printf("     %-19s : count    distribution\n", unit);
	for (i = 0; i <= last; i++) {
		printf("%10llu -> %-10llu : %-8llu |", i ? 1ULL << i : 0, (2ULL << i) - 1,
		       d->live.rows[i]);
		print_stars(d->live.rows[i], most);
		printf("|\n");
	}
}

static void print_name(const struct dist_options *opt, const struct dist *d)
{
	static const char *const keys[] = { "", "pid", "tid", "pidns" };
	char comm[4 * sizeof(d->comm)]; /* a bad byte becomes three */

	if (opt->by)
		printf("\n%s = %u %s\n", keys[opt->by], d->id,
		       utf8_copy_harmless(d->comm, comm, sizeof(comm)));
}

static void print_extension(const struct dist_options *opt, const struct dist *dists, size_t len)
{
	u64 count = 0, ns = 0, each = opt->milliseconds ? NSEC_PER_MSEC : NSEC_PER_USEC;
	size_t i;

	for (i = 0; i < len; i++) {
		count += count_of(&dists[i]);
		ns += dists[i].live.ns;
	}
	if (count)
		printf("\navg = %llu %s, total: %llu %s, count: %llu\n\n", ns / each / count,
		       unit_of(opt), ns / each, unit_of(opt), count);
}

static void print_time(void)
{
	char text[16];
	time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm))
		return;
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	printf("%-8s\n", text);
}

/* On standard error, because standard output is for programs. */
static void say_lost(struct tracing *t)
{
	u64 lost = session__hists_lost(t->session);

	if (lost > t->lost)
		fprintf(stderr, "coldspot %s: %llu thread%s not in it: no memory\n",
			t->opt->command, lost - t->lost, lost - t->lost == 1 ? " is" : "s are");
	t->lost = lost;
}

static int print(struct tracing *t, struct err *err)
{
	struct dist *dists = NULL;
	size_t len = 0, i;
	int r = session__hists(t->session, dist_table__add, &t->table, err);

	if (!r && dist_table__news(&t->table, &dists, &len))
		r = err__nomem(err);
	if (r)
		return r;
	printf("\n");
	if (t->opt->timestamp)
		print_time();
	for (i = 0; i < len; i++) {
		if (!count_of(&dists[i]))
			continue;
		print_name(t->opt, &dists[i]);
		print_rows(&dists[i], unit_of(t->opt));
	}
	if (t->opt->extension)
		print_extension(t->opt, dists, len);
	mem_free(dists);
	say_lost(t);
	if (fflush(stdout) || ferror(stdout))
		return err__set(err, -errno, "cannot write to standard output: %s", err_str(errno));
	return 0;
}

static int open_session(const struct dist_options *opt, const struct features *f,
			struct session **ret, struct err *err)
{
	struct session_options session = {
		.capture = {
			.target = opt->pids->len ? CAPTURE_PROCESSES : CAPTURE_ALL,
			.ids = opt->pids->data,
			.ids_len = opt->pids->len,
			.cgroup = opt->cgroup,
			.user_threads = true,
			.kernel_threads = true,
			.max_ns = ~0ULL,
			.state_any = true,
			.fp_only = true,
			.period_ns = CS_PERIOD_MAX_NS,
			.hist_unit_ns = opt->milliseconds ? NSEC_PER_MSEC : NSEC_PER_USEC,
		},
		.command = opt->command,
		.target = opt->command,
		.version = COLDSPOT_VERSION,
	};
	int r = session__open(&session, f, ret, err);

	return r ? r : privilege__drop(PRIVILEGE_WHILE_TRACING, err);
}

static int trace(struct tracing *t, struct err *err)
{
	const struct dist_options *opt = t->opt;
	const struct run_options run = { .duration_ns = opt->interval_ns };
	u64 n = 0;
	int r = run_session(t->session, &run, err);

	while (!r) {
		r = print(t, err);
		if (r || run_is_over() || ++n == opt->count)
			break;
		r = run_on(t->session, &run, err);
	}
	return r;
}

int dist_run(const struct dist_options *opt, struct err *err)
{
	struct tracing t = { .opt = opt };
	struct features f;
	int r = features__probe(&f, 0, err);

	run_catch_signals();
	if (!r && dist_table__init(&t.table, opt->kind, opt->by))
		r = err__nomem(err);
	if (!r) {
		printf("Tracing %s... Hit Ctrl-C to end.\n", opt->what);
		fflush(stdout);
		r = open_session(opt, &f, &t.session, err);
	}
	if (!r)
		r = trace(&t, err);
	session__free(t.session);
	dist_table__done(&t.table);
	features__done(&f);
	return r;
}
