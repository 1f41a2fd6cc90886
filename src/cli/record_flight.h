/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RECORD_FLIGHT_H
#define CLI_RECORD_FLIGHT_H

#include "app/run.h"
#include "base/err.h"
#include "cli/record_opts.h"
#include "session/session.h"

struct ruleset;

/* record --last: runs the session to its end, and says on standard error what it writes. */
int record_flight(const struct record_values *v, struct session *s, const struct run_options *run,
		  const struct ruleset *rules, struct err *err);
/*
 * Checks --trigger: -EINVAL with a message. *ret_request_ns: capture_options.slow_request_ns, for
 * its triggers.
 */
int record_flight_check(const struct record_values *v, u64 *ret_request_ns, struct err *err);

#endif
