/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables of the text and the graphs of the SVG in one page. Graphs are documents of their own
 * inside it, in base64, where no name can end an element; that is also what lets their scripts
 * work as they do in a file. They have the policy of the page, which forbids every request and
 * allows scripts of its own: every name goes through svg_put_text().
 */
#include <errno.h>

#include "render/base64.h"
#include "render/diff_view.h"
#include "render/loss_text.h"
#include "render/scope_text.h"
#include "render/svg_priv.h"

#define DEFAULT_ROWS 40
#define NAME_CHARS 400

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	"style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
	"frame-src data:; object-src data:\">\n"
	"<meta name=\"viewport\" content=\"width=device-width\">\n"
	"<title>coldspot diff</title>\n<style>\n"
	":root { color-scheme: light dark; }\n"
	"body { font: 14px/1.45 system-ui, sans-serif; margin: 1.5em auto; max-width: 1260px; "
	"padding: 0 1em; }\n"
	"h1 { font-size: 1.35em; } h2 { font-size: 1.1em; margin-top: 2em; }\n"
	"table { border-collapse: collapse; }\n"
	"th, td { text-align: right; padding: 2px 10px; font-variant-numeric: tabular-nums; }\n"
	"th:last-child, td:last-child { text-align: left; overflow-wrap: anywhere; }\n"
	"th { font-weight: 600; border-bottom: 1px solid #8888; }\n"
	"td:first-child { width: 12px; padding: 0; border-bottom: 2px solid transparent; }\n"
	".noise, .small { opacity: 0.6; }\n.note { opacity: 0.75; }\n"
	"object { width: 100%; border: 0; }\n"
	"</style></head><body>\n<h1>Off-CPU time: what changed</h1>\n";

static void put_row(const struct diff_view *v, const struct diff_item *it, const char *name,
		    const char *module, struct sink *out)
{
	char rate[2][32], change[40], percent[32], largest[96];
	struct color c = diff_color(it);

	diff_rate_text(it->rate[0], rate[0], sizeof(rate[0]));
	diff_rate_text(it->rate[1], rate[1], sizeof(rate[1]));
	diff_change_text(it, change, sizeof(change));
	diff_percent_text(it, percent, sizeof(percent));
	sink__printf(out,
		     "<tr class=\"%s\"><td style=\"background:rgb(%u,%u,%u)\"></td><td>%s</td>"
		     "<td>%s</td><td>%s</td><td>%s</td><td>",
		     diff_verdict_name(it->verdict), c.r, c.g, c.b, rate[0], rate[1], change,
		     percent);
	if (it->verdict == DIFF_SMALL || it->verdict == DIFF_UNKNOWN)
		sink__puts(out, "-");
	else
		sink__printf(out, "%.3g", it->p);
	sink__printf(out, "</td><td>%s</td><td>", diff_verdict_name(it->verdict));
	svg_put_text(out, name, NAME_CHARS);
	if (*module) {
		sink__puts(out, " <span class=\"note\">");
		svg_put_text(out, module, NAME_CHARS);
		sink__puts(out, "</span>");
	}
	if (diff_largest_text(v->d, it, largest, sizeof(largest)))
		sink__printf(out, "<br><span class=\"note\">%s</span>", largest);
	sink__puts(out, "</td></tr>\n");
}

static void begin_table(const char *what, struct sink *out)
{
	sink__printf(out,
		     "<table><tr><th></th><th>before</th><th>after</th><th>change</th><th></th>"
		     "<th>p</th><th></th><th>%s</th></tr>\n",
		     what);
}

