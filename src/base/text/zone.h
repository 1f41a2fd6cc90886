/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_ZONE_H
#define BASE_TEXT_ZONE_H

#include "base/types.h"

/* A time zone behind a time: "Z", "+01:00", "-0330"; nothing stands for local time ($TZ). */
struct zone {
	bool is_given;
	s32 east_s;
};

/* Takes the zone from the end of `text`: *ret_len is what is left. False if it is not valid. */
bool zone_parse(const char *text, struct zone *ret, size_t *ret_len);
/* The instant at which clocks in the zone show `civil_ns`, which counts as if it were UTC. */
u64 zone_instant_ns(const struct zone *z, u64 civil_ns);
/* What clocks in the zone show at an instant. */
u64 zone_civil_ns(const struct zone *z, u64 wall_ns);

#endif
