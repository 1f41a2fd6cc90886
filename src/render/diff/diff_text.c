/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A diff for a terminal of 80 columns: what changed in total, by cause and by function, and what is
 * on one side only. Findings come before what is unknown or noise, which may be larger.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/diff/diff_test.h"
#include "base/text/units.h"
#include "render/diff/diff_view.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"
#include "render/words/short_name.h"
#include "base/text/utf8.h"

#define DEFAULT_ROWS 15
#define NAME_COLUMNS 30
#define RED "\033[31m"
#define BLUE "\033[34m"
#define GREY "\033[90m"
#define PLAIN "\033[0m"

/* The name and, if it fits, the file. */
static void put_name(struct sink *out, const char *name, const char *module)
{
	if (!*module || utf8_columns(name) + utf8_columns(module) + 3 > NAME_COLUMNS) {
		short_name_put(out, name, NAME_COLUMNS);
		return;
	}
	utf8_put_harmless(out, name);
	sink__puts(out, " (");
	utf8_put_harmless(out, module);
	sink__puts(out, ")");
}

static const char *color_of(const struct diff_view *v, const struct diff_item *it)
{
	if (!v->color)
		return "";
	if (it->verdict == DIFF_MORE)
		return RED;
	if (it->verdict == DIFF_LESS)
		return BLUE;
	return it->verdict == DIFF_UNKNOWN ? "" : GREY;
}

static void p_text(const struct diff *d, const struct diff_item *it, char *buf, size_t sz)
{
	if (it->verdict == DIFF_SMALL || it->verdict == DIFF_UNKNOWN || !d->tested)
		snprintf(buf, sz, "-");
	else if (it->p < 0.001)
		snprintf(buf, sz, "<.001");
	else
		snprintf(buf, sz, "%.3f", it->p);
}

static void put_head(struct sink *out, const char *what)
{
	sink__printf(out, "\n  %9s %9s %10s %8s %6s  %s\n", "before", "after", "change", "", "p",
		     what);
}

static void put_row(const struct diff_view *v, const struct diff_item *it, const char *name,
		    const char *module, struct sink *out)
{
	char rate[2][32], change[40], percent[32], p[16], largest[96];

	diff_rate_text(it->rate[0], rate[0], sizeof(rate[0]));
	diff_rate_text(it->rate[1], rate[1], sizeof(rate[1]));
	diff_change_text(it, change, sizeof(change));
	diff_percent_text(it, percent, sizeof(percent));
	p_text(v->d, it, p, sizeof(p));
	sink__printf(out, "%s%c %*s %*s %*s %8s %6s  ", color_of(v, it),
		     diff_verdict_mark(it->verdict), utf8_pad(rate[0], 9), rate[0],
		     utf8_pad(rate[1], 9), rate[1], utf8_pad(change, 10), change, percent, p);
	put_name(out, name, module);
	sink__puts(out, v->color ? PLAIN "\n" : "\n");
	if (diff_largest_text(v->d, it, largest, sizeof(largest)))
		sink__printf(out, "%43s%s\n", "", largest);
}

static void put_sides(const struct diff_view *v, struct sink *out)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;
	u32 side;

	for (side = 0; side < 2; side++) {
		diff_side_text(v->d, side, text, sizeof(text));
		sink__puts(out, side ? "after:  " : "before: ");
		utf8_put_harmless(out, v->names[side]);
		sink__puts(out, ": ");
		utf8_put_harmless(out, profile__str(v->d->p[side], v->d->p[side]->hdr.target));
		sink__printf(out, "\n        %s\n", text);
		for (scope = 0; scope < SCOPE_CNT; scope++) {
			if (scope_text(v->d->p[side], scope, text, sizeof(text)))
				sink__printf(out, "        %s\n", text);
		}
	}
}

static bool is_found(const struct diff_item *it)
{
	return it->verdict == DIFF_MORE || it->verdict == DIFF_LESS;
}

static bool is_on_one_side(const struct diff_item *it)
{
	return !it->ns[0] || !it->ns[1];
}

/* Functions that are in the same waits: they only call each other. */
static bool are_alike(const struct diff_item *x, const struct diff_item *y)
{
	u32 side;

	for (side = 0; side < 2; side++) {
		if (x->ns[side] != y->ns[side] || x->count[side] != y->count[side])
			return false;
	}
	return true;
}

