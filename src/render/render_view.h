/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_RENDER_VIEW_H
#define RENDER_RENDER_VIEW_H

#include "analysis/model/tree.h"
#include "analysis/view/shown.h"
#include "render/render.h"

/*
 * The view that a format gives of a profile: as the options say, or else `usual`. A profile with
 * only time on a CPU is always shown as such, and without CPU samples there is only one view. Never
 * VIEW_DEFAULT.
 */
enum time_view render_view(const struct profile *p, const struct render_options *opt,
			   enum time_view usual);
/* Which parts of it are shown. */
struct shown_options render_shown(const struct profile *p, const struct render_options *opt,
				  enum time_view usual);
/* The tree of their stacks. `memo` has the causes of the rows, and may be NULL. */
struct tree_options render_tree_options(const struct render_options *opt, enum time_view view,
					struct cause_memo *memo);

/* "off-CPU time", "on-CPU time", "wall-clock time" */
const char *render_view_noun(enum time_view view);
/* "blocked and waiting for a CPU", "on a CPU", both with the latter */
const char *render_view_words(enum time_view view);

#define RENDER_SAMPLES_TEXT_SZ 160

/*
 * How time on a CPU was sampled, a sentence without its full stop: "on a CPU 1.52 s, as 1,516
 * samples at 99 Hz tell". 0 and an empty text if it was not.
 */
int render_samples_text(const struct profile *p, char *buf, size_t sz);

#endif
