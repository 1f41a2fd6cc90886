/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who let threads wait, and what those did meanwhile: a line below each row of the causes, one for
 * all of them, and with -v a table of all parts. Only if wakers were recorded. Waits for work are
 * left out.
 */
#include <errno.h>

#include "base/mem.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/render_view.h"
#include "render/text/summary_priv.h"
#include "render/words/blame_text.h"

#define BLAME_INDENT 6
#define DOING_COLUMN 19

static int put_sink(const struct screen *s, struct sink *line, u32 column, u32 indent)
{
	size_t sz;
	char *text;

	sink__finish(line, NULL);
	text = sink__steal(line, &sz);
	sink__done(line);
	if (!text)
		return -ENOMEM;
	screen_put_wrapped(s, text, column, indent);
	mem_free(text);
	return 0;
}

int screen_put_row_blame(const struct screen *s, u32 row)
{
	const struct blame *blame = s->blames ? &s->blames[row] : NULL;
	struct sink line;

	if (!blame || !blame_says_something(blame))
		return 0;
	sink__init_mem(&line);
	sink__puts(&line, "blame: ");
	blame_put_text(blame, &line);
	sink__printf(s->out, "%*s", BLAME_INDENT, "");
	return put_sink(s, &line, BLAME_INDENT, BLAME_INDENT);
}

/* "  5.00 s  24.3%  writer-301 in disk-sync for file /srv/wal" */
static int put_part(const struct screen *s, const struct blame_part *part, u64 whole_ns)
{
	char time[32], share[32];
	struct sink line;

	units_format_ns(part->ns, time, sizeof(time));
	screen_format_share(part->ns, whole_ns, share, sizeof(share));
	sink__printf(s->out, "%*s%7s  ", utf8_pad(time, 9), time, share);
	sink__init_mem(&line);
	blame_put_who(part, &line);
	if (part->kind != BLAME_INTERRUPT)
		sink__puts(&line, part->kind < BLAME_WOKEN ? " " : ": ");
	blame_put_doing(part, &line);
	return put_sink(s, &line, DOING_COLUMN - 1, DOING_COLUMN - 1);
}

static int put_parts(const struct screen *s)
{
	u32 i;
	int r = 0;

	sink__printf(s->out, "%s%9s%7s  %s%s\n", screen_dim(s), "off-CPU", "share",
		     "who let it wait, and how", screen_plain(s));
	for (i = 0; i < s->blame->len && !r; i++)
		r = put_part(s, &s->blame->parts[i], s->blame->ns);
	return r;
}

int screen_put_blame(const struct screen *s)
{
	struct sink line;
	int r;

	if (!s->blame || !blame_says_something(s->blame))
		return 0;
	sink__init_mem(&line);
	blame_put_text(s->blame, &line);
	sink__printf(s->out, "%sBlame:%s ", screen_bold(s), screen_plain(s));
	r = put_sink(s, &line, 7, BLAME_INDENT);
	return r || !s->opt->details ? r : put_parts(s);
}

int screen_find_blame(struct screen *s, struct arena *a, struct err *err)
{
	struct blame *sets = NULL;
	int r = 0;

	if (s->view != VIEW_ON)
		r = blame__build_rows(s->p, s->kinds, s->opt->memo, a, &sets, err);
	s->blames = sets;
	s->blame = sets ? &sets[s->kinds->len] : NULL;
	return r;
}
