/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PALETTE_H
#define RENDER_PALETTE_H

#include "analysis/cause.h"
#include "analysis/tree.h"
#include "base/types.h"

/* Colours of frames. A name has the same colour in every graph. */
struct color {
	u8 r;
	u8 g;
	u8 b;
};

struct palette {
	const char *name;
	const char *background; /* CSS colour at the foot of the background */
	/* of each channel: base + span * v[pick], with v[] in 0..1 from the hash of the name */
	struct channel {
		u8 base;
		u8 span;
		u8 pick;
	} channels[3];
	const struct channel *code; /* three, of interpreted frames */
	bool by_cause; /* the hue is that of the cause, and channels are not used */
	bool by_heat; /* what ran is warm, and channels are of what waited */
};

/* Their names, in words. */
#define PALETTE_NAMES "io, cause, hotcold, wakeup, chain, hot, mem, red, blue, aqua and orange"

/* All of them, a name of NULL at the end; the first is the default. */
extern const struct palette palettes[];

/* NULL: the default. Returns NULL when there is none of that name. */
const struct palette *palette_find(const char *name);
/*
 * Kernel frames are a paler shade, inlined ones a little paler, interpreted ones of another hue;
 * what is no function is grey or sand. Where the hue is that of the cause, interpreted ones are a
 * little darker. `cause`: enum cause, CAUSE_SHOWN_IDLE, or CAUSE_CNT where no cause has most of
 * the time; only for palettes that ask for it, of which those by heat look for CAUSE_ON_CPU alone.
 */
struct color palette_color(const struct palette *pal, enum tree_kind kind, const char *name,
			   u32 cause);
/* Where both ran and waited, what lies between the two, as much as of each: 0 of 0 is waited. */
struct color palette_color_heat(const struct palette *pal, enum tree_kind kind, const char *name,
				u64 on_ns, u64 total_ns);
/*
 * Is white easier to read on it than black? The one that is has a contrast of 4.5 at least, as
 * WCAG AA asks for (https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio).
 */
bool color_is_dark(struct color c);

#endif
