/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_CAUSE_COLOR_H
#define RENDER_WORDS_CAUSE_COLOR_H

#include "analysis/cause/cause.h"
#include "render/words/color.h"

/* The colour of a cause in every graph, from its row in analysis/cause/causes.h. */
struct color cause_color(enum cause cause);
/* Of all waits for work. */
struct color cause_color_idle(void);
/* The nearest of the few colours that the Firefox Profiler knows by name; a family shares it. */
const char *cause_color_firefox(enum cause cause);

#endif
