/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_SUMMARY_PRIV_H
#define RENDER_SUMMARY_PRIV_H

#include "analysis/summary.h"
#include "analysis/time_view.h"
#include "render/render.h"

/* The parts of the summary's screen; for summary*.c only. */
struct screen {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	const struct summary *model;
	enum time_view view;
	const struct top *kinds; /* of the view: those of the model, if it is of waits */
	const struct top *places;
	u32 columns;
	u32 cause_rows; /* if nobody says otherwise */
	u32 place_rows;
	u32 hints; /* most lines of what to look at next */
	bool sampled; /* times in the tables have an error */
	bool told_stacks; /* a line says what is missing of user stacks */
};

/* Marks for the terminal, or "". */
const char *screen_bold(const struct screen *s);
const char *screen_dim(const struct screen *s);
const char *screen_plain(const struct screen *s);
/* At most `columns` characters, the last two ".." when there are more; no control characters. */
void screen_put_cut(struct sink *out, const char *text, size_t columns);
/* Likewise its end, and ".." before it. */
void screen_put_end(struct sink *out, const char *text, size_t columns);
/* "12.3%" of a whole; "-" when there is none. */
void screen_format_share(u64 part, u64 whole, char *buf, size_t sz);

/* Lines that both tables take at most, with so many rows of each. */
u32 screen_table_lines(const struct screen *s, u32 causes, u32 places);
/* Kinds, places or groups, and what to look at next. -ENOMEM or 0. */
int screen_put_tables(const struct screen *s, struct err *err);
/* How far to trust it, what was lost, and what it cost. */
int screen_put_foot(struct screen *s, struct err *err);

#endif
