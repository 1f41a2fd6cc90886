/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REQUESTS_OPTS_H
#define CLI_REQUESTS_OPTS_H

#include "base/err.h"
#include "base/types.h"
#include "cli/opt.h"

/* The two meanings of --requests. */

/* --requests without a number: those that were recorded. */
#define REQUESTS_RECORDED (~0ULL)
#define REQUESTS_RECORDED_TEXT "recorded"
#define REQUESTS_HELP                                                                              \
	"Without a number, print what recorded requests took and what they waited for (record "    \
	"--request), as text or JSON; with --critical-path also in the threads that they waited "  \
	"for. With the number of requests served, the summary shows the cost of each and how "     \
	"many threads they keep busy. Examples: 1200, 1200/s, 90/m."

/* A rate, or REQUESTS_RECORDED_TEXT; the value is a u64 in 1000 seconds. */
int output_parse_requests(const char *text, void *value, struct err *err);

/* `field` is an u64 of the values `S`, in 1000 seconds. */
/* clang-format off */
#define REQUESTS_OPT(S, field) \
	{ 0, "requests", OPT_CUSTOM(S, field), "N/s", \
	  "The number of requests served: the summary shows the cost of each and how many " \
	  "threads they keep busy. Examples: 1200, 1200/s, 90/m.", .parse = output_parse_requests }
/* clang-format on */

#endif
