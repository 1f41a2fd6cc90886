/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the histograms of waits and of threads. */
#include "render/text/hist_bar.h"

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/scope_text.h"

#define STARS 40

void hist_bar_head(struct sink *out, const char *what)
{
	sink__printf(out, "     %-19s : count    distribution\n", what);
}

void hist_bar(struct sink *out, u64 from_ns, u64 below_ns, u64 count, u64 most)
{
	u64 stars = (u64)((unsigned __int128)count * STARS / most), i;
	char from[32] = "0", below[32] = "";

	if (from_ns)
		units_format_ns(from_ns, from, sizeof(from));
	if (~below_ns)
		units_format_ns(below_ns, below, sizeof(below));
	sink__printf(out, "%*s -> %*s : %-8llu |", utf8_pad(from, 10), from, utf8_pad(below, -10),
		     below, count);
	for (i = 0; i < STARS; i++)
		sink__put(out, i < stars ? "*" : " ", 1);
	sink__puts(out, "|\n");
}

void hist_bar_name(struct sink *out, const char *name)
{
	utf8_put_harmless(out, *name ? name : "[no name]");
}

void hist_bar_json(struct json *to, u64 from_ns, u64 below_ns, u64 count)
{
	json__array(to, NULL);
	json__u64(to, NULL, from_ns);
	if (~below_ns)
		json__u64(to, NULL, below_ns);
	else
		json__null(to, NULL);
	json__u64(to, NULL, count);
	json__end_array(to);
}

void hist_json_head(struct json *to, const struct profile *p, const char *of)
{
	char text[SCOPE_TEXT_SZ];

	json__object(to, NULL);
	json__text(to, "format", "coldspot-hist");
	json__line(to);
	json__u64(to, "version", 1);
	json__line(to);
	if (of) {
		json__text(to, "of", of);
		json__line(to);
	}
	json__bool(to, "sampled", !of && profile__is_sampled(p));
	json__line(to);
	json__u64(to, "windows", p->hdr.windows ? p->hdr.windows : 1);
	json__line(to);
	if (scope_text(p, SCOPE_SOURCE, text, sizeof(text))) {
		json__text(to, "source", text);
		json__line(to);
	}
	json__text(to, "selection",
		   scope_text(p, SCOPE_SELECTION, text, sizeof(text)) ? text : NULL);
}

void hist_json_foot(struct json *to)
{
	json__end_array(to);
	json__end_object(to);
	sink__puts(to->out, "\n");
}
