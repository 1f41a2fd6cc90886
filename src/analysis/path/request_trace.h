/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_PATH_REQUEST_TRACE_H
#define ANALYSIS_PATH_REQUEST_TRACE_H

#include "analysis/path/request.h"
#include "base/err.h"

/* -EINVAL with a sentence unless it is a trace id, or 8 or more of its first digits. */
int request_trace_check(const char *trace, struct err *err);
/*
 * Keeps the requests of one trace, and the classes that they are of, whose rests then count these
 * requests only. `trace`: its id, or its first digits, upper or lower case. -ENOENT with a message
 * if there is no such trace, -EINVAL if the digits are the first ones of several, or 0.
 */
int request_trace_keep(struct requests *rs, const struct profile *p, const char *trace,
		       struct err *err);

#endif
