/* SPDX-License-Identifier: Apache-2.0 */
/* The details of a row: the stacks of its waits are summed here, when someone looks at them. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cause/cause.h"
#include "analysis/model/hist.h"
#include "analysis/name/label.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/object_text.h"
#include "tui/bar.h"
#include "tui/pages.h"
#include "tui/screen.h"
#include "tui/waits_text.h"

#define STACKS 10
#define BAR_COLUMNS 30

static void put_numbers(struct lines *l, const struct table *t, u32 at)
{
	const struct top_row *row = &t->top.rows[at];
	char time[32], mean[32] = "-", longest[32] = "-", waits[WAITS_TEXT_SZ];

	units_format_ns(top_row__ns(row), time, sizeof(time));
	waits_text(top_row__ns(row), row->count, waits, sizeof(waits));
	if (row->count)
		units_format_ns(top_row__ns(row) / row->count, mean, sizeof(mean));
	if (row->max_ns)
		units_format_ns(row->max_ns, longest, sizeof(longest));
	lines__printf(l, 0, 0, "%s %s, mean %s, longest %s", time, waits, mean, longest);
	if (t->choice.idle && row->idle_ns) {
		units_format_ns(row->idle_ns, time, sizeof(time));
		lines__printf(l, 0, 0, "%s in waits for work", time);
	}
	if (row->blocked_ns || row->runq_ns) {
		units_format_ns(row->blocked_ns, time, sizeof(time));
		units_format_ns(row->runq_ns, mean, sizeof(mean));
		lines__printf(l, 0, 0, "%s blocked, %s waiting for a CPU", time, mean);
	}
}

/* What the thread waited for, and what to look at next. */
static void put_words(struct lines *l, const struct table *t, u32 at)
{
	const struct top_row *row = &t->top.rows[at];
	const char *hint = row->group ? "" : top_row__hint(row);
	char text[OBJECT_TEXT_SZ];

	if (!row->group)
		lines__printf(l, 0, 0, "%s: %s%s", cause_name((enum cause)row->cause),
			      cause_sentence((enum cause)row->cause),
			      row->class == CLASS_IDLE ? "; a wait for work" : "");
	if (t->kind == TABLE_PLACES && object_text(row, text, sizeof(text)))
		lines__put(l, 0, 0, text);
	if (*hint)
		lines__printf(l, ATTR_BOLD, 0, "-> %s", hint);
}

static void put_bar(struct lines *l, const u64 *hist, u32 bucket, u64 most)
{
	u64 bars = (u64)((unsigned __int128)hist[bucket] * BAR_COLUMNS / most), i;
	u64 below_ns = hist_ceil_ns(bucket);
	char below[32] = "more", text[BAR_COLUMNS * 3 + 1] = "";
	size_t len = 0;

	if (~below_ns)
		units_format_ns(below_ns, below, sizeof(below));
	for (i = 0; i < (bars ? bars : hist[bucket] != 0); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, l->ascii ? "#" : "\u2588");
	lines__printf(l, 0, 2, "< %*s %10llu %s", utf8_pad(below, 8), below, hist[bucket], text);
}

/* "1.05 ms ▁▂▅█ 537 ms": from the shortest to the longest. */
static void put_short_hist(struct lines *l, const u64 *hist, u32 first, u32 last, u64 most)
{
	char from[32], to[32] = "more", bars[PROFILE_HIST_LEN * 4] = "";
	u64 end_ns = hist_ceil_ns(last);
	size_t len = 0;
	u32 i;

	units_format_ns(hist_floor_ns(first), from, sizeof(from));
	if (~end_ns)
		units_format_ns(end_ns, to, sizeof(to));
	for (i = first; i <= last; i++)
		len += (size_t)snprintf(bars + len, sizeof(bars) - len, "%s",
					bar_of(hist[i], most, l->ascii));
	lines__printf(l, 0, 0, "lengths from %s %s to %s", from, bars, to);
}

static void put_hist(struct lines *l, const u64 *hist, bool in_short)
{
	u32 first = PROFILE_HIST_LEN, last = 0, i;
	u64 most = 0;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (!hist[i])
			continue;
		first = first < i ? first : i;
		last = i;
		most = most > hist[i] ? most : hist[i];
	}
	if (!most)
		return;
	if (in_short) {
		put_short_hist(l, hist, first, last, most);
		return;
	}
	lines__put(l, 0, 0, "");
	lines__put(l, ATTR_BOLD, 0, "Lengths");
	for (i = first; i <= last; i++)
		put_bar(l, hist, i, most);
}

