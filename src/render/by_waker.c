/* SPDX-License-Identifier: Apache-2.0 */
/* Divided waits are other rows than the profile's, so they need a memo of their own. */
#include "render/by_waker.h"

#include <errno.h>
#include <string.h>

int by_waker_check(const struct profile *p, const struct render_options *opt, struct err *err)
{
	if (opt->root != GROUP_BY_WAKER || p->hdr.wakers)
		return 0;
	return err__set(err, -EINVAL, "--by waker: needs wakers; record with record --wakers");
}

int by_waker__init(struct by_waker *b, const struct profile *p, const struct render_options *opt,
		   struct err *err)
{
	int r;

	memset(b, 0, sizeof(*b));
	b->p = p;
	b->memo = opt->memo;
	r = by_waker_check(p, opt, err);
	if (r || opt->root != GROUP_BY_WAKER)
		return r;
	r = waker_rows__init(&b->rows, p, err);
	b->own_memo = (struct cause_memo){
		.p = b->rows.p,
		.rules = opt->memo ? opt->memo->rules : NULL,
	};
	b->p = b->rows.p;
	b->memo = &b->own_memo;
	return r;
}

void by_waker__done(struct by_waker *b)
{
	if (!b)
		return;
	cause_memo__done(&b->own_memo);
	waker_rows__done(&b->rows);
}
