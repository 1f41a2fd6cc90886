/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that includes a wait (the total, its cause, each function of its stack, each path to
 * it) is an item; one loop over the waits of a side adds up all of them.
 */
#include "analysis/diff/diff_priv.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/view/shown.h"
#include "analysis/view/wait_stacks.h"
#include "base/mem.h"

void diff_each_item(struct differing *df, u32 side, u32 wait, diff_item_fn *each, void *arg)
{
	/* marks symbols seen in this walk; ids of paths are not 0 */
	u32 leaf = df->paths.of_wait[side][wait], at;

	each(arg, &df->d->total);
	each(arg, &df->by_cause[causes__of(&df->causes[side], wait)]);
	each(arg, &df->by_path[0]);
	for (at = leaf; at;) {
		const struct diff_path *path = intern__at(&df->paths.paths, at);
		struct diff_symbol *symbol = intern__at(&df->paths.symbols, path->symbol);

		each(arg, &df->by_path[at]);
		if (symbol->seen != leaf)
			each(arg, &df->by_symbol[path->symbol]);
		symbol->seen = leaf;
		at = path->parent;
	}
	/* the same leaf may come again at once */
	for (at = leaf; at;) {
		const struct diff_path *path = intern__at(&df->paths.paths, at);

		((struct diff_symbol *)intern__at(&df->paths.symbols, path->symbol))->seen = 0;
		at = path->parent;
	}
}

/* All or part of a wait. */
struct adding {
	u32 side;
	u64 ns;
	u64 count;
	u64 max_ns;
};

static void add(void *arg, struct diff_item *it)
{
	const struct adding *ad = arg;

	it->ns[ad->side] += ad->ns;
	it->count[ad->side] += ad->count;
	if (ad->max_ns > it->max_ns[ad->side])
		it->max_ns[ad->side] = ad->max_ns;
}

/*
 * A wait for work contributes twice: it was idle, and then waited for a CPU. The longest run-queue
 * part of several waits is unknown.
 */
static void add_up(struct differing *df, u32 side)
{
	u32 i;

	for (i = 1; i < df->p[side]->waits_len; i++) {
		const struct profile_wait *w = &df->p[side]->waits[i];
		u64 counted_ns = df->d->counted_ns[side][i], idle_ns = wait_ns(w) - counted_ns;
		struct adding ad = { side, idle_ns, w->count,
				     w->max_ns < idle_ns ? w->max_ns : idle_ns };

		if (idle_ns)
			add(&ad, &df->d->idle);
		ad = (struct adding){ side, counted_ns, idle_ns ? 0 : w->count,
				      idle_ns ? 0 : w->max_ns };
		if (counted_ns || !idle_ns)
			diff_each_item(df, side, i, add, &ad);
		df->self_ns[side][df->paths.of_wait[side][i]] += counted_ns;
	}
}

static int count_times(struct differing *df, u32 side, struct arena *a)
{
	const struct profile *p = df->p[side];
	u64 *counted_ns = arena__array(a, p->waits_len, sizeof(*counted_ns));
	u32 i;

	df->d->counted_ns[side] = counted_ns;
	for (i = 1; counted_ns && i < p->waits_len; i++) {
		bool idle = !df->opt->idle && causes__class(&df->causes[side], i) == CLASS_IDLE;

		counted_ns[i] = idle ? p->waits[i].runq_ns : wait_ns(&p->waits[i]);
	}
	return counted_ns ? 0 : -ENOMEM;
}

/* The source of an import may not state the length or the thread time to divide by. */
static bool is_unknown(const struct differing *df, u32 side)
{
	u32 unknown = df->p[side]->hdr.unknown;

	if (df->opt->per == DIFF_PER_REQUEST)
		return false;
	return unknown & (df->opt->per == DIFF_PER_THREAD ? UNKNOWN_ON_CPU : UNKNOWN_WINDOW);
}

