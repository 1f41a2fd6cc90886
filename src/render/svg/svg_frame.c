/* SPDX-License-Identifier: Apache-2.0 */
/* There are thousands of frames, and printf() would parse its format for each of them. */
#include "render/svg/svg_frame.h"

#include "base/text/utf8.h"
#include "render/encode/xml_text.h"

#define CHAR_HUNDREDTHS 708 /* width of a character: 12 px of Verdana */

/*
 * Number of characters of a name that fit into a frame of `tenths` of a pixel; *ret_cut: not all,
 * so ".." is appended.
 */
static size_t fitting(const char *name, u32 tenths, bool *ret_cut)
{
	size_t room, used = 0, n = 0, cut_at = 0;
	bool cut_known = false;
	u32 cp;

	*ret_cut = false;
	room = tenths > 60 ? (size_t)(tenths - 60) * 10 / CHAR_HUNDREDTHS : 0;
	if (room < 3)
		return 0;
	for (; (cp = utf8_next(&name)); n++) {
		size_t step = cp >= 0x1100 ? 2 : 1;

		if (!cut_known && used + step > room - 2) {
			cut_known = true;
			cut_at = n;
		}
		used += step;
		if (used > room) {
			*ret_cut = true;
			return cut_at;
		}
	}
	return n;
}

static void put_number(struct sink *out, const char *before, u64 n)
{
	sink__puts(out, before);
	sink__put_u64(out, n);
}

static void put_tenths(struct sink *out, const char *before, u32 tenths)
{
	put_number(out, before, tenths / 10);
	put_number(out, ".", tenths % 10);
}

static void put_id(struct sink *out, const char *before, u64 id)
{
	char digits[16];
	u32 i;

	for (i = 0; i < sizeof(digits); i++)
		digits[i] = "0123456789abcdef"[id >> (60 - 4 * i) & 15];
	sink__puts(out, before);
	sink__put(out, digits, sizeof(digits));
}

/*
 * Text on a dark colour is white, by a class for the style and by an attribute in case the style is
 * removed. Merged frames get a name made from that of their parent.
 */
void svg_frame_begin(const struct svg_frame *f, const u64 *path_hash)
{
	const struct flame_rect *rect = f->rect;

	sink__puts(f->out,
		   color_is_dark(f->fill) ? "<g class=\"f w\" fill=\"#ffffff\"" : "<g class=\"f\"");
	if (path_hash) {
		put_id(f->out, " id=\"n", rect->merged ? ~*path_hash : *path_hash);
		put_number(f->out, "\" data-s=\"", rect->start_ns);
		put_number(f->out, "\" data-t=\"", rect->time_ns);
		put_number(f->out, "\" data-r=\"", rect->row);
		sink__puts(f->out, "\"");
	}
	sink__puts(f->out, ">");
}

static void put_label(const struct svg_frame *f, const char *label)
{
	bool cut;
	size_t chars = fitting(label, f->rect->w, &cut);

	if (!chars)
		return;
	put_tenths(f->out, "<text x=\"", f->rect->x + f->left * 10 + 30);
	put_number(f->out, "\" y=\"", f->y + 11);
	sink__puts(f->out, ".5\">");
	xml_text_put(f->out, label, cut ? chars : (size_t)-1);
	sink__puts(f->out, "</text>");
}

void svg_frame_end(const struct svg_frame *f, const char *label)
{
	put_tenths(f->out, "<rect x=\"", f->rect->x + f->left * 10);
	put_number(f->out, "\" y=\"", f->y);
	put_tenths(f->out, "\" width=\"", f->rect->w);
	put_number(f->out, "\" height=\"", SVG_FRAME_ROW - 1);
	put_number(f->out, "\" rx=\"2\" fill=\"rgb(", f->fill.r);
	put_number(f->out, ",", f->fill.g);
	put_number(f->out, ",", f->fill.b);
	sink__puts(f->out, ")\"/>");
	if (label)
		put_label(f, label);
	sink__puts(f->out, "</g>\n");
}
