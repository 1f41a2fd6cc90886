/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/path_screen.h"

#include <errno.h>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/loss_text.h"
#include "render/words/path_text.h"

#define ROWS 20
#define SEQUENCE_ROWS 20
#define TIME_SZ 32
/* Threads of a chain that are shown; the first of a longer one are left out. */
#define CHAIN_SHOWN 4

struct path_screen {
	const struct critical_path *path;
	const struct path_table *table;
	const struct profile *p;
	struct sink *out;
	u32 rows;
};

static void put_time(const struct path_screen *s, u64 ns)
{
	char time[TIME_SZ];

	units_format_ns(ns, time, sizeof(time));
	sink__printf(s->out, "%*s", utf8_pad(time, 9), time);
}

static void put_share(const struct path_screen *s, u64 ns)
{
	sink__printf(s->out, "%6.1f%%",
		     s->table->ns ? 100. * (double)ns / (double)s->table->ns : 0);
}

static void put_instant(const struct path_screen *s, u64 ns)
{
	u64 us = ns / NSEC_PER_USEC;

	sink__printf(s->out, "%llu.%06llu", us / 1000000, us % 1000000);
}

static void put_head(const struct path_screen *s)
{
	const struct path_range *range = &s->path->range;
	const struct profile_task *t = &s->p->tasks[s->path->lanes->lanes[range->lane].last_task];
	char time[TIME_SZ];

	units_format_ns(s->table->ns, time, sizeof(time));
	sink__puts(s->out, "Critical path of ");
	utf8_put_harmless(s->out, profile__str(s->p, t->comm));
	sink__printf(s->out, "-%u: %s, from ", t->tid, time);
	put_instant(s, range->begin_ns);
	sink__puts(s->out, " to ");
	put_instant(s, range->end_ns);
	sink__puts(s->out, " s\n");
	if (s->table->known_ns < s->table->ns) {
		units_format_ns(s->table->ns - s->table->known_ns, time, sizeof(time));
		sink__printf(s->out, "Not known is who or what ended waits of %s.\n", time);
	}
}

static void put_row(const struct path_screen *s, const struct path_row *row)
{
	put_time(s, row->ns);
	put_share(s, row->ns);
	sink__printf(s->out, "%8u", row->parts);
	put_time(s, row->longest_ns);
	sink__puts(s->out, "  ");
	path_put_threads(s->p, row, s->out);
	sink__puts(s->out, ": ");
	path_put_doing(row, s->out);
	sink__puts(s->out, "\n");
}

/* The rest is one row, so that the column adds up. */
static void put_rest(const struct path_screen *s)
{
	u64 ns = 0, parts = 0, longest_ns = 0;
	u32 i;

	for (i = s->rows; i < s->table->len; i++) {
		ns += s->table->rows[i].ns;
		parts += s->table->rows[i].parts;
		if (s->table->rows[i].longest_ns > longest_ns)
			longest_ns = s->table->rows[i].longest_ns;
	}
	if (!parts)
		return;
	put_time(s, ns);
	put_share(s, ns);
	sink__printf(s->out, "%8llu", parts);
	put_time(s, longest_ns);
	sink__printf(s->out, "  %u more rows: --top shows them\n", s->table->len - s->rows);
}

static void put_table(const struct path_screen *s)
{
	u32 i;

	sink__puts(s->out, "\n     time  share   parts  longest  thread, and what it did\n");
	for (i = 0; i < s->table->len && i < s->rows; i++)
		put_row(s, &s->table->rows[i]);
	put_rest(s);
}

/* "make > sh > " of the threads that waited for the one of this part. */
static void put_chain(const struct path_screen *s, u32 link)
{
	const struct path_link *l = vec__at(&s->path->links, link);

	if (!link)
		return;
	if (l->depth % CHAIN_SHOWN == 0)
		sink__puts(s->out, "... > ");
	else
		put_chain(s, l->parent);
	utf8_put_harmless(s->out, profile__str(s->p, s->p->tasks[l->task].comm));
	sink__puts(s->out, " > ");
}

