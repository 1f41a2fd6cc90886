/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_WEB_TARGETS_H
#define WEB_SOURCE_WEB_TARGETS_H

#include "base/types.h"
#include "base/vec.h"

/* Whom a live recording records: PIDs, or paths of cgroups. Not thread-safe. */
struct web_targets {
	struct vec whom; /* char * */
};

void web_targets__init(struct web_targets *t);
void web_targets__done(struct web_targets *t);
/* Adds one unless it is there, or removes it if it is. -ENOMEM or 0. */
int web_targets__change(struct web_targets *t, bool add, const char *whom);
/* NULL after the last one. */
const char *web_targets__at(const struct web_targets *t, size_t idx);

#endif
