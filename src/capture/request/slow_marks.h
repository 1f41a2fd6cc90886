/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_REQUEST_SLOW_MARKS_H
#define CAPTURE_REQUEST_SLOW_MARKS_H

#include "abi/moment.h"
#include "base/intern.h"

/*
 * Notices requests that take too long as their marks arrive, windows before anybody pairs them. It
 * is a hint: what is noticed may be no request after all, and where memory is short nothing is.
 */
struct slow_marks {
	u64 least_ns; /* 0: nobody wants to know */
	struct intern open; /* struct open_mark */
	bool noticed;
};

/* -ENOMEM or 0; release with slow_marks__done() in either case. All zero is fine. */
int slow_marks__init(struct slow_marks *s, u64 least_ns);
void slow_marks__done(struct slow_marks *s);
/*
 * `anew`: it ends what was begun before (MARK_BEGIN_ANEW), if it is a begin. Such a request is
 * noticed at its end only: one that failed has no end.
 */
void slow_marks__see(struct slow_marks *s, const struct cs_mark *m, bool anew);
/* Whether a request took longer since the last call, or a call has by now (trace clock). */
bool slow_marks__take(struct slow_marks *s, u64 now_ns);

#endif
