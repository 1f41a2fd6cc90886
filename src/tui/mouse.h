/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_MOUSE_H
#define TUI_MOUSE_H

#include "base/types.h"

enum mouse_kind {
	MOUSE_CLICK,
	MOUSE_DOUBLE_CLICK, /* the second click, after a MOUSE_CLICK at the same place */
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};

struct mouse {
	enum mouse_kind kind;
	u32 row; /* of the screen, from 0 */
	u32 col;
};

#endif
