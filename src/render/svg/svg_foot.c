/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The footer of a flame graph: totals, losses, cost and the complete command as typed. It is
 * written first and drawn last, because the height of the graph depends on its number of lines; SVG
 * does not wrap text itself.
 */
#include <ctype.h>

#include "base/text/units.h"
#include "profile/estimate.h"
#include "render/words/effort_text.h"
#include "render/words/loss_text.h"
#include "render/words/scope_text.h"
#include "render/svg/svg_priv.h"
#include "base/text/utf8.h"
#include "render/encode/xml_text.h"

/* The rest of the sentence about waits: how much of it was idle. */
static void write_idle(struct drawing *d, u64 total_ns)
{
	u64 idle_ns = d->causes.ns[CAUSE_SHOWN_IDLE];
	char idle[32];

	units_format_ns(idle_ns < total_ns ? idle_ns : total_ns, idle, sizeof(idle));
	if (idle_ns && !d->opt->idle_apart)
		sink__printf(&d->foot,
			     "; %s%s of it idle, in waits for work and for a CPU after them: "
			     "percentages leave it out",
			     profile__is_sampled(d->p) ? "about " : "", idle);
	sink__puts(&d->foot, ".");
}

static void write_waits(struct drawing *d)
{
	bool exact = profile__is_sampled(d->p) && !d->p->hdr.filtered;
	const struct profile_budget *b = &d->budget;
	u64 blocked_ns = exact ? b->blocked_ns : b->listed_blocked_ns;
	u64 runq_ns = exact ? b->preempted_ns + b->runq_ns : b->listed_runq_ns;
	char total[32], blocked[32], runq[32], count[32];

	if (d->view == VIEW_ON)
		return;
	units_format_ns(d->view == VIEW_WALL ? blocked_ns + runq_ns : d->tree.nodes[0].exact_ns,
			total, sizeof(total));
	units_format_ns(blocked_ns, blocked, sizeof(blocked));
	units_format_ns(runq_ns, runq, sizeof(runq));
	units_format_count(d->tree.nodes[0].count, count, sizeof(count));
	sink__puts(&d->foot, total);
	if (d->tree.nodes[0].count || !(d->p->hdr.visit_hz || d->tree.nodes[0].uncounted))
		sink__printf(&d->foot, " in %s%s wait%s", profile__is_sampled(d->p) ? "about " : "",
			     count, units_plural(d->tree.nodes[0].count));
	sink__printf(&d->foot, " of %s%u thread%s: blocked %s, waiting for a CPU %s",
		     d->p->hdr.unknown & UNKNOWN_NUMBERS ? "at least " : "", b->threads,
		     units_plural(b->threads), blocked, runq);
	write_idle(d, blocked_ns + runq_ns);
}

/* Samples, and the part of all time that is in no frame. */
static void write_on_cpu(struct drawing *d)
{
	char text[RENDER_SAMPLES_TEXT_SZ], time[32];

	if (d->view == VIEW_OFF || !render_samples_text(d->p, text, sizeof(text)))
		return;
	sink__printf(&d->foot, "%s%c%s.", d->view == VIEW_ON ? "" : " ", toupper(text[0]),
		     text + 1);
	units_format_ns(d->budget.unaccounted_ns, time, sizeof(time));
	if (d->view == VIEW_WALL && d->budget.unaccounted_ns)
		sink__printf(&d->foot, " Not in the graph: unaccounted %s.", time);
}

static void write_narrow(struct drawing *d)
{
	char count[32];

	units_format_count(d->layout.left_out, count, sizeof(count));
	if (d->layout.left_out)
		sink__printf(&d->foot, " %s frame%s too narrow to be drawn apart.", count,
			     d->layout.left_out == 1 ? " is" : "s are");
	if (d->p->hdr.filtered)
		sink__puts(&d->foot, " Other waits were left out on request.");
	sink__puts(&d->foot, "\n");
}

/* What the profile covers. */
static void write_scope(struct drawing *d)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(d->p, scope, text, sizeof(text)))
			sink__printf(&d->foot, "%s\n", text);
	}
}

static void write_effort(struct drawing *d)
{
	char text[EFFORT_TEXT_SZ];

	effort_seen_text(d->p, text, sizeof(text));
	sink__printf(&d->foot, "%s; ", text);
	effort_cost_text(d->p, text, sizeof(text));
	sink__printf(&d->foot, "%s.\n", text);
}

/* A newline in the command would end the paragraph. */
static void write_command(struct drawing *d)
{
	const char *command = d->opt->command ? d->opt->command :
						profile__str(d->p, d->p->hdr.command);
	u32 cp;

	while ((cp = utf8_next(&command)))
		utf8_put(&d->foot, cp == '\n' ? ' ' : cp);
	sink__puts(&d->foot, "\n");
}

int svg_foot_write(struct drawing *d, struct err *err)
{
	if (d->opt->about)
		sink__printf(&d->foot, "%s.", d->opt->about);
	else
		write_waits(d);
	write_on_cpu(d);
	write_narrow(d);
	write_scope(d);
	losses_put(d->p, &d->foot);
	write_effort(d);
	write_command(d);
	return sink__finish(&d->foot, err);
}

/*
 * The bytes of the next line: up to a newline, or as many words as fit, or as many characters of a
 * word longer than a line. *ret_next is where the next line begins.
 */
static size_t next_line(const struct drawing *d, const char *text, const char **ret_next)
{
	u32 room = (d->width - 2 * SVG_SIDE) * 10 / SVG_FOOT_CHAR_TENTHS, n;
	const char *at = text, *space = NULL;

	for (n = 0; n < room && *at && *at != '\n'; n++) {
		if (*at == ' ')
			space = at;
		utf8_next(&at);
	}
	if (*at && *at != '\n' && *at != ' ' && space)
		at = space;
	*ret_next = *at == '\n' || *at == ' ' ? at + 1 : at;
	return (size_t)(at - text);
}

u32 svg_foot_height(const struct drawing *d)
{
	const char *at = d->foot.buf;
	u32 lines = 0;

	while (*at) {
		lines += next_line(d, at, &at) > 0;
	}
	return lines * SVG_FOOT_ROW;
}

static void put_line(const struct drawing *d, const char *line, size_t len, u32 y)
{
	char text[16384]; /* the widest line, of characters of four bytes */

	snprintf(text, sizeof(text), "%.*s", (int)len, line);
	sink__printf(d->out,
		     "<text class=\"foot\" font-size=\"11\" fill=\"#55555e\" x=\"%u\" y=\"%u\">",
		     SVG_SIDE, y);
	xml_text_put(d->out, text, (size_t)-1);
	sink__puts(d->out, "</text>\n");
}

void svg_foot_put(const struct drawing *d, u32 y)
{
	const char *at = d->foot.buf;

	while (*at) {
		const char *line = at;
		size_t len = next_line(d, at, &at);

		if (!len)
			continue;
		y += SVG_FOOT_ROW;
		put_line(d, line, len, y - 4);
	}
}
