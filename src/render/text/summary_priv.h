/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_SUMMARY_PRIV_H
#define RENDER_TEXT_SUMMARY_PRIV_H

#include "analysis/model/blame.h"
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
	const struct blame *blames; /* by row of `kinds`; NULL: no wakers */
	const struct blame *blame; /* of all waits except those for work */
	u32 columns;
	bool sampled; /* times in the tables have an error */
	bool told_stacks; /* a line already says what is missing in user stacks */
};

/* Marks for the terminal, or "". */
const char *screen_bold(const struct screen *s);
const char *screen_dim(const struct screen *s);
const char *screen_plain(const struct screen *s);
/*
 * From `column` on, wrapped at spaces, or anywhere in a word that is too long; later lines begin at
 * `indent`. Ends the line.
 */
void screen_put_wrapped(const struct screen *s, const char *text, u32 column, u32 indent);
/* The same in bold, which ends before the line does, so that each line can be read alone. */
void screen_put_bold(const struct screen *s, const char *text, u32 column, u32 indent);
/* "12.3%" of a total; "-" if that is 0. */
void screen_format_share(u64 part, u64 whole, char *buf, size_t sz);

/* Sets what the next two show. Everything is in the arena. -ENOMEM or 0. */
int screen_find_blame(struct screen *s, struct arena *a, struct err *err);
/* Who let the waits of a row of `kinds` last, if that says something. -ENOMEM or 0. */
int screen_put_row_blame(const struct screen *s, u32 row);
/* The same of all waits; every part of it with opt->details. -ENOMEM or 0. */
int screen_put_blame(const struct screen *s);
/* Patterns of wakeups that matter. -ENOMEM or 0. */
int screen_put_patterns(const struct screen *s);
/* Causes, places or groups, and hints. -ENOMEM or 0. */
int screen_put_tables(const struct screen *s, struct err *err);
/* Of a recording of tasks: those that ran while others were ready. -ENOMEM or 0. */
int screen_put_holders(const struct screen *s);
/* Waits of tasks that were measured by probes, and what that cost. -ENOMEM or 0. */
int screen_put_measured(const struct screen *s);
/* Reliability, losses, and cost. */
int screen_put_foot(struct screen *s, struct err *err);

#endif
