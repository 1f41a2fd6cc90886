/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_DIFF_DIFF_VIEW_H
#define RENDER_DIFF_DIFF_VIEW_H

#include "analysis/diff/diff.h"
#include "base/sink.h"
#include "render/words/palette.h"

/*
 * A diff to bytes. As with formats of one profile (render.h), the same diff gives the same bytes;
 * the caller finishes `out`, which reports write errors.
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
/* docs/json.md describes the keys. */
void diff_json_put(const struct diff_view *v, struct sink *out);
/*
 * "frame;frame BEFORE AFTER" with self times in us, as flamegraph.pl's difffolded.pl writes them.
 * Times of the earlier side are scaled to the units of the later one. -ENOMEM or 0.
 */
int diff_folded_put(const struct diff_view *v, struct sink *out, struct err *err);
/*
 * A flame graph coloured by change: merged, where the width of a frame is that of both sides
 * together, or both sides on one scale. -ENOMEM, -EINVAL for an invalid width, or 0.
 */
int diff_svg_put(const struct diff_view *v, struct sink *out, struct err *err);
/* A self-contained page with tables and graphs. Errors as above. */
int diff_html_put(const struct diff_view *v, struct sink *out, struct err *err);

/* Shared by the formats. */

/* "second", "thread-second", "request" */
const char *diff_unit_name(u32 per);
/*
 * "10.0 s, 12 threads, 4.10 s off the CPU, waiting for a CPU 20 ms" for a side: if these differ,
 * the load of the machine may have too.
 */
void diff_side_text(const struct diff *d, u32 side, char *buf, size_t sz);
/* How differences were tested against noise, or why not, as a sentence. */
void diff_tested_text(const struct diff *d, char *buf, size_t sz);
/*
 * What verdicts mean and their limits, one sentence after the other: for marks, or for words if the
 * output has those. "" if nothing was tested.
 */
void diff_key_text(const struct diff *d, bool marks, char *buf, size_t sz);
/* "+1.20 ms", "-3 ns", "0 ns" */
void diff_change_text(const struct diff_item *it, char *buf, size_t sz);
/* "+96.2%", from x11 on a factor, "new", "gone"; "-" if both sides are zero */
void diff_percent_text(const struct diff_item *it, char *buf, size_t sz);
/* ns per unit, in the unit that units_format_ns() chooses. */
void diff_rate_text(double rate, char *buf, size_t sz);
/* "a single wait of 5.00 s is 83% of it", if it is at least half; else false. */
bool diff_largest_text(const struct diff *d, const struct diff_item *it, char *buf, size_t sz);
/* In JSON: "small", "unknown", "noise", "more", "less". */
const char *diff_verdict_name(u32 verdict);
/* '+', '-', '~' for noise, '?' for unknown, ' ' */
char diff_verdict_mark(u32 verdict);
/*
 * Red is more, blue is less, stronger for larger changes; both paler if chance cannot be excluded;
 * grey is noise.
 */
struct color diff_color(const struct diff_item *it);

#endif
