/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_LOSSES_H
#define CAPTURE_LOSSES_H

#include "abi/stats.h"
#include "profile/builder.h"

/* Turns the programs' counters of what went wrong into losses of the profile. Errors are sticky. */
void losses_add(struct builder *b, const struct cs_stats *s, u64 recursion_misses);

#endif
