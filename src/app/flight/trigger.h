/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_TRIGGER_H
#define APP_FLIGHT_TRIGGER_H

#include "analysis/cause/cause.h"
#include "app/flight/slow_requests.h"
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
	struct slow_requests requests;
	u64 request_ns; /* the least that a trigger asks for; ~0: none does */
};

/* The window that follows the one before, and what is kept of those before it. */
struct trigger_look {
	struct profile *const *windows; /* from old to new: the last one is looked at */
	size_t len; /* not 0 */
	const struct causes *causes; /* of the last one */
	const struct ruleset *rules; /* of causes of the others; NULL: the built-in ones */
	u64 idle_ns; /* how long CPUs had nothing to run in it: the sum over CPUs */
};

/* What fired. */
#define FIRING_TEXT_SZ 512
struct firing {
	const struct trigger_spec *spec;
	u64 at_ns; /* since the begin of the window */
	char why[FIRING_TEXT_SZ]; /* "wait>200ms at 2026-11-21T10:03:00.123Z: web (12) ..." */
};

/* -ENOMEM or 0; release with triggers__done() in either case. */
int triggers__init(struct triggers *t, const struct trigger_spec *specs, size_t specs_len);
void triggers__done(struct triggers *t);
/*
 * Appends to a vec of struct firing, at most one for each trigger: the longest wait or request of
 * those that became longer than it says in this window, also if they are not over. What goes on in
 * later windows does not fire again. -ENOMEM or 0.
 */
int triggers__look(struct triggers *t, const struct trigger_look *look, struct vec *firings);
/* The length from which on a trigger wants to know of a request; ~0: none does. */
u64 triggers_request_ns(const struct trigger_spec *specs, size_t specs_len);

#endif
