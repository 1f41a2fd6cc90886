/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_EXPLAIN_H
#define RENDER_TEXT_EXPLAIN_H

#include "render/render.h"

/*
 * Which rules decided for waits, and the result of each of their conditions. `what` is the number
 * of a row of the summary's second table in the same view, or part of the name of a frame, a thread
 * or a cause. Longest waits first, similar ones together. -ENOENT with a message if it matches
 * nothing, -ENOMEM, or 0.
 */
int explain_put(const struct profile *p, const struct render_options *opt, const char *what,
		struct sink *out, struct err *err);

#endif
