/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_CAUSE_COLOR_H
#define RENDER_CAUSE_COLOR_H

#include "analysis/cause.h"
#include "render/palette.h"

/*
 * One colour for a cause of waits, the same in every picture. Kinds that are looked for together
 * (disks; the network; locks) have one hue, in steps of lightness.
 */
struct color cause_color(enum cause cause);
/* The nearest of the few that the Firefox Profiler knows by name; waits for work "transparent". */
const char *cause_color_firefox(enum cause cause);

#endif
