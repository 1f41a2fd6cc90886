/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPORT_REPORT_HOSTS_H
#define CLI_REPORT_REPORT_HOSTS_H

#include "cli/report/report_opts.h"

/* report --hosts: the hosts of a ClickHouse by cause, instead of a report. */

/* 0, or the exit status after a message about a file that has no hosts. */
int report_hosts_check(const struct report_values *v, const struct opt_command *cmd);
/* Prints the table; *ret_damaged: windows lack rows. Errors are those of fleet_hosts__load(). */
int report_hosts_print(const struct report_values *v, const struct opt_command *cmd,
		       bool *ret_damaged, struct err *err);

#endif
