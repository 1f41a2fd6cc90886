/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_LIVE_OPTS_H
#define CLI_LIVE_LIVE_OPTS_H

#include "cli/opt.h"
#include "cli/output_opts.h"

/* What top and serve have in common; `S` is struct record_values. */
/* clang-format off */
#define LIVE_DEFAULTS \
	{ \
		.states = { .any = true }, \
		.period_ns = ~0ULL, \
		.max_ns = ~0ULL, \
		.every_ns = NSEC_PER_SEC, \
		.interval_ns = NSEC_PER_SEC, \
		.names.demangle = true, \
	}

#define LIVE_OPTS(S) \
	{ 0, "max-overhead", OPT_CUSTOM(S, overhead_ppm), "PERCENT", \
	  "Limit the cost to this share of the machine's CPU time by sampling waits, as `record` " \
	  "does. Default: 1% for the whole machine; otherwise every wait is chosen.", \
	  .parse = record_parse_overhead, .flags = OPT_COMMON }, \
	{ 'o', "output", OPT_STRINGS(S, outputs), "FILE", \
	  "Also write each window to this recording (.coldspot), which must be new.", \
	  .flags = OPT_COMMON | OPT_FILE }, \
	NAMES_OPTS(S, names)
/* clang-format on */

#endif
