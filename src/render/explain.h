/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_EXPLAIN_H
#define RENDER_EXPLAIN_H

#include "render/render.h"

/*
 * Which rules decided of waits, and what each of their conditions found. `what` is the number of a
 * row of the summary's second table in the same view, or a part of the name of a frame, of a
 * thread or of a kind. The longest waits first, alike ones together. -ENOENT with a sentence when
 * it names none, -ENOMEM, or 0.
 */
int explain_put(const struct profile *p, const struct render_options *opt, const char *what,
		struct sink *out, struct err *err);

#endif
