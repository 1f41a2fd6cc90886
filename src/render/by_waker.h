/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_BY_WAKER_H
#define RENDER_BY_WAKER_H

#include "analysis/cause/cause_memo.h"
#include "analysis/view/waker_rows.h"
#include "render/render.h"

/*
 * The rows that a format groups by options.root: those of the profile, or, by waker, its waits
 * divided by who ended them (waker_rows.h), with a memo for their causes.
 */
struct by_waker {
	const struct profile *p; /* what to read */
	struct cause_memo *memo; /* causes of `p` and of its views */
	struct waker_rows rows;
	struct cause_memo own_memo;
};

/* -EINVAL with a message if `opt` groups by waker and nobody recorded them, or 0. */
int by_waker_check(const struct profile *p, const struct render_options *opt, struct err *err);
/*
 * Borrows both until by_waker__done(), which is called in either case. -ENOMEM, -EINVAL as above,
 * or 0.
 */
int by_waker__init(struct by_waker *b, const struct profile *p, const struct render_options *opt,
		   struct err *err);
void by_waker__done(struct by_waker *b);

#endif
