/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_FLEET_HEAD_H
#define FLEET_FLEET_HEAD_H

#include "fleet/sums.h"

/* What windows of hosts say about the profile that they become. All borrowed. */
struct fleet_head {
	const struct fleet_sums *sums;
	const struct vec *services; /* const char *: globs that selected; empty: none did */
	const char *name; /* of the server */
	u64 threads; /* of all services, if some were selected */
};

/* Fills in the header and builds the profile. Errors are those of gather__finish(). */
int fleet_head__finish(const struct fleet_head *h, struct gather *g, struct profile **ret,
		       struct err *err);

#endif
