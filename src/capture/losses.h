/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_LOSSES_H
#define CAPTURE_LOSSES_H

#include "abi/stats.h"
#include "capture/runtime/readers.h"
#include "profile/builder.h"

/* Converts the programs' error counters to losses of the profile. Errors are sticky. */
void losses_add(struct builder *b, const struct cs_stats *s, u64 recursion_misses);
/* Interpreted functions without names or lines, each under its language. Errors are sticky. */
void losses_add_functions(struct builder *b, const struct readers_lost *lost);

#endif
