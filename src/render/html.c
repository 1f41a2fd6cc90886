/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report: the page of web/, which is built into the program as it is, with the data of a
 * profile put into it. The page forbids itself every request by its own policy and allows only the
 * style and the script whose hashes it names, so nothing that a recorded program is called can
 * become code or leave the machine. The data is in base64, where no name can end an element.
 */
#include "render/page_data.h"

#include <errno.h>

#include "render/base64.h"
#include "render/gzip.h"
#include "render/render.h"
#include "render/scope_text.h"
#include "render/utf8.h"

#define TITLE_MARK "<!--title-->"
#define SCOPE_MARK "<!--scope-->"
#define DATA_MARK "<!--data-->"
#define TEXT_CHARS 800

static const char page[] =
#include "gen/page.html.inc"
	;

static void put_text(const char *text, struct sink *out)
{
	u32 cp, n = 0;

	while ((cp = utf8_next(&text)) && n++ < TEXT_CHARS) {
		if (cp == '&')
			sink__puts(out, "&amp;");
		else if (cp == '<')
			sink__puts(out, "&lt;");
		else if (cp == '"')
			sink__puts(out, "&quot;");
		else
			utf8_put(out, cp < 0x20 ? UTF8_BAD : cp);
	}
}

static void put_title(const struct profile *p, const struct render_options *opt, struct sink *out)
{
	const char *text = opt->title ? opt->title : profile__str(p, p->hdr.target);

	put_text(text, out);
	sink__puts(out, *text ? " - coldspot" : "coldspot");
}

/* Of what it is, for who looks into the file and not at the page. */
static void put_scope(const struct profile *p, struct sink *out)
{
	char text[SCOPE_TEXT_SZ];

	if (scope_windows_text(p, text, sizeof(text))) {
		put_text(text, out);
		sink__puts(out, "; ");
	}
	if (scope_selection_text(p, text, sizeof(text)))
		put_text(text, out);
}

static int pack(const struct sink *data, struct sink *ret_packed)
{
	struct gzip gz;
	int r = gzip__init(&gz, ret_packed);

	if (!r) {
		gzip__put(&gz, data->buf, data->len);
		r = gzip__finish(&gz);
	}
	gzip__done(&gz);
	return r ? r : sink__finish(ret_packed, NULL);
}

/* Writes the page up to the mark; what is behind the mark. */
static const char *put_until(const char *from, const char *mark, struct sink *out)
{
	const char *at = strstr(from, mark);

	sink__put(out, from, (size_t)(at - from));
	return at + strlen(mark);
}

static void put_page(const struct profile *p, const struct render_options *opt,
		     const struct sink *packed, struct sink *out)
{
	const char *at = put_until(page, SCOPE_MARK, out);

	put_scope(p, out);
	at = put_until(at, TITLE_MARK, out);
	put_title(p, opt, out);
	at = put_until(at, DATA_MARK, out);
	base64_put(out, packed->buf, packed->len);
	sink__puts(out, at);
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	struct sink data, packed;
	int r;

	sink__init_mem(&data);
	sink__init_mem(&packed);
	r = page_data_put(p, opt, &data, NULL);
	if (!r)
		r = sink__finish(&data, NULL);
	if (!r)
		r = pack(&data, &packed);
	if (!r)
		put_page(p, opt, &packed, out);
	sink__done(&packed);
	sink__done(&data);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_html = {
	.name = "html",
	.endings = ".html .htm",
	.mime = "text/html; charset=utf-8",
	.help = "report that opens in a browser, offline: flame graph, tables, filters",
	.render = render,
};
