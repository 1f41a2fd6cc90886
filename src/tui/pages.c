/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/pages.h"

#include <stdio.h>

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "tui/key.h"
#include "tui/screen.h"
#include "tui/view.h"
#include "tui/viewer.h"

#define KEYS_COLUMNS 12

void page_help(struct lines *l)
{
	u32 i;

	lines__put(l, ATTR_BOLD, 0, "Keys");
	for (i = ACTION_NONE + 1; i < ACTION_CNT; i++)
		lines__printf(l, 0, 2, "%-*s%s", KEYS_COLUMNS, action_keys((enum action)i),
			      action_help((enum action)i));
	lines__put(l, 0, 2, "Mouse: a click chooses a row or a tab, a double click is Enter.");
	lines__put(l, 0, 0, "");
	lines__put(l, 0, 0,
		   "Times are of waits: blocked, and then waiting for a CPU. Waits for work (idle) "
		   "are left out until you press i. Shares are of the time that is shown.");
}

static void put_share(struct lines *l, const struct profile *p, const char *what, u64 ns)
{
	char time[32], share[32];

	units_format_ns(ns, time, sizeof(time));
	effort_share_text(&p->hdr, ns, share, sizeof(share));
	lines__printf(l, 0, 2, "%-26s%*s  %s of the machine", what, utf8_pad(time, 10), time,
		      share);
}

static void put_losses(struct lines *l, const struct profile *p)
{
	char text[LOSS_TEXT_SZ];
	int i;

	lines__put(l, ATTR_BOLD, 0, "Lost");
	if (!loss_kinds(p))
		lines__put(l, 0, 2, "nothing");
	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(p, (enum profile_loss_kind)i, text, sizeof(text)))
			lines__put(l, ATTR_WARN, 2, text);
	}
	if (names_text(p, NULL, text, sizeof(text)))
		lines__put(l, 0, 2, text);
}

static void put_cost(struct lines *l, const struct profile *p)
{
	char text[EFFORT_TEXT_SZ];

	lines__put(l, ATTR_BOLD, 0, "Cost");
	if (p->hdr.prog_runs)
		put_share(l, p, "at switches, in the kernel", p->hdr.prog_ns);
	put_share(l, p, "coldspot, and this screen", p->hdr.self_cpu_ns);
	effort_cost_text(p, text, sizeof(text));
	lines__put(l, 0, 2, text);
	effort_seen_text(p, text, sizeof(text));
	lines__put(l, 0, 2, text);
	lines__put(l, 0, 0, "");
	put_losses(l, p);
	lines__put(l, 0, 0, "");
	lines__put(l, ATTR_BOLD, 0, "Hooks");
	lines__put(l, 0, 2, profile__str(p, p->hdr.hooks));
}

static void paint_cost(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct lines lines;

	lines__init(&lines, s->cols, s->ascii);
	if (v->base)
		put_cost(&lines, v->base);
	else
		lines__put(&lines, 0, 0, "The first window is not over yet.");
	page_paint(v, &lines, s, y, end);
	lines__done(&lines);
}

static void paint_output(struct viewer *v, struct screen *s, u32 y, u32 end)
{
	struct lines lines;

	lines__init(&lines, s->cols, s->ascii);
	if (v->output.dropped)
		lines__printf(&lines, ATTR_WARN, 0, "%llu older lines are not kept.",
			      v->output.dropped);
	for (u32 i = 0; output__line(&v->output, i); i++)
		lines__put(&lines, 0, 0, output__line(&v->output, i));
	if (v->output.partial_len)
		lines__printf(&lines, 0, 0, "%.*s", (int)v->output.partial_len, v->output.partial);
	if (!lines.list.len)
		lines__put(&lines, 0, 0, "The command has not written anything yet.");
	page_paint(v, &lines, s, y, end);
	lines__done(&lines);
}

const struct view view_output = {
	.paint = paint_output,
	.always = true,
};

const struct view view_cost = {
	.paint = paint_cost,
	.always = true,
};