static void put_sides(const struct diff_view *v, struct sink *out)
{
	char text[SCOPE_TEXT_SZ];
	u32 side;

	for (side = 0; side < 2; side++) {
		const struct profile *p = v->d->p[side];

		sink__printf(out, "<p><b>%s</b>: ", side ? "after" : "before");
		svg_put_text(out, v->names[side], NAME_CHARS);
		sink__puts(out, ": ");
		svg_put_text(out, profile__str(p, p->hdr.target), NAME_CHARS);
		diff_side_text(v->d, side, text, sizeof(text));
		sink__printf(out, ", %s", text);
		if (scope_windows_text(p, text, sizeof(text)))
			sink__printf(out, "; %s", text);
		if (scope_selection_text(p, text, sizeof(text))) {
			sink__puts(out, "; ");
			svg_put_text(out, text, NAME_CHARS);
		}
		sink__puts(out, "</p>\n");
	}
	diff_tested_text(v->d, text, sizeof(text));
	sink__printf(out, "<p class=\"note\">%s", text);
	diff_key_text(v->d, false, text, sizeof(text));
	sink__printf(out, *text ? " %s</p>\n" : "%s</p>\n", text);
}

static void put_tables(const struct diff_view *v, struct sink *out)
{
	const struct diff *d = v->d;
	u32 rows = v->rows ? v->rows : DEFAULT_ROWS, n = 0, i;

	begin_table("", out);
	put_row(v, &d->total, "in all", "", out);
	if (d->idle.ns[0] || d->idle.ns[1])
		put_row(v, &d->idle, "idle: in waits for work", "", out);
	sink__puts(out, "</table>\n<h2>By cause</h2>\n");
	begin_table("cause", out);
	for (i = 0; i < d->causes_len; i++)
		put_row(v, &d->causes[i].item, cause_name((enum cause)d->causes[i].cause), "", out);
	sink__puts(out, "</table>\n<h2>By function, with all that it calls</h2>\n");
	begin_table("function", out);
	for (i = 0; i < d->frames_len && n < rows; i++) {
		const struct diff_frame *f = &d->frames[i];

		if (f->item.verdict == DIFF_SMALL)
			continue;
		put_row(v, &f->item, f->name, f->module, out);
		n++;
	}
	sink__puts(out, "</table>\n");
}

static void put_losses(const struct diff *d, struct sink *out)
{
	char text[256];
	u32 side;
	int i;

	sink__puts(out, "<h2>Losses</h2>\n<p>");
	for (side = 0; side < 2; side++) {
		if (!loss_kinds(d->p[side]))
			sink__printf(out, "Nothing lost %s.<br>", side ? "after" : "before");
		for (i = 0; i < LOSS_CNT; i++) {
			if (!loss_text(d->p[side], (enum profile_loss_kind)i, text, sizeof(text)))
				continue;
			sink__printf(out, "Lost %s: ", side ? "after" : "before");
			svg_put_text(out, text, NAME_CHARS);
			sink__puts(out, "<br>");
		}
	}
	sink__puts(out, "</p>\n");
}

static int put_graph(const struct diff_view *v, bool side_by_side, struct sink *out,
		     struct err *err)
{
	struct diff_view graph = *v;
	struct sink svg;
	int r;

	graph.side_by_side = side_by_side;
	sink__init_mem(&svg);
	r = diff_svg_put(&graph, &svg, err);
	if (!r && sink__finish(&svg, NULL))
		r = err__nomem(err);
	if (!r) {
		sink__printf(out,
			     "<h2>%s</h2>\n<object type=\"image/svg+xml\" "
			     "data=\"data:image/svg+xml;base64,",
			     side_by_side ? "Before and after, on one scale" : "Both in one");
		base64_put(out, svg.buf, svg.len);
		sink__puts(out, "\"></object>\n");
	}
	sink__done(&svg);
	return r;
}

int diff_html_put(const struct diff_view *v, struct sink *out, struct err *err)
{
	int r;

	sink__puts(out, head);
	put_sides(v, out);
	put_tables(v, out);
	r = put_graph(v, false, out, err);
	if (!r)
		r = put_graph(v, true, out, err);
	put_losses(v->d, out);
	sink__puts(out, "</body></html>\n");
	return r;
}
