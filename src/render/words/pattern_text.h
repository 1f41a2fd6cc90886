/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_PATTERN_TEXT_H
#define RENDER_WORDS_PATTERN_TEXT_H

#include "analysis/model/wake_pattern.h"

/*
 * What happens, how often, and what it costs, in a window of that length: "main-12 in publish wakes
 * 32 threads at once, 100 times a second ..". Without the name of the kind. Free it with
 * mem_free(); NULL: out of memory.
 */
char *pattern_text(const struct wake_pattern *w, u64 window_ns);

#endif