static int set_units(struct differing *df, struct err *err)
{
	u32 side;

	for (side = 0; side < 2; side++) {
		struct profile_budget *budget = &df->d->budget[side];
		double *unit = &df->d->units[side];

		if (profile__budget(df->p[side], budget))
			return err__nomem(err);
		if (df->opt->per == DIFF_PER_REQUEST)
			*unit = df->opt->requests[side];
		else if (df->opt->per == DIFF_PER_THREAD)
			*unit = (double)budget->wall_ns / 1e9;
		else
			*unit = (double)df->p[side]->hdr.window_ns / 1e9;
		if (is_unknown(df, side))
			return err__set(
				err, -EINVAL, "the recording %s is an import without %s: %s",
				side ? "after" : "before",
				df->opt->per == DIFF_PER_THREAD ? "thread time" : "a length",
				df->opt->per == DIFF_PER_THREAD ?
					"compare per second" :
					"import it with --window, or compare --per requests");
		if (!(*unit > 0))
			return err__set(err, -EINVAL, "the recording %s lasts no time",
					side ? "after" : "before");
	}
	return 0;
}

static void set_rates(const struct differing *df, struct diff_item *items, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		items[i].rate[0] = (double)items[i].ns[0] / df->d->units[0];
		items[i].rate[1] = (double)items[i].ns[1] / df->d->units[1];
		items[i].p = 1;
	}
}

static int begin(struct differing *df, struct arena *a, struct err *err)
{
	u32 paths_len, side;
	int r = 0;

	for (side = 0; side < 2 && !r; side++) {
		/* by all frames, shown or not, as in a report */
		r = causes__init(&df->causes[side], df->d->p[side], df->opt->rules, err);
		if (!r && count_times(df, side, a))
			r = err__nomem(err);
	}
	if (!r)
		r = diff_paths__init(&df->paths, df->p, df->d->counted_ns, err);
	if (r)
		return r;
	paths_len = intern__len(&df->paths.paths);
	df->by_symbol = mem_array(intern__len(&df->paths.symbols), sizeof(*df->by_symbol));
	df->by_path = mem_array(paths_len, sizeof(*df->by_path));
	df->self_ns[0] = mem_array(paths_len, sizeof(u64));
	df->self_ns[1] = mem_array(paths_len, sizeof(u64));
	if (!df->by_symbol || !df->by_path || !df->self_ns[0] || !df->self_ns[1])
		return err__nomem(err);
	return set_units(df, err);
}

static void end(struct differing *df)
{
	diff_paths__done(&df->paths);
	causes__done(&df->causes[0]);
	causes__done(&df->causes[1]);
	mem_free(df->by_symbol);
	mem_free(df->by_path);
	mem_free(df->self_ns[0]);
	mem_free(df->self_ns[1]);
}

static int build(struct differing *df, struct arena *a, struct err *err)
{
	int r = begin(df, a, err);

	if (r)
		return r;
	add_up(df, DIFF_BEFORE);
	add_up(df, DIFF_AFTER);
	set_rates(df, &df->d->total, 1);
	set_rates(df, &df->d->idle, 1);
	set_rates(df, df->by_cause, CAUSE_CNT);
	set_rates(df, df->by_symbol, intern__len(&df->paths.symbols));
	set_rates(df, df->by_path, intern__len(&df->paths.paths));
	r = diff_test_items(df);
	if (!r)
		r = diff_put_in_order(df, a);
	return r ? err__nomem(err) : 0;
}

int diff__build(const struct profile *const p[2], const struct diff_options *opt, struct arena *a,
		struct diff *ret, struct err *err)
{
	const struct shown_options shown_opt = { .interpreter = opt->interpreter };
	struct differing df = { .d = ret, .opt = opt };
	struct shown shown[2] = { 0 };
	u32 side;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	ret->opt = *opt;
	if (profile_header__is_of_tasks(&p[0]->hdr) != profile_header__is_of_tasks(&p[1]->hdr))
		return err__set(err, -EINVAL,
				"a recording of tasks and one of threads cannot be compared");
	for (side = 0; side < 2 && !r; side++) {
		ret->p[side] = p[side];
		r = shown__init(&shown[side], p[side], &shown_opt, err);
		df.p[side] = shown[side].p;
	}
	if (!r)
		r = build(&df, a, err);
	end(&df);
	shown__done(&shown[0]);
	shown__done(&shown[1]);
	return r;
}

double diff_item__change(const struct diff_item *it)
{
	return it->rate[DIFF_AFTER] - it->rate[DIFF_BEFORE];
}

double diff_item__largest(const struct diff *d, const struct diff_item *it)
{
	double change = diff_item__change(it);
	u32 side = change > 0 ? DIFF_AFTER : DIFF_BEFORE;

	if (!(fabs(change) > 0))
		return 0;
	return (double)it->max_ns[side] / d->units[side] / fabs(change);
}
