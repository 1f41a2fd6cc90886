/* SPDX-License-Identifier: Apache-2.0 */
/* As the page has it: web/src/report.ts. */
#include "render/words/share_text.h"

#include <stdio.h>

void share_text(struct shared_time part, struct shared_time whole, int decimals, char *buf,
		size_t sz)
{
	u32 tens = decimals == 2 ? 100 : 10;
	u64 share;

	if (whole.ns > whole.idle_ns && part.ns && part.ns == part.idle_ns) {
		snprintf(buf, sz, "idle");
		return;
	}
	if (whole.ns > whole.idle_ns) {
		part.ns -= part.idle_ns;
		whole.ns -= whole.idle_ns;
	}
	if (!whole.ns) {
		snprintf(buf, sz, "-");
		return;
	}
	share = (u64)(((unsigned __int128)part.ns * 100 * tens + whole.ns / 2) / whole.ns);
	snprintf(buf, sz, "%llu.%0*llu%%", share / tens, decimals, share % tens);
}
