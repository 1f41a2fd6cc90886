/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPORT_REPORT_PATH_H
#define CLI_REPORT_REPORT_PATH_H

#include "app/time_range.h"
#include "cli/report/report_opts.h"

/* report --critical-path. */

/* 0, or the exit status after a message about options that do not go with it. */
int report_path_check(const struct report_values *v, const struct opt_command *cmd);
/*
 * Prints the path, in the format of the values, or writes their files; `span`: the range, which is
 * cut out exactly.
 */
int report_path_print(const struct report_values *v, const struct profile *p,
		      const struct time_span *span, const struct render_options *opt,
		      struct err *err);

#endif
