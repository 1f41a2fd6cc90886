/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_OWN_COST_H
#define WEB_SOURCE_OWN_COST_H

#include "base/types.h"

/* Memory of this process. 0: unknown. */
u64 own_rss_bytes(void);

#endif
