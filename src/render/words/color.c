/* SPDX-License-Identifier: Apache-2.0 */
#include "render/words/color.h"

#include <math.h>

static double linear(u8 channel)
{
	double v = channel / 255.0;

	return v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

bool color_is_dark(struct color c)
{
	double light = 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);

	return 1.05 / (light + 0.05) > (light + 0.05) / 0.05;
}