/* The names of the frames after `i` that are like it, as many as fit on a line. */
static void put_alike(const struct diff *d, u32 i, u32 end, struct sink *out)
{
	size_t room = 72, len;
	u32 k;

	sink__puts(out, "      ");
	for (k = i + 1; k < end; k++) {
		len = utf8_columns(d->frames[k].name);
		len = (len < NAME_COLUMNS ? len : NAME_COLUMNS) + 2;
		if (len + (k + 1 < end ? 14 : 0) > room) {
			sink__printf(out, "and %u more", end - k);
			break;
		}
		put_name(out, d->frames[k].name, "");
		sink__puts(out, k + 1 < end ? ", " : "");
		room -= len;
	}
	sink__puts(out, "\n");
}

typedef bool frame_filter(const struct diff_item *it);

/* At most `rows` of those that `lets` accepts, alike ones on one line; a head before the first. */
static void put_frames(const struct diff_view *v, frame_filter *lets, const char *head, u32 rows,
		       struct sink *out)
{
	const struct diff *d = v->d;
	u32 n = 0, i, end;

	for (i = 0; i < d->frames_len && n < rows; i = end) {
		const struct diff_frame *f = &d->frames[i];

		for (end = i + 1; end < d->frames_len && are_alike(&f->item, &d->frames[end].item);)
			end++;
		if (f->item.verdict == DIFF_SMALL || !lets(&f->item))
			continue;
		if (!n++)
			put_head(out, head);
		put_row(v, &f->item, f->name, f->module, out);
		if (end > i + 1)
			put_alike(d, i, end, out);
	}
}

static bool is_found_on_both(const struct diff_item *it)
{
	return is_found(it) && !is_on_one_side(it);
}

static bool is_other_on_both(const struct diff_item *it)
{
	return !is_found(it) && !is_on_one_side(it);
}

static bool is_new(const struct diff_item *it)
{
	return !it->ns[DIFF_BEFORE] && it->ns[DIFF_AFTER];
}

static bool is_gone(const struct diff_item *it)
{
	return it->ns[DIFF_BEFORE] && !it->ns[DIFF_AFTER];
}

static void put_losses(const struct diff_view *v, struct sink *out)
{
	char text[256];
	u32 side;
	int i;

	for (side = 0; side < 2; side++) {
		const struct profile *p = v->d->p[side];

		for (i = 0; i < LOSS_CNT; i++) {
			if (loss_text(p, (enum profile_loss_kind)i, text, sizeof(text)))
				sink__printf(out, "Lost %s: %s\n", side ? "after" : "before", text);
		}
		if (!loss_kinds(p))
			sink__printf(out,
				     profile__knows_losses(p) ? "Nothing lost %s.\n" :
								"Lost %s: not known.\n",
				     side ? "after" : "before");
	}
}

void diff_text_put(const struct diff_view *v, struct sink *out)
{
	const struct diff *d = v->d;
	u32 rows = v->rows ? v->rows : DEFAULT_ROWS, i;
	char text[256], what[64];

	put_sides(v, out);
	snprintf(what, sizeof(what), "off the CPU per %s", diff_unit_name(d->opt.per));
	put_head(out, what);
	put_row(v, &d->total, "in all", "", out);
	if (d->idle.ns[0] || d->idle.ns[1])
		put_row(v, &d->idle, "idle: waits for work", "", out);
	put_head(out, "cause");
	for (i = 0; i < d->causes_len; i++)
		put_row(v, &d->causes[i].item, cause_name((enum cause)d->causes[i].cause), "", out);
	put_frames(v, is_found_on_both, "changed function (inclusive)", rows, out);
	put_frames(v, is_other_on_both, "other function (inclusive)", rows, out);
	put_frames(v, is_new, "new function", rows, out);
	put_frames(v, is_gone, "function that is gone", rows, out);
	diff_tested_text(d, text, sizeof(text));
	sink__printf(out, "\n%s\n", text);
	diff_key_text(d, true, text, sizeof(text));
	sink__printf(out, *text ? "%s\n" : "%s", text);
	put_losses(v, out);
}
