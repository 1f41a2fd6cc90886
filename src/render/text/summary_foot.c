/* SPDX-License-Identifier: Apache-2.0 */
/* The foot of the summary: reliability, losses and cost. */
#include "analysis/view/complete.h"
#include "profile/loss.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "render/render_view.h"
#include "render/text/summary_priv.h"
#include "base/utf8.h"

#define STACKS_COLUMN 13 /* after "User stacks:" */
#define FOOT_INDENT 6

/*
 * A share below 100% is never shown as 100%, and one above 0 never as 0: "99.9%" and "<0.1%" are
 * what the reader needs to know then.
 */
static void format_honest_share(u64 part, u64 whole, char *buf, size_t sz)
{
	u64 permille = (u64)(((unsigned __int128)part * 1000 + whole / 2) / whole);

	if (permille == 1000 && part < whole)
		permille--;
	if (part && !permille)
		snprintf(buf, sz, "<0.1%%");
	else
		snprintf(buf, sz, "%llu.%llu%%", permille / 10, permille % 10);
}

/* "37.0% no CFI in libfoo.so, 2.1% deeper than the limit" */
static void format_rest(const struct complete *c, char *buf, size_t sz)
{
	char share[32];
	size_t len = 0;
	u32 i;

	buf[0] = '\0';
	for (i = 0; i < c->len && len < sz; i++) {
		format_honest_share(c->rows[i].ns, c->total_ns, share, sizeof(share));
		len += (size_t)snprintf(buf + len, sz - len, "%s%s %s", i ? ", " : "", share,
					c->rows[i].words);
	}
}

/* What is not whole, on the line of the share if it fits: it says what to do about it. */
static void put_share(const struct screen *s, const struct complete *c)
{
	char line[64], share[32], rest[512];
	size_t room = s->columns - STACKS_COLUMN, len;

	format_honest_share(c->whole_ns, c->total_ns, share, sizeof(share));
	len = (size_t)snprintf(line, sizeof(line), "whole in %s of waited time", share);
	format_rest(c, rest, sizeof(rest));
	sink__printf(s->out, "%sUser stacks:%s %s", screen_bold(s), screen_plain(s), line);
	if (rest[0]) {
		bool fits = len + strlen("; the rest: ") + utf8_len(rest) <= room;

		sink__puts(s->out, fits ? "; the rest: " : "; the rest:\n      ");
		screen_put_cut(s->out, rest, s->columns - FOOT_INDENT);
	}
	sink__puts(s->out, "\n");
}

static int put_complete(struct screen *s, struct err *err)
{
	struct complete c;
	struct arena a;
	int r;

	arena__init(&a);
	r = complete__build(s->p, &a, &c, err);
	s->told_stacks = !r && c.total_ns;
	if (s->told_stacks)
		put_share(s, &c);
	arena__done(&a);
	return r;
}

static void put_losses(const struct screen *s)
{
	char text[320];
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		if (!loss_text(s->p, (enum profile_loss_kind)i, text, sizeof(text)))
			continue;
		if (i == LOSS_STACK_TRUNCATED && s->told_stacks)
			continue;
		sink__printf(s->out, "%sLost:%s ", screen_bold(s), screen_plain(s));
		screen_put_cut(s->out, text, s->columns - 6);
		sink__puts(s->out, "\n");
		if (loss_reason_text(s->p, (enum profile_loss_kind)i, text, sizeof(text))) {
			sink__puts(s->out, "      ");
			screen_put_cut(s->out, text, s->columns - 6);
			sink__puts(s->out, "\n");
		}
	}
	if (!loss_kinds(s->p))
		sink__puts(s->out, "Nothing lost.\n");
}

/* What was seen, and what it cost: on one line if it fits. */
static void put_effort(const struct screen *s)
{
	char seen[EFFORT_TEXT_SZ], cost[EFFORT_TEXT_SZ];

	effort_seen_text(s->p, seen, sizeof(seen));
	effort_cost_text(s->p, cost, sizeof(cost));
	screen_put_cut(s->out, seen, s->columns);
	sink__puts(s->out, strlen(seen) + 2 + strlen(cost) > s->columns ? "\n" : "; ");
	screen_put_cut(s->out, cost, s->columns);
	sink__puts(s->out, "\n");
}

/* Mentions that there is more to see, and how. */
static void put_samples(const struct screen *s)
{
	char text[RENDER_SAMPLES_TEXT_SZ];

	if (!render_samples_text(s->p, text, sizeof(text)))
		return;
	sink__printf(s->out, "%sSampled:%s ", screen_bold(s), screen_plain(s));
	screen_put_cut(s->out, text, s->columns - 9);
	sink__puts(s->out, s->view == VIEW_OFF ? "; see --view on, --view wall\n" : "\n");
}

int screen_put_foot(struct screen *s, struct err *err)
{
	const char *hooks = profile__str(s->p, s->p->hdr.hooks);
	int r = put_complete(s, err);

	if (r)
		return r;
	put_samples(s);
	put_losses(s);
	if (s->p->hdr.filtered)
		sink__printf(s->out, "The user excluded waits: %s.\n",
			     s->model->idle_known ?
				     "the tables are a part of the budget" :
				     "it is not known which of them were waits for work");
	put_effort(s);
	if (*hooks) {
		sink__puts(s->out, "Hooks: ");
		screen_put_cut(s->out, hooks, s->columns - 7);
		sink__puts(s->out, "\n");
	}
	return 0;
}
