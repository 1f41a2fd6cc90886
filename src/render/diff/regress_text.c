/* SPDX-License-Identifier: Apache-2.0 */
/* In the words and columns of a diff, so that who reads one reads the other. */
#include "render/diff/regress_view.h"

#include <stdio.h>

#include "analysis/cause/cause.h"
#include "analysis/diff/diff.h"
#include "base/clock.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/diff/diff_view.h"
#include "render/words/short_name.h"

#define DEFAULT_ROWS 15
#define NAME_COLUMNS 40
#define RED "\033[31m"
#define PLAIN "\033[0m"

static void put_range(const struct regress_view *v, struct sink *out)
{
	const struct regress *f = v->found;
	char from[40], to[40], rate[2][32];

	clock_format_wall(v->from_ns, from, sizeof(from));
	clock_format_wall(v->to_ns, to, sizeof(to));
	for (u32 side = 0; side < 2; side++)
		units_format_ns((u64)f->rate[side], rate[side], sizeof(rate[side]));
	utf8_put_harmless(out, v->store);
	sink__printf(out,
		     ": %s to %s\nbefore: the same time of %u day%s, %u window%s, %s off the CPU "
		     "per second\nafter:  %u window%s, %s off the CPU per second\n",
		     from, to, f->days, units_plural(f->days), f->windows[0],
		     units_plural(f->windows[0]), rate[0], f->windows[1],
		     units_plural(f->windows[1]), rate[1]);
}

static void put_name(const struct regress_item *it, struct sink *out)
{
	utf8_put_harmless(out, it->process);
	sink__puts(out, ": ");
	if (it->kind == REGRESS_CAUSE) {
		sink__puts(out, cause_name((enum cause)it->cause));
		return;
	}
	short_name_put(out, it->function, NAME_COLUMNS);
	if (*it->module) {
		sink__puts(out, " (");
		utf8_put_harmless(out, it->module);
		sink__puts(out, ")");
	}
}

static void put_item(const struct regress_view *v, const struct regress_item *it, struct sink *out)
{
	const struct diff_item as = { .rate = { it->rate[0], it->rate[1] },
				      .ns = { it->rate[0] > 0, it->rate[1] > 0 } };
	char rate[2][32], change[40], percent[32], error[40], p[16];

	diff_rate_text(it->rate[0], rate[0], sizeof(rate[0]));
	diff_rate_text(it->rate[1], rate[1], sizeof(rate[1]));
	diff_change_text(&as, change, sizeof(change));
	diff_percent_text(&as, percent, sizeof(percent));
	units_format_error_ns((u64)(it->rate[1] - it->rate[0]), (u64)it->error, error,
			      sizeof(error));
	snprintf(p, sizeof(p), it->p < 0.001 ? "<.001" : "%.3f", it->p);
	sink__printf(out, "%s+ %*s %*s %*s %8s %8s %6s  ", v->color ? RED : "",
		     utf8_pad(rate[0], 9), rate[0], utf8_pad(rate[1], 9), rate[1],
		     utf8_pad(change, 10), change, error, percent, p);
	put_name(it, out);
	sink__puts(out, v->color ? PLAIN "\n" : "\n");
}

static void put_table(const struct regress_view *v, u32 kind, const char *head, struct sink *out)
{
	u32 rows = v->rows ? v->rows : DEFAULT_ROWS, n = 0;

	for (u32 i = 0; i < v->found->len; i++) {
		if (v->found->items[i].kind != kind)
			continue;
		if (!n)
			sink__printf(out, "\n  %9s %9s %10s %8s %8s %6s  %s\n", "before", "after",
				     "change", "+-", "", "p", head);
		if (n++ < rows)
			put_item(v, &v->found->items[i], out);
	}
	if (n > rows)
		sink__printf(out, "  and %u more\n", n - rows);
}

static void put_tested(const struct regress *f, struct sink *out)
{
	if (!f->by_days && !f->by_windows) {
		sink__printf(
			out,
			"\nNot tested against chance: %u day%s before, %u are needed, or 4 windows "
			"on each side.\n",
			f->days, units_plural(f->days), REGRESS_DAYS_MIN);
		return;
	}
	sink__printf(out, "\nTested against the variation between ");
	if (f->by_days)
		sink__printf(out, "%u days%s", f->days, f->by_windows ? " and between " : "");
	if (f->by_windows)
		sink__puts(out, "windows");
	sink__printf(out, "; %u rows were tested.\n", f->tested);
	if (!f->by_days)
		sink__printf(out,
			     "The variation between days is not known: %u day%s before, %u are "
			     "needed.\n",
			     f->days, units_plural(f->days), REGRESS_DAYS_MIN);
	if (f->len)
		sink__printf(
			out,
			"Up to %g%% of such rows may be chance. +-: standard error of the change. "
			"Waits for work are left out.\n",
			100 * (f->by_days ? REGRESS_FALSE_PART : DIFF_FALSE_PART));
}

void regress_text_put(const struct regress_view *v, struct sink *out)
{
	put_range(v, out);
	put_table(v, REGRESS_CAUSE, "process: cause, per second", out);
	put_table(v, REGRESS_FUNCTION, "process: function, per second", out);
	if (!v->found->len && (v->found->by_days || v->found->by_windows))
		sink__puts(out, "\nNothing waits longer than before.\n");
	put_tested(v->found, out);
}
