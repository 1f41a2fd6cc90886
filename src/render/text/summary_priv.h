/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_SUMMARY_PRIV_H
#define RENDER_TEXT_SUMMARY_PRIV_H

#include "analysis/model/summary.h"
#include "analysis/view/time_view.h"
#include "render/render.h"

/* The parts of the summary's screen; for summary*.c only. */
struct screen {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	const struct summary *model;
	enum time_view view;
	const struct top *kinds; /* of the view: those of the model, if it shows waits */
	const struct top *places;
	u32 columns;
	u32 cause_rows; /* the default number */
	u32 place_rows;
	u32 hints; /* maximum number of hint lines */
	bool sampled; /* times in the tables have an error */
	bool told_stacks; /* a line already says what is missing in user stacks */
};

/* Marks for the terminal, or "". */
const char *screen_bold(const struct screen *s);
const char *screen_dim(const struct screen *s);
const char *screen_plain(const struct screen *s);
/* At most `columns` characters, the last two ".." if it was cut; no control characters. */
void screen_put_cut(struct sink *out, const char *text, size_t columns);
/* The same for its end, with ".." before it. */
void screen_put_end(struct sink *out, const char *text, size_t columns);
/* "12.3%" of a total; "-" if that is 0. */
void screen_format_share(u64 part, u64 whole, char *buf, size_t sz);

/* Maximum number of lines of both tables with these numbers of rows. */
u32 screen_table_lines(const struct screen *s, u32 causes, u32 places);
/* Causes, places or groups, and hints. -ENOMEM or 0. */
int screen_put_tables(const struct screen *s, struct err *err);
/* Reliability, losses, and cost. */
int screen_put_foot(struct screen *s, struct err *err);

#endif
