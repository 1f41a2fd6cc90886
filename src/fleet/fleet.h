/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_FLEET_H
#define FLEET_FLEET_H

#include "analysis/cause/cause.h"
#include "app/time_range.h"
#include "base/err.h"
#include "base/notices.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "import/import.h"
#include "profile/profile.h"

/* What hosts pushed to ClickHouse (src/push/clickhouse.c), as one profile. */
struct fleet_options {
	const char *url; /* fleet_url.h */
	const struct time_range *range;
	const struct vec *hosts; /* const char *: globs, any may match; empty: all */
	const struct vec *services; /* likewise */
	struct import_options import; /* version, command, arch and system calls */
	bool (*stop)(void); /* as for http__new() */
};

struct fleet_found {
	bool damaged; /* a window is not whole */
	struct time_span span; /* the range */
};

/*
 * The sums of all windows of these hosts that overlap the range, as the hosts sent them: a row
 * that came twice counts once, and an answer that is not whole is an error. What is not as it
 * should be is in `notices`. -ENOENT if there is no such window, -EAGAIN if windows came while it
 * read; errors of the server, of its answers, and of building the profile.
 */
int fleet_load(const struct fleet_options *opt, struct notices *notices, struct profile **ret,
	       struct fleet_found *found, struct err *err);

/* Hosts by cause. */
struct fleet_host {
	u32 name; /* in fleet_hosts.names */
	u64 off_ns; /* without idle time */
	u64 idle_ns;
	u64 by_cause_ns[CAUSE_CNT]; /* of off_ns */
};

struct fleet_hosts {
	struct strtab names;
	struct vec hosts; /* struct fleet_host, longest time first */
	u64 windows;
};

/* As fleet_load(), in one table. Release with fleet_hosts__done() in either case. */
int fleet_hosts__load(struct fleet_hosts *h, const struct fleet_options *opt,
		      struct notices *notices, struct fleet_found *found, struct err *err);
void fleet_hosts__done(struct fleet_hosts *h);

#endif
