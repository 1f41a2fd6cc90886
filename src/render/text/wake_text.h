/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_WAKE_TEXT_H
#define RENDER_TEXT_WAKE_TEXT_H

#include "base/err.h"
#include "base/sink.h"
#include "profile/profile.h"
#include "render/render.h"

/*
 * The outputs of bcc's tools about wakers, with one exception: an interrupt is named as such, where
 * bcc names the thread that it interrupted. Shortest time first. Control characters in names are
 * removed. -ENOMEM or 0.
 */

/*
 * offwaketime without -f: the waker with its stack from root to leaf, then the target with its
 * stack from leaf to root. Uses render_options.delimiter.
 */
int offwake_text_put(const struct profile *p, const struct render_options *opt, struct sink *out,
		     struct err *err);

struct wakeup_text_options {
	bool folded;
	bool offsets; /* into functions; not folded */
};

/* wakeuptime: time between block and wakeup, by waker, its kernel stack, and target. */
int wakeup_text_put(const struct profile *p, const struct wakeup_text_options *opt,
		    struct sink *out, struct err *err);

#endif
