/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A count of waits with unresolved frames does not help on its own. A second line says what to
 * install or build differently: the module with most of the frames, and what it lacks.
 */
#include "analysis/view/unnamed.h"

#include <errno.h>

#include "base/mem.h"

int unnamed__find(struct unnamed *ret, const struct profile *p)
{
	size_t cells = (size_t)(p->modules_len ? p->modules_len : 1) * FRAME_REASON_CNT;
	u32 *counts = mem_array(cells, sizeof(*counts));

	*ret = (struct unnamed){ 0 };
	if (!counts)
		return -ENOMEM;
	for (u32 i = 1; i < p->frames_len; i++) {
		const struct profile_frame *f = &p->frames[i];
		u32 *count;

		if (f->name || f->reason >= FRAME_REASON_CNT)
			continue;
		count = &counts[f->module * FRAME_REASON_CNT + f->reason];
		ret->frames++;
		if (++*count > ret->most) {
			ret->most = *count;
			ret->module = f->module;
			ret->reason = f->reason;
		}
	}
	mem_free(counts);
	return 0;
}
