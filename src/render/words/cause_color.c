/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/cause_color.h"

static struct color from_rgb(u32 rgb)
{
	return (struct color){ (u8)(rgb >> 16), (u8)(rgb >> 8), (u8)rgb };
}

struct color cause_color(enum cause cause)
{
	return from_rgb(cause_row(cause)->color);
}

struct color cause_color_idle(void)
{
	return from_rgb(CAUSE_IDLE_COLOR);
}

const char *cause_color_firefox(enum cause cause)
{
	return cause_family_row(cause_row(cause)->family)->firefox;
}
