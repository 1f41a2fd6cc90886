/* SPDX-License-Identifier: Apache-2.0 */
/* Commands do not care where windows come from: the place of a file may have a URL. */
#include "cli/report/windows_load.h"

#include <stdio.h>

#include "analysis/cause/syscall_name.h"
#include "cli/commands.h"
#include "fleet/fleet.h"
#include "fleet/fleet_url.h"
#include "gen/version.h"

static const char *file_at(const struct windows_from *from, size_t i)
{
	return *(const char **)vec__at(from->files, i);
}

bool windows_from__is_fleet(const struct windows_from *from)
{
	return from->files->len && fleet_url_is(file_at(from, 0));
}

const char *windows_from__name(const struct windows_from *from, char *buf, size_t sz)
{
	struct push_url url;
	const char *host = from->hosts->len ? *(const char **)vec__at(from->hosts, 0) : "";

	if (!windows_from__is_fleet(from))
		return file_at(from, 0);
	if (fleet_url_parse(&url, file_at(from, 0), NULL))
		return "ClickHouse";
	snprintf(buf, sz, "%s%s%s%s", host, *host ? " at " : "", url.name,
		 from->hosts->len > 1 ? ", and other hosts" : "");
	return buf;
}

int windows_from__check(const struct windows_from *from, const struct opt_command *cmd)
{
	struct push_url url;
	struct err err = { 0 };

	for (size_t i = 0; i < from->files->len && from->files->len > 1; i++) {
		if (fleet_url_is(file_at(from, i)))
			return command_usage(cmd, "report ClickHouse and recordings separately: "
						  "they cannot be merged");
	}
	if (!windows_from__is_fleet(from) && (from->hosts->len || from->services->len))
		return command_usage(cmd,
				     "--%s selects rows of ClickHouse: name its URL, as in "
				     "clickhouse://HOST/DATABASE",
				     from->hosts->len ? "host" : "service");
	if (windows_from__is_fleet(from) && fleet_url_parse(&url, file_at(from, 0), &err))
		return command_usage(cmd, "%s", err.msg);
	return 0;
}

static int load_fleet(const struct windows_from *from, struct notices *notices,
		      struct profile **ret, struct recordings_found *found, struct err *err)
{
	const struct fleet_options opt = {
		.url = file_at(from, 0),
		.range = from->range,
		.hosts = from->hosts,
		.services = from->services,
		.import = {
			.version = COLDSPOT_VERSION,
			.arch = syscall_arch(),
			.syscall_number = syscall_number,
		},
	};
	struct fleet_found of_fleet;
	int r = fleet_load(&opt, notices, ret, &of_fleet, err);

	found->damaged = of_fleet.damaged;
	found->span = of_fleet.span;
	return r;
}

int windows_load(const struct windows_from *from, const struct opt_command *cmd,
		 struct profile **ret, struct recordings_found *found, struct err *err)
{
	struct notices notices;
	int r;

	notices__init(&notices);
	if (windows_from__is_fleet(from))
		r = load_fleet(from, &notices, ret, found, err);
	else
		r = recordings_load(from->files, from->range, &notices, ret, found, err);
	command_say(cmd, &notices);
	notices__done(&notices);
	return r;
}
