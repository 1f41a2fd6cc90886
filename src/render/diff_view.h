/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DIFF_VIEW_H
#define RENDER_DIFF_VIEW_H

#include "analysis/diff.h"
#include "base/sink.h"
#include "render/palette.h"

/*
 * A diff to bytes. As with formats of one profile (render.h) the same diff gives the same bytes;
 * `out` is finished by the caller, who finds errors of writing there.
 */
struct diff_view {
	const struct diff *d;
	const char *names[2]; /* of the recordings, as typed */
	u32 rows; /* of each table of functions; 0: 15 */
	bool color; /* ANSI colours [text] */
	bool side_by_side; /* [svg] */
	u32 width; /* pixels; 0: 1200 [svg] */
};

void diff_text_put(const struct diff_view *v, struct sink *out);
/* docs/json.md has the keys. */
void diff_json_put(const struct diff_view *v, struct sink *out);
/*
 * "frame;frame BEFORE AFTER" with self times in us, as flamegraph.pl's difffolded.pl writes them;
 * those of the side before as they were if it had as many units as the side after. -ENOMEM or 0.
 */
int diff_folded_put(const struct diff_view *v, struct sink *out, struct err *err);
/*
 * A flame graph with the colours of the change: merged, where a frame is as wide as both sides
 * together, or both sides on one scale. -ENOMEM, -EINVAL for a width that is not to be drawn, or 0.
 */
int diff_svg_put(const struct diff_view *v, struct sink *out, struct err *err);
/* A page that holds the tables and the graphs, and needs nothing else. Errors as above. */
int diff_html_put(const struct diff_view *v, struct sink *out, struct err *err);

/* What the formats have in common. */

/* "second", "thread-second", "request" */
const char *diff_unit_name(u32 per);
/*
 * "10.0 s, 12 threads, 4.10 s off the CPU, queued for it 20.0 ms" of a side: where that differs,
 * the load of the machine may have.
 */
void diff_side_text(const struct diff *d, u32 side, char *buf, size_t sz);
/* What differences were told from chance by, or why they could not. A sentence. */
void diff_tested_text(const struct diff *d, char *buf, size_t sz);
/*
 * What verdicts mean and where their bounds are, each sentence behind the other: of marks, or of
 * words where the output has those. "" where nothing was tested.
 */
void diff_key_text(const struct diff *d, bool marks, char *buf, size_t sz);
/* "+1.20 ms", "-3 ns", "0 ns" */
void diff_change_text(const struct diff_item *it, char *buf, size_t sz);
/* "+96.2%", "x11" from that on, "new", "gone"; "-" where there was nothing and is nothing */
void diff_percent_text(const struct diff_item *it, char *buf, size_t sz);
/* ns per unit, in the unit that units_format_ns() chooses. */
void diff_rate_text(double rate, char *buf, size_t sz);
/* "a single wait of 5.00 s is 83% of it", where it is half or more; else false. */
bool diff_largest_text(const struct diff *d, const struct diff_item *it, char *buf, size_t sz);
/* In JSON: "small", "unknown", "noise", "more", "less". */
const char *diff_verdict_name(u32 verdict);
/* '+', '-', '~' for noise, '?' for unknown, ' ' */
char diff_verdict_mark(u32 verdict);
/*
 * Red is more, blue is less, the stronger the larger the change is; both paler where it is not
 * known whether it is chance; grey is noise.
 */
struct color diff_color(const struct diff_item *it);

#endif
