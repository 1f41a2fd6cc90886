/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_REPORT_WINDOWS_LOAD_H
#define CLI_REPORT_WINDOWS_LOAD_H

#include "app/recordings.h"
#include "cli/opt.h"

/* What report and diff show: recordings and stores, or what hosts pushed to ClickHouse. */
struct windows_from {
	const struct vec *files; /* const char *; a URL of ClickHouse stands alone */
	const struct time_range *range;
	const struct vec *hosts; /* const char *: only with a URL, like the next */
	const struct vec *services;
};

/* Whether it is a URL of ClickHouse. */
bool windows_from__is_fleet(const struct windows_from *from);
/* What to call them: without a password. `buf` may be used. */
const char *windows_from__name(const struct windows_from *from, char *buf, size_t sz);
/* 0, or the exit status after the message. */
int windows_from__check(const struct windows_from *from, const struct opt_command *cmd);
/* As recordings_load() or fleet_load(); says on standard error what these want to be said. */
int windows_load(const struct windows_from *from, const struct opt_command *cmd,
		 struct profile **ret, struct recordings_found *found, struct err *err);

#endif
