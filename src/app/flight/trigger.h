/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_TRIGGER_H
#define APP_FLIGHT_TRIGGER_H

#include "analysis/cause/cause.h"
#include "app/flight/trigger_spec.h"
#include "base/err.h"
#include "base/vec.h"
#include "profile/profile.h"

/* Looks for what triggers ask for, in windows of a recording with moments, one after the other. */
struct triggers {
	const struct trigger_spec *specs; /* borrowed */
	size_t specs_len;
	struct vec open; /* struct open_wait, by thread: waits that the last window cut */
	u64 blocked_ns; /* how long all threads were blocked at its end */
};

/* What fired. */
#define FIRING_TEXT_SZ 512
struct firing {
	const struct trigger_spec *spec;
	u64 at_ns; /* since the begin of the window */
	char why[FIRING_TEXT_SZ]; /* "wait>200ms at 2026-11-21T10:03:00.123Z: web (12) ..." */
};

void triggers__init(struct triggers *t, const struct trigger_spec *specs, size_t specs_len);
void triggers__done(struct triggers *t);
/*
 * The window that follows the one before, with its causes, and how long its CPUs had nothing to run
 * (the sum over CPUs). Appends to a vec of struct firing, at most one for each trigger: the longest
 * wait of those that became longer than it says in this window, also if they are not over. A wait
 * that goes on in later windows does not fire again. -ENOMEM or 0.
 */
int triggers__look(struct triggers *t, const struct profile *p, const struct causes *causes,
		   u64 idle_ns, struct vec *firings);

#endif
