/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest colour of those that there are. The terminal decides what the first 16 look like. */
#include "tui/term_color.h"

#include "analysis/cause/cause.h"
#include "render/words/cause_color.h"

#define GREY_SPREAD 24 /* channels that differ by less look grey */
#define LIGHT 170 /* the brighter eight are from here on */
#define MIXED 0x6b7280 /* no cause has most of it */

/* The step of the 6 x 6 x 6 cube, whose levels are 0, 95, 135, ... 255. */
static int cube_step(u8 level)
{
	return level < 48 ? 0 : level < 115 ? 1 : (level - 35) / 40;
}

static u8 most_of(struct color c)
{
	u8 most = c.r > c.g ? c.r : c.g;

	return most > c.b ? most : c.b;
}

static u8 least_of(struct color c)
{
	u8 least = c.r < c.g ? c.r : c.g;

	return least < c.b ? least : c.b;
}

/* Red, green and blue are bits 1, 2 and 4. */
static int one_of_8(struct color c)
{
	int middle = (most_of(c) + least_of(c)) / 2;

	if (most_of(c) - least_of(c) < GREY_SPREAD)
		return most_of(c) < 100 ? 0 : 7;
	return (c.r > middle ? 1 : 0) | (c.g > middle ? 2 : 0) | (c.b > middle ? 4 : 0);
}

int term_color(struct color c, int colors)
{
	if (colors > 256)
		return c.r << 16 | c.g << 8 | c.b;
	if (colors == 256)
		return 16 + 36 * cube_step(c.r) + 6 * cube_step(c.g) + cube_step(c.b);
	if (colors >= 16)
		return one_of_8(c) + (most_of(c) >= LIGHT && one_of_8(c) < 7 ? 8 : 0);
	return one_of_8(c);
}

int term_color_on(struct color c, int colors)
{
	bool dark = color_is_dark(c);

	if (colors > 256)
		return dark ? 0xffffff : 0;
	if (colors == 256)
		return dark ? 231 : 16;
	/* the darker eight differ much between terminals: blue and red are dark on all of them */
	return one_of_8(c) == 4 || one_of_8(c) == 0 || (dark && colors < 16) ? 7 : 0;
}

struct color term_color_of_cause(u32 cause, bool pale)
{
	struct color c = cause < CAUSE_CNT ?
				 cause_color((enum cause)cause) :
			 cause == CAUSE_SHOWN_IDLE ?
				 cause_color_idle() :
				 (struct color){ MIXED >> 16, MIXED >> 8 & 0xff, MIXED & 0xff };

	if (!pale)
		return c;
	return (struct color){
		.r = (u8)(c.r + (255 - c.r) * 2 / 5),
		.g = (u8)(c.g + (255 - c.g) * 2 / 5),
		.b = (u8)(c.b + (255 - c.b) * 2 / 5),
	};
}