struct stack_key {
	u32 user;
	u32 kernel;
	const char *note; /* in place of stacks; static text */
};

struct stack_sum {
	struct stack_key key;
	u64 ns;
	u64 count;
	bool uncounted; /* some of it */
};

static int add_wait(struct intern *sums, const struct profile *p, u32 wait)
{
	const struct wait_stacks s = wait_stacks_of(p, wait, 0);
	struct stack_sum fresh = { 0 }, *sum;
	u32 id;

	fresh.key.user = s.user;
	fresh.key.kernel = s.kernel;
	fresh.key.note = s.lost ? s.lost : s.user_missed ? NOTE_MISSED_USER : NULL;
	if (intern__add(sums, &fresh, &id))
		return -ENOMEM;
	sum = intern__at(sums, id);
	sum->ns += wait_ns(&p->waits[wait]);
	sum->count += p->waits[wait].count;
	sum->uncounted |= wait_is_uncounted(&p->waits[wait]);
	return 0;
}

static int sum_stacks(struct intern *sums, const struct table *t, u32 row)
{
	const struct profile *p = t->divided.p;
	struct causes causes;
	u32 i;
	int r = causes__recall(&causes, p, t->divided.memo, NULL);

	for (i = 1; i < p->waits_len && !r; i++) {
		if (t->top.row_of_wait[i] != row)
			continue;
		/* a row by cause is idle as a whole, or not at all */
		if (!t->top.rows[row].group || t->choice.idle ||
		    causes__class(&causes, i) != CLASS_IDLE)
			r = add_wait(sums, p, i);
	}
	causes__done(&causes);
	return r;
}

static int longest_first(const void *a, const void *b)
{
	const struct stack_sum *x = *(const struct stack_sum *const *)a;
	const struct stack_sum *y = *(const struct stack_sum *const *)b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x < y ? -1 : x > y;
}

/* From the function that waited to its callers. */
static void put_frames(struct lines *l, const struct profile *p, const struct labels *labels,
		       u32 leaf, u32 attr)
{
	for (; leaf; leaf = p->stacks[leaf].parent)
		lines__put(l, attr, 6, labels__frame(labels, p->stacks[leaf].frame));
}

static void put_stack(struct lines *l, const struct table *t, const struct labels *labels,
		      const struct stack_sum *sum)
{
	char time[32], waits[WAITS_TEXT_SZ];

	units_format_ns(sum->ns, time, sizeof(time));
	waits_text(sum->ns, sum->uncounted ? 0 : sum->count, waits, sizeof(waits));
	lines__printf(l, ATTR_BOLD, 2, "%s %s", time, waits);
	put_frames(l, t->divided.p, labels, sum->key.kernel, ATTR_DIM);
	put_frames(l, t->divided.p, labels, sum->key.user, 0);
	if (sum->key.note)
		lines__put(l, 0, 6, sum->key.note);
}

static int put_stacks(struct lines *l, const struct table *t, struct intern *sums)
{
	u32 len = intern__len(sums) - 1, i;
	const struct stack_sum **list = mem_array((size_t)len + 1, sizeof(*list));
	struct labels labels;
	int r = labels__init(&labels, t->divided.p, NULL);

	if (!list)
		r = -ENOMEM;
	for (i = 0; i < len && !r; i++)
		list[i] = intern__at(sums, i + 1);
	if (!r && len)
		qsort(list, len, sizeof(*list), longest_first);
	if (!r && len) {
		lines__put(l, 0, 0, "");
		lines__printf(l, ATTR_BOLD, 0, "Stacks, from the function that waited (%u of %u)",
			      len < STACKS ? len : STACKS, len);
	}
	for (i = 0; i < len && i < STACKS && !r; i++)
		put_stack(l, t, &labels, list[i]);
	labels__done(&labels);
	mem_free(list);
	return r;
}

void page_detail(struct lines *l, const struct table *t, u32 row, bool in_short)
{
	struct intern sums;
	int r;

	lines__put(l, ATTR_BOLD, 0, t->texts[row]);
	put_numbers(l, t, row);
	put_words(l, t, row);
	put_hist(l, t->top.rows[row].hist, in_short);
	r = intern__init(&sums, sizeof(struct stack_sum), sizeof(struct stack_key));
	if (!r)
		r = sum_stacks(&sums, t, row);
	if (!r)
		r = put_stacks(l, t, &sums);
	l->failed |= r != 0;
	intern__done(&sums);
}
