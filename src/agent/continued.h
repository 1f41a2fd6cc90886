/* SPDX-License-Identifier: Apache-2.0 */
#ifndef AGENT_CONTINUED_H
#define AGENT_CONTINUED_H

#include "base/err.h"
#include "base/types.h"

/*
 * What a store that an agent continues already has: *ret_ns is the end of its last window in
 * CLOCK_MONOTONIC of this boot. 0: it has none. CONTINUED_BOOT: all are of other boots, so
 * nothing has been recorded since this one began. An error of reading the store, with *ret_ns 0.
 */
int continued_from(const char *store, u64 *ret_ns, struct err *err);

#define CONTINUED_BOOT 1

#endif
