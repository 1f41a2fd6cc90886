/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_OWN_COST_H
#define WEB_SOURCE_OWN_COST_H

#include "base/types.h"

/* What this process takes itself. */
u64 own_cpu_ns(void);
/* 0: unknown. */
u64 own_rss_bytes(void);

#endif
