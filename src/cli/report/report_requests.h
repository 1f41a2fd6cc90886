/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPORT_REPORT_REQUESTS_H
#define CLI_REPORT_REPORT_REQUESTS_H

#include "cli/report/report_opts.h"

/* report --requests, without a rate, and --trace: requests of recordings made with --request. */

bool report_requests_wanted(const struct report_values *v);
/* 0, or the exit status after a message about options that do not go with it. */
int report_requests_check(const struct report_values *v, const struct opt_command *cmd);
/* Prints them, in the format of the values, or writes their files. */
int report_requests_print(const struct report_values *v, const struct profile *p,
			  const struct render_options *opt, struct err *err);

#endif
