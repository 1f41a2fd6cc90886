/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_WAITS_TEXT_H
#define TUI_WAITS_TEXT_H

#include "base/types.h"

#define WAITS_TEXT_SZ 48

/* "in 3 waits". Of lost waits the number may be unknown: time with a count of 0. */
void waits_text(u64 ns, u64 count, char *buf, size_t sz);

#endif
