/* SPDX-License-Identifier: Apache-2.0 */
/* The foot of the summary: reliability, losses and cost. */
#include <string.h>

#include "analysis/name/goroutines.h"
#include "analysis/view/complete.h"
#include "profile/loss.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "render/render_view.h"
#include "render/text/summary_priv.h"

#define FOOT_INDENT 6

static void put_line(const struct screen *s, const char *head, const char *text)
{
	sink__printf(s->out, "%s%s%s ", screen_bold(s), head, screen_plain(s));
	screen_put_wrapped(s, text, (u32)strlen(head) + 1, FOOT_INDENT);
}

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

/*
 * "37.0% no CFI in libfoo.so, 2.1% deeper than the limit, <0.1% 4 other reasons". The longest comes
 * first; with -v, each reason is listed.
 */
static void format_rest(const struct screen *s, const struct complete *c, char *buf, size_t sz)
{
	char share[32];
	u64 rest_ns = 0;
	size_t len = 0;
	u32 i, k;

	buf[0] = '\0';
	for (i = 0; i < c->len && len < sz; i++) {
		format_honest_share(c->rows[i].ns, c->total_ns, share, sizeof(share));
		if (i && i + 1 < c->len && share[0] == '<' && !s->opt->details)
			break;
		len += (size_t)snprintf(buf + len, sz - len, "%s%s %s", i ? ", " : "", share,
					c->rows[i].words);
	}
	if (i == c->len || len >= sz)
		return;
	for (k = i; k < c->len; k++)
		rest_ns += c->rows[k].ns;
	format_honest_share(rest_ns, c->total_ns, share, sizeof(share));
	snprintf(buf + len, sz - len, ", %s %u other reasons", share, c->len - i);
}

/* "User stacks: whole in 99.1% of waited time; the rest: ...", which says what to do about it. */
static void put_share(const struct screen *s, const struct complete *c)
{
	char line[640], share[32], rest[512];

	format_honest_share(c->whole_ns, c->total_ns, share, sizeof(share));
	format_rest(s, c, rest, sizeof(rest));
	snprintf(line, sizeof(line), "whole in %s of waited time%s%s", share,
		 rest[0] ? "; the rest: " : "", rest);
	put_line(s, "User stacks:", line);
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
	char text[LOSS_TEXT_SZ];
	int i;

	for (i = 0; i < LOSS_CNT; i++) {
		if (loss_text(s->p, (enum profile_loss_kind)i, text, sizeof(text)) &&
		    !(i == LOSS_STACK_TRUNCATED && s->told_stacks))
			put_line(s, "Lost:", text);
	}
	if (names_text(s->p, s->opt->debug_package, text, sizeof(text)))
		put_line(s, "Names:", text);
}

/* One line with what was lost, if nothing was, and what it cost. */
static void put_effort(const struct screen *s)
{
	char cost[EFFORT_TEXT_SZ], line[EFFORT_TEXT_SZ + 32];

	bool known = profile__knows_losses(s->p);
	const char *lost = loss_kinds(s->p) ? "" : known ? "Nothing lost; " : "Lost: not known; ";

	effort_cost_text(s->p, cost, sizeof(cost));
	if (!*lost)
		cost[0] -= 'a' - 'A';
	snprintf(line, sizeof(line), "%s%s", lost, cost);
	screen_put_wrapped(s, line, 0, FOOT_INDENT);
}

static void put_details(const struct screen *s)
{
	const char *hooks = profile__str(s->p, s->p->hdr.hooks);
	char seen[EFFORT_TEXT_SZ];

	if (s->p->hdr.visit_hz)
		return; /* they are in the foot */
	effort_seen_text(s->p, seen, sizeof(seen));
	screen_put_wrapped(s, seen, 0, FOOT_INDENT);
	if (*hooks)
		put_line(s, "Hooks:", hooks);
}

/* Mentions that there is more to see, and how. */
static void put_samples(const struct screen *s)
{
	char text[RENDER_SAMPLES_TEXT_SZ], line[RENDER_SAMPLES_TEXT_SZ + 32];

	if (!render_samples_text(s->p, text, sizeof(text)))
		return;
	snprintf(line, sizeof(line), "%s%s", text,
		 s->view == VIEW_OFF ? "; see --view on, --view wall" : "");
	put_line(s, "Sampled:", line);
}

/* Who visited threads or tasks, how often, and how late. */
static void put_visits(const struct screen *s)
{
	char seen[EFFORT_TEXT_SZ];
	struct sink text;

	effort_seen_text(s->p, seen, sizeof(seen));
	sink__init_mem(&text);
	sink__printf(&text, "%s; %s", profile__str(s->p, s->p->hdr.hooks), seen);
	if (!sink__finish(&text, NULL))
		put_line(s, "Visited:", text.buf);
	sink__done(&text);
}

int screen_put_foot(struct screen *s, struct err *err)
{
	char ways[EFFORT_TEXT_SZ];
	int r = put_complete(s, err);

	if (r)
		return r;
	put_samples(s);
	if (s->p->hdr.visit_hz)
		put_visits(s);
	if (effort_ways_text(s->p, ways, sizeof(ways)))
		put_line(s, "Changed:", ways);
	put_losses(s);
	if (!profile_header__is_of_tasks(&s->p->hdr) && has_goroutines(s->p))
		put_line(s, "Go:", GOROUTINES_NOTE);
	if (s->p->hdr.filtered)
		sink__printf(s->out, "Filters excluded waits: %s.\n",
			     s->model->idle_known ? "the tables cover part of the budget" :
						    "it is not known which were idle");
	put_effort(s);
	if (s->opt->details)
		put_details(s);
	return 0;
}
