/* SPDX-License-Identifier: Apache-2.0 */
/*
 * If a recording has thread histograms they are shown, because they cover every slice and wait and
 * all four kinds. The list of waits has only one kind, and only estimates if sampled. Causes and
 * stacks are known only for the list, so for them only time off the CPU is available.
 */
#include "render/text/hist_threads.h"

#include <errno.h>

#include "analysis/model/lengths.h"
#include "base/text/units.h"
#include "render/text/hist_bar.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"

/* Of a power of two, in the profile. */
#define STEPS 4

struct threads {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	struct lengths lengths;
	u32 steps; /* of a power of two, as shown */
};

static const struct {
	enum hist_kind kind;
	const char *head;
	const char *one;
} kinds[] = {
	[RENDER_OF_OFF] = { HIST_OFF, "time off the CPU", "wait" },
	[RENDER_OF_ON] = { HIST_ON, "time on a CPU", "slice" },
	[RENDER_OF_RUNQ] = { HIST_RUNQ, "waiting for a CPU", "wait" },
	[RENDER_OF_BLOCKED] = { HIST_BLOCKED, "time blocked", "wait" },
};

int hist_threads_wanted(const struct profile *p, const struct render_options *opt, bool *ret,
			struct err *err)
{
	bool threads = !opt->groups || group_is_of_threads(opt->root);

	*ret = p->hdr.hist_unit_ns && threads;
	if (opt->of >= ARRAY_LEN(kinds) || opt->steps > STEPS || opt->steps == 3)
		return err__set(err, -EINVAL, "there is no such histogram");
	if (*ret || (opt->of == RENDER_OF_OFF && opt->steps <= 1))
		return 0;
	if (!threads)
		return err__set(err, -EINVAL,
				"causes, modules and stacks are known of waits as a whole only: "
				"leave out --of and --steps, or group by process or thread");
	if (p->hdr.selection && p->hdr.filtered)
		return err__set(err, -EINVAL,
				"histograms of threads are of all their waits, not of chosen ones: "
				"leave out filters of waits, or --of and --steps");
	return err__set(
		err, -EINVAL,
		"the recording has no histograms of threads: record it with --hist, or leave "
		"out --of and --steps");
}

/* Displayed rows: the first, then each `steps`-th part of a power of two. */
static u32 rows_cnt(const struct threads *t)
{
	return 1 + (HIST_BINS - 1) / (STEPS / t->steps);
}

static u64 count_of(const struct threads *t, const struct lengths_row *row, u32 shown)
{
	u32 width = STEPS / t->steps, i;
	u64 sum = 0;

	if (!shown)
		return row->bins[0];
	for (i = 0; i < width; i++)
		sum += row->bins[1 + (shown - 1) * width + i];
	return sum;
}

static u64 from_ns(const struct threads *t, u32 shown)
{
	u32 width = STEPS / t->steps;

	return shown ? bins_floor_ns(t->p->hdr.hist_unit_ns, 1 + (shown - 1) * width) : 0;
}

static u64 below_ns(const struct threads *t, u32 shown)
{
	u32 width = STEPS / t->steps;

	return bins_ceil_ns(t->p->hdr.hist_unit_ns, shown * width);
}

static void put_quantiles(const struct threads *t, const struct lengths_row *row)
{
	static const u32 permille[] = { 500, 900, 990, 1000 };
	char time[32];
	size_t i;

	for (i = 0; i < ARRAY_LEN(permille); i++) {
		u64 ns = lengths_row__quantile_ns(row, t->p->hdr.hist_unit_ns, permille[i]);

		if (!~ns)
			snprintf(time, sizeof(time), "more");
		else
			units_format_ns(ns, time, sizeof(time));
		if (permille[i] < 1000)
			sink__printf(t->out, "%s%u%% <= %s", i ? ", " : "     ", permille[i] / 10,
				     time);
		else
			sink__printf(t->out, ", longest <= %s\n", time);
	}
}

