/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_TEXT_WHATIF_SCREEN_H
#define RENDER_TEXT_WHATIF_SCREEN_H

#include "analysis/path/whatif.h"
#include "base/sink.h"

/* What a thread would take if waits were shorter, and what that assumes. `task`: the thread. */
void whatif_screen_put(const struct profile *p, u32 task, const struct whatif *w, struct sink *out);

#endif
