/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_MODEL_HOLDERS_H
#define ANALYSIS_MODEL_HOLDERS_H

#include "base/arena.h"
#include "profile/profile.h"

/* Tasks that ran while others on the same loop, or on the threads of their program, were ready. */
struct holder {
	u32 task; /* of the profile: all tasks that began alike */
	const char *place; /* where it ran most of the time; "": no stack */
	u64 on_ns; /* also while its thread was blocked, or waited for a CPU */
	u64 var_us2; /* of on_ns */
	u64 others_ns; /* ready time of others, summed over them, while it ran */
};

struct holders {
	const struct holder *rows; /* longest others_ns first */
	u32 len;
};

/* Of a recording of tasks; of another one, there are none. All in the arena. -ENOMEM or 0. */
int holders__build(const struct profile *p, struct arena *a, struct holders *ret);

#endif