static void put_hist(const struct threads *t, const struct lengths_row *row)
{
	u32 first = ~0U, last = 0, i;
	u64 most = 0;

	for (i = 0; i < rows_cnt(t); i++) {
		u64 n = count_of(t, row, i);

		if (!n)
			continue;
		if (first == ~0U)
			first = i;
		last = i;
		if (n > most)
			most = n;
	}
	if (!most)
		return;
	hist_bar_head(t->out, kinds[t->opt->of].head);
	for (i = first; i <= last; i++)
		hist_bar(t->out, from_ns(t, i), below_ns(t, i), count_of(t, row, i), most);
	put_quantiles(t, row);
}

static void put_name(const struct threads *t, const struct lengths_row *row)
{
	char count[32], time[32];

	hist_bar_name(t->out, row->group);
	units_format_count(row->count, count, sizeof(count));
	units_format_ns(row->ns, time, sizeof(time));
	sink__printf(t->out, ": %s %s%s, %s\n", count, kinds[t->opt->of].one,
		     units_plural(row->count), time);
}

static void put_foot(const struct threads *t)
{
	char text[SCOPE_TEXT_SZ];

	sink__puts(t->out, "\n");
	if (t->lengths.all.cut_ns) {
		units_format_ns(t->lengths.all.cut_ns, text, sizeof(text));
		sink__printf(t->out,
			     "%s more are in %ss that began before the window or the record of "
			     "their thread, or did not end in it: these are not counted.\n",
			     text, kinds[t->opt->of].one);
	}
	if (t->p->hdr.filtered)
		sink__puts(t->out, "All waits count, listed or not.\n");
	losses_put(t->p, t->out);
}

static void put_groups(const struct threads *t)
{
	u32 shown = 0, i;

	for (i = 0; i < t->lengths.len; i++) {
		if (!t->lengths.rows[i].count)
			continue;
		if (t->opt->rows && shown == t->opt->rows) {
			sink__puts(t->out, "\nMore are not shown.\n");
			break;
		}
		if (shown++)
			sink__puts(t->out, "\n");
		put_name(t, &t->lengths.rows[i]);
		put_hist(t, &t->lengths.rows[i]);
	}
}

static void put_text(const struct threads *t)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(t->p, scope, text, sizeof(text)))
			sink__printf(t->out, "%s\n", text);
	}
	if (!t->lengths.all.count)
		sink__printf(t->out, "No %s began and ended in this window.\n",
			     kinds[t->opt->of].one);
	if (t->opt->groups)
		put_groups(t);
	else
		put_hist(t, &t->lengths.all);
	put_foot(t);
}

static void put_json_hist(const struct threads *t, const struct lengths_row *row, struct json *to)
{
	u32 i;

	json__object(to, NULL);
	json__text(to, "name", row->group);
	json__u64(to, "count", row->count);
	json__u64(to, "ns", row->ns);
	json__u64(to, "cut_ns", row->cut_ns);
	json__array(to, "buckets");
	for (i = 0; i < rows_cnt(t); i++) {
		u64 n = count_of(t, row, i);

		if (n)
			hist_bar_json(to, from_ns(t, i), below_ns(t, i), n);
	}
	json__end_array(to);
	json__end_object(to);
}

static void put_json(const struct threads *t)
{
	struct json to = JSON_TO(t->out);
	u32 i;

	hist_json_head(&to, t->p, hist_kind_name(kinds[t->opt->of].kind));
	json__line(&to);
	json__key_line(&to, "all");
	put_json_hist(t, &t->lengths.all, &to);
	json__line(&to);
	json__array(&to, "groups");
	for (i = 0; t->opt->groups && i < t->lengths.len; i++) {
		json__line(&to);
		put_json_hist(t, &t->lengths.rows[i], &to);
	}
	hist_json_foot(&to);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  void (*put)(const struct threads *), struct err *err)
{
	struct threads t = { .p = p, .opt = opt, .out = out };
	enum group_by by = opt->groups ? opt->root : GROUP_BY_COMM;
	struct arena a;
	int r;

	t.steps = opt->steps ? opt->steps : 1;
	arena__init(&a);
	r = lengths__build(p, kinds[opt->of].kind, by, &a, &t.lengths, err);
	if (!r)
		put(&t);
	arena__done(&a);
	return r;
}

int hist_threads_text(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err)
{
	return render(p, opt, out, put_text, err);
}

int hist_threads_json(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err)
{
	return render(p, opt, out, put_json, err);
}
