/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_SHARE_TEXT_H
#define RENDER_WORDS_SHARE_TEXT_H

#include <stddef.h>

#include "base/types.h"

/* Some time, and the part of it in waits for work. */
struct shared_time {
	u64 ns;
	u64 idle_ns;
};

#define SHARE_TEXT_SZ 32

/*
 * All shares have one denominator, the time that is not idle: "12.3%", with `decimals` 1 or 2,
 * rounded half up; "idle" if all of the part is; "-" if the whole has no time. A whole that is idle
 * only is divided as any other.
 */
void share_text(struct shared_time part, struct shared_time whole, int decimals, char *buf,
		size_t sz);

#endif
