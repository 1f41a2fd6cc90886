/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_PALETTE_H
#define RENDER_WORDS_PALETTE_H

#include "analysis/cause/cause.h"
#include "analysis/model/tree.h"
#include "base/types.h"
#include "render/words/color.h"

/* Frame colours. A name has the same colour in every graph. */
struct palette {
	const char *name;
	const char *background; /* CSS colour at the bottom of the background */
	/* of each channel: base + span * v[pick], with v[] in 0..1 from the hash of the name */
	struct channel {
		u8 base;
		u8 span;
		u8 pick;
	} channels[3];
	const struct channel *code; /* three, for interpreted frames */
	bool by_cause; /* the hue is that of the cause; channels are not used */
	bool by_heat; /* on-CPU frames are warm; channels are for waits */
};

/* Their names, as text. */
#define PALETTE_NAMES "io, cause, hotcold, wakeup, chain, hot, mem, red, blue, aqua and orange"

/* All of them, terminated by a NULL name; the first is the default. */
extern const struct palette palettes[];

/* NULL: the default. Returns NULL for an unknown name. */
const struct palette *palette_find(const char *name);
/*
 * Kernel frames are a paler shade, inlined ones slightly paler, interpreted ones have another hue;
 * entries that are not functions are grey or sand. If the hue is that of the cause, interpreted
 * frames are slightly darker. `cause`: enum cause, CAUSE_SHOWN_IDLE, or CAUSE_CNT if no cause has
 * most of the time; only for palettes that use it; palettes by heat check only for CAUSE_ON_CPU.
 */
struct color palette_color(const struct palette *pal, enum tree_kind kind, const char *name,
			   u32 cause);
/* If a frame both ran and waited, a mix in proportion; 0 of 0 means waited. */
struct color palette_color_heat(const struct palette *pal, enum tree_kind kind, const char *name,
				u64 on_ns, u64 total_ns);

#endif
