/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_HIST_THREADS_H
#define RENDER_HIST_THREADS_H

#include "render/render.h"

/*
 * Histograms from those that were kept of threads (profile/bins.h), for hist.c. Is that what these
 * options ask for? *ret says so; -EINVAL with a sentence where they ask for what is not there.
 */
int hist_threads_wanted(const struct profile *p, const struct render_options *opt, bool *ret,
			struct err *err);
int hist_threads_text(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err);
int hist_threads_json(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err);

#endif
