/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The palettes are those that users of flamegraph.pl know by name, and "cause". Its colours vary
 * with a hash of the name, or at random; ours always with the hash, so that two graphs can be
 * compared. "hotcold" is as in its dev/hotcoldgraph.pl: waits are cold; greens are limited to those
 * on which black text is readable. There a function that both ran and waited is two frames, here it
 * is one, with a colour between the two: frames above it have one or the other. "wakeup" is aqua
 * there too; "chain" is blue, and aqua for frames of wakers.
 *
 * User and kernel frames of one palette differ in lightness, not in hue, which works in print, in
 * dark mode and for colour-blind readers. Interpreted frames have their own hue, green where the
 * palette is not: they are what the reader of such a graph looks for.
 */
#include "render/words/palette.h"

#include "render/words/cause_color.h"

static const struct channel green[3] = { { 96, 44, 0 }, { 186, 40, 1 }, { 100, 44, 0 } };
static const struct channel warm[3] = { { 226, 29, 0 }, { 96, 70, 1 }, { 16, 40, 0 } };
static const struct channel aqua[3] = { { 50, 60, 0 }, { 165, 55, 0 }, { 165, 55, 0 } };
static const struct channel sand[3] = { { 200, 40, 0 }, { 170, 40, 1 }, { 60, 50, 0 } };

const struct palette palettes[] = {
	{ "io", "#e0e0ff", { { 80, 60, 0 }, { 80, 60, 0 }, { 190, 55, 1 } }, green, false, false },
	{ "cause", "#ececf0", { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, green, true, false },
	{ "hotcold",
	  "#e0e0ff",
	  { { 20, 20, 0 }, { 110, 40, 0 }, { 205, 50, 1 } },
	  green,
	  false,
	  true },
	{ "wakeup",
	  "#e0e0ff",
	  { { 50, 60, 0 }, { 165, 55, 0 }, { 165, 55, 0 } },
	  sand,
	  false,
	  false },
	{ "chain",
	  "#e0e0ff",
	  { { 80, 60, 0 }, { 80, 60, 0 }, { 205, 50, 0 } },
	  green,
	  false,
	  false },
	{ "hot", "#eeeeb0", { { 205, 50, 2 }, { 0, 230, 0 }, { 0, 55, 1 } }, green, false, false },
	{ "mem", "#e0ffe0", { { 0, 0, 0 }, { 190, 50, 1 }, { 0, 210, 0 } }, sand, false, false },
	{ "red", "#eeeeb0", { { 200, 55, 0 }, { 50, 80, 0 }, { 50, 80, 0 } }, green, false, false },
	{ "blue",
	  "#e0e0ff",
	  { { 80, 60, 0 }, { 80, 60, 0 }, { 205, 50, 0 } },
	  green,
	  false,
	  false },
	{ "aqua",
	  "#e0e0ff",
	  { { 50, 60, 0 }, { 165, 55, 0 }, { 165, 55, 0 } },
	  sand,
	  false,
	  false },
	{ "orange",
	  "#eeeeb0",
	  { { 190, 65, 0 }, { 90, 65, 0 }, { 0, 0, 0 } },
	  green,
	  false,
	  false },
	{ NULL, NULL, { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, NULL, false, false },
};

const struct palette *palette_find(const char *name)
{
	size_t i;

	if (!name)
		return &palettes[0];
	for (i = 0; palettes[i].name; i++) {
		if (strcmp(palettes[i].name, name) == 0)
			return &palettes[i];
	}
	return NULL;
}

static u64 hash_name(const char *name)
{
	u64 h = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		h = (h ^ (u8)*name) * 0x100000001b3ULL;
	/* names that differ only at the end must differ in the high bits too */
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

/* Towards white, in sixteenths. */
static u8 paler(u32 c, u32 by)
{
	return (u8)(c + (255 - c) * by / 16);
}

static struct color all_paler(struct color c, u32 by)
{
	return (struct color){ paler(c.r, by), paler(c.g, by), paler(c.b, by) };
}

/*
 * The hue shows the cause, so kinds of frames differ only in lightness, and names by a sixteenth of
 * it. A frame with several causes has none of their hues.
 */
static struct color by_cause(enum tree_kind kind, const char *name, u32 cause)
{
	struct color c = cause == CAUSE_SHOWN_IDLE ? cause_color_idle() :
			 cause < CAUSE_CNT	   ? cause_color((enum cause)cause) :
						     (struct color){ 186, 184, 188 };
	u32 vary = hash_name(name) & 1;

	switch (kind) {
	case TREE_KERNEL:
		return all_paler(c, 9 + vary);
	case TREE_INLINED:
	case TREE_WAKER:
		return all_paler(c, 6 + vary);
	case TREE_CODE:
		return all_paler(c, vary);
	default:
		return all_paler(c, 3 + vary);
	}
}

/* "chain" has two hues; with others, a paler shade shows where the waker begins. */
static bool has_waker_hue(const struct palette *pal)
{
	return strcmp(pal->name, "chain") == 0;
}

static const struct channel *channels_of(const struct palette *pal, enum tree_kind kind, u32 cause)
{
	if (pal->by_heat && cause == CAUSE_ON_CPU)
		return warm;
	if (kind == TREE_WAKER && has_waker_hue(pal))
		return aqua;
	return kind == TREE_CODE ? pal->code : pal->channels;
}

struct color palette_color(const struct palette *pal, enum tree_kind kind, const char *name,
			   u32 cause)
{
	const struct channel *channels = channels_of(pal, kind, cause);
	u64 h = hash_name(name);
	u8 out[3];
	u32 i;

	switch (kind) {
	case TREE_ALL:
		return (struct color){ 190, 190, 196 };
	case TREE_GROUP:
		return (struct color){ 172, 176, 190 };
	case TREE_MARK:
		return (struct color){ 200, 200, 200 };
	case TREE_NOTE:
		return (struct color){ 201, 194, 165 };
	case TREE_TRUNCATED:
		return (struct color){ 150, 150, 150 };
	case TREE_ON_CPU:
		return cause_color(CAUSE_ON_CPU);
	default:
		break;
	}
	if (pal->by_cause)
		return by_cause(kind, name, cause);
	for (i = 0; i < 3; i++) {
		const struct channel *c = &channels[i];
		u32 v = (u32)(h >> (c->pick * 16)) & 0xffff;

		out[i] = (u8)(c->base + c->span * v / 0xffff);
		if (kind == TREE_KERNEL)
			out[i] = paler(out[i], 9);
		else if (kind == TREE_INLINED)
			out[i] = paler(out[i], 4);
		else if (kind == TREE_WAKER && !has_waker_hue(pal))
			out[i] = paler(out[i], 6);
	}
	return (struct color){ out[0], out[1], out[2] };
}

static u8 between(u8 cold, u8 hot, u64 on_ns, u64 total_ns)
{
	double share = total_ns ? (double)on_ns / (double)total_ns : 0;

	return (u8)(cold + (hot - cold) * share + 0.5);
}

struct color palette_color_heat(const struct palette *pal, enum tree_kind kind, const char *name,
				u64 on_ns, u64 total_ns)
{
	struct color cold = palette_color(pal, kind, name, CAUSE_CNT);
	struct color hot = palette_color(pal, kind, name, CAUSE_ON_CPU);

	return (struct color){
		between(cold.r, hot.r, on_ns, total_ns),
		between(cold.g, hot.g, on_ns, total_ns),
		between(cold.b, hot.b, on_ns, total_ns),
	};
}
