/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_COLOR_H
#define RENDER_WORDS_COLOR_H

#include "base/types.h"

struct color {
	u8 r;
	u8 g;
	u8 b;
};

/*
 * Whether white is more readable on it than black. The better one has a contrast of at least 4.5,
 * as required by WCAG AA (https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio).
 */
bool color_is_dark(struct color c);

#endif
