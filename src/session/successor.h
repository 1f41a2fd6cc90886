/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_SUCCESSOR_H
#define SESSION_SUCCESSOR_H

#include "base/err.h"
#include "base/notices.h"
#include "base/types.h"
#include "capture/capture.h"
#include "capture/cost/way.h"

/*
 * The capture that replaces the present one when it breaks its budget: visits in place of hooks,
 * and hooks again when the machine has become calm. It is opened while the present one records, and
 * begins where that ends. docs/adr/0051.
 */
struct successor {
	const struct capture_options *opt; /* as the user asked */
	const struct features *features;
	struct notices *notices;
	struct capture *capture; /* opened, not started; NULL: the present one goes on */
	u32 capture_hz; /* its visits per second; 0: hooks */
	u32 hz; /* of the present one */
	u64 switch_ns; /* cost of one, as last measured */
	u64 switches; /* of the machine, at since_ns */
	u64 since_ns;
	u64 next_ns; /* when to consider again */
	struct way_calm calm;
	bool failed; /* it could not be opened, and is not tried again */
};

/* Borrows all. `opt` is governed: it has a budget. */
void successor__init(struct successor *s, const struct capture_options *opt,
		     const struct features *features, struct notices *notices);
void successor__done(struct successor *s);
/*
 * Opens s->capture if `now` should be replaced; looks once a second. A capture that cannot be
 * opened is a notice. -ENOMEM or 0.
 */
int successor__consider(struct successor *s, const struct capture *now, u64 now_ns);
/*
 * Ends the window of *capture at `at_ns`, or as soon as possible if that is past, and begins that
 * of the successor some ns later, which *capture becomes. The caller drains and frees
 * *ret_ended. Errors of capture__stop(); then the same holds.
 */
int successor__take_over(struct successor *s, struct capture **capture, u64 at_ns,
			 struct capture **ret_ended, struct err *err);

#endif
