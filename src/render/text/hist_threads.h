/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_HIST_THREADS_H
#define RENDER_TEXT_HIST_THREADS_H

#include "render/render.h"

/*
 * Thread histograms (profile/bins.h), for hist.c. *ret: whether these options ask for them; -EINVAL
 * with a message if they ask for something that was not recorded.
 */
int hist_threads_wanted(const struct profile *p, const struct render_options *opt, bool *ret,
			struct err *err);
int hist_threads_text(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err);
int hist_threads_json(const struct profile *p, const struct render_options *opt, struct sink *out,
		      struct err *err);

#endif