/* Parts that follow each other, in which one thread was on a CPU or waited for one; or one part. */
struct stretch {
	u32 part; /* the first */
	u64 ns;
	u64 runq_ns;
};

static bool is_for_cpu(const struct path_part *part)
{
	return part->kind == PATH_RUNNING || part->kind == PATH_RUNQ;
}

static bool goes_on(const struct path_screen *s, u32 part)
{
	const struct path_part *at = vec__at(&s->path->parts, part);

	return part && is_for_cpu(at) && is_for_cpu(at - 1) && at->task == at[-1].task &&
	       at->link == at[-1].link;
}

/* -ENOMEM or 0. */
static int find_stretches(const struct path_screen *s, struct vec *list)
{
	struct stretch *last = NULL;
	u32 i;

	for (i = 0; i < s->path->parts.len; i++) {
		const struct path_part *part = vec__at(&s->path->parts, i);

		if (!goes_on(s, i)) {
			last = vec__push(list);
			if (!last)
				return -ENOMEM;
			last->part = i;
		}
		last->ns += part->ns;
		last->runq_ns += part->kind == PATH_RUNQ ? part->ns : 0;
	}
	return 0;
}

static void put_stretch(const struct path_screen *s, const struct stretch *st)
{
	const struct path_part *part = vec__at(&s->path->parts, st->part);
	struct path_row row = s->table->rows[s->table->row_of_part[st->part]];
	char on[TIME_SZ], runq[TIME_SZ];

	row.task = part->task;
	row.threads = 1;
	put_instant(s, part->begin_ns);
	sink__puts(s->out, " ");
	put_time(s, st->ns);
	sink__puts(s->out, "  ");
	put_chain(s, part->link);
	path_put_threads(s->p, &row, s->out);
	sink__puts(s->out, ": ");
	if (st->runq_ns && st->runq_ns < st->ns) {
		units_format_ns(st->ns - st->runq_ns, on, sizeof(on));
		units_format_ns(st->runq_ns, runq, sizeof(runq));
		sink__printf(s->out, "on a CPU %s, waiting for one %s\n", on, runq);
		return;
	}
	path_put_doing(&row, s->out);
	sink__puts(s->out, "\n");
}

/* The length above which at most `n` stretches are. */
static u64 longest_hidden(const struct path_screen *s, const struct vec *list, u32 n)
{
	u64 low = 0, high = s->table->ns;

	while (low < high) {
		u64 mid = low + (high - low) / 2;
		u32 count = 0;
		size_t i;

		for (i = 0; i < list->len; i++)
			count += ((const struct stretch *)vec__at(list, i))->ns > mid;
		if (count <= n)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

static int put_sequence(const struct path_screen *s, u32 n)
{
	struct vec list;
	u64 above_ns;
	size_t i;
	int r;

	vec__init(&list, sizeof(struct stretch));
	r = find_stretches(s, &list);
	above_ns = longest_hidden(s, &list, n);
	sink__puts(s->out, "\nThe longest parts, in the order of time:\n");
	for (i = 0; i < list.len && !r; i++) {
		if (((const struct stretch *)vec__at(&list, i))->ns > above_ns)
			put_stretch(s, vec__at(&list, i));
	}
	vec__done(&list);
	return r;
}

int path_screen_put(const struct critical_path *path, const struct path_table *table,
		    const struct render_options *opt, struct sink *out)
{
	const struct path_screen s = {
		.path = path,
		.table = table,
		.p = path->lanes->p,
		.out = out,
		.rows = opt->rows ? opt->rows : ROWS,
	};
	int r;

	put_head(&s);
	put_table(&s);
	r = put_sequence(&s, opt->rows ? opt->rows : SEQUENCE_ROWS);
	sink__puts(out, "\n");
	losses_put(s.p, out);
	return r;
}
