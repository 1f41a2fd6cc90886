/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that ran while others were ready: below the tables of a recording of tasks. */
#include "analysis/model/holders.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "base/text/utf8.h"
#include "profile/estimate.h"
#include "render/text/summary_priv.h"

#define HOLDER_ROWS 5
#define PLACE_INDENT 6
#define ERROR_COLUMNS 8

static void put_head(const struct screen *s)
{
	screen_put_wrapped(s, "Tasks that ran while others were ready:", 0, 0);
	sink__printf(s->out, "%s%9s ±error %7s%10s  %s%s\n", screen_dim(s), "running", "window",
		     "others", "who, and where", screen_plain(s));
}

/* "   400 ms ±20      10.0%    3.20 s  hog held its loop" */
static void put_holder(const struct screen *s, const struct holder *h)
{
	char time[32], error[32], share[32], others[32], text[192];
	const char *comm = profile__str(s->p, s->p->tasks[h->task].comm);

	units_format_ns(h->on_ns, time, sizeof(time));
	units_format_error_ns(h->on_ns, estimate_se_ns(h->var_us2), error, sizeof(error));
	screen_format_share(h->on_ns, s->p->hdr.window_ns, share, sizeof(share));
	units_format_ns(h->others_ns, others, sizeof(others));
	snprintf(text, sizeof(text), "%s%s", comm, *h->place ? " held the loop" : "");
	sink__printf(s->out, "%*s", utf8_pad(time, 9), time);
	sink__printf(s->out, " ±%-*s%7s", ERROR_COLUMNS - 2, error, share);
	sink__printf(s->out, "%*s  ", utf8_pad(others, 10), others);
	screen_put_bold(s, text, 36, 36);
	if (!*h->place)
		return;
	sink__printf(s->out, "%*s", PLACE_INDENT, "");
	screen_put_wrapped(s, h->place, PLACE_INDENT, PLACE_INDENT);
}

int screen_put_holders(const struct screen *s)
{
	u32 rows = s->opt->rows ? s->opt->rows : HOLDER_ROWS;
	struct holders holders;
	struct arena a;
	int r;

	arena__init(&a);
	r = holders__build(s->p, &a, &holders);
	if (!r && holders.len) {
		sink__puts(s->out, "\n");
		put_head(s);
	}
	for (u32 i = 0; !r && i < holders.len && i < rows; i++)
		put_holder(s, &holders.rows[i]);
	arena__done(&a);
	return r;
}
