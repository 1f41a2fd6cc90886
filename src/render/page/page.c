/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of web/ is embedded in the program unchanged, and the data is inserted. By its own
 * policy the page forbids all requests and allows only the style and script whose hashes it names,
 * so no name from a recorded program can become code or leave the machine. The data is base64, in
 * which no name can close an element.
 */
#include "render/page/page.h"

#include <stdio.h>
#include <string.h>

#include "render/encode/base64.h"
#include "render/encode/gzip.h"
#include "render/encode/xml_text.h"

#define TITLE_MARK "<!--title-->"
#define SCOPE_MARK "<!--scope-->"
#define DATA_MARK "<!--data-->"
#define POLICY_MARK "http-equiv=\"Content-Security-Policy\" content=\""
#define NOTHING "default-src 'none'; "
#define ONLY_US "connect-src 'self'; "
#define DATA_TAG "<script id=\"data\" "
#define TEXT_CHARS 1600

static const char page[] =
#include "gen/page.html.inc"
	;

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

/* Writes the page up to the mark; returns what follows the mark. */
static const char *put_until(const char *from, const char *mark, struct sink *out)
{
	const char *at = strstr(from, mark);

	sink__put(out, from, (size_t)(at - from));
	return at + strlen(mark);
}

int page_put(const char *title, const char *scope, const struct sink *data, struct sink *out)
{
	struct sink packed;
	const char *at;
	int r;

	sink__init_mem(&packed);
	r = pack(data, &packed);
	if (!r) {
		at = put_until(page, SCOPE_MARK, out);
		xml_text_put(out, scope, TEXT_CHARS);
		at = put_until(at, TITLE_MARK, out);
		xml_text_put(out, title, TEXT_CHARS);
		sink__puts(out, *title ? " - coldspot" : "coldspot");
		at = put_until(at, DATA_MARK, out);
		base64_put(out, packed.buf, packed.len);
		sink__puts(out, at);
	}
	sink__done(&packed);
	return r;
}

/* The page without data may ask where it came from, and nobody else. */
void page_live_put(const char *title, struct sink *out)
{
	const char *at = put_until(page, POLICY_MARK NOTHING, out);

	sink__puts(out, POLICY_MARK NOTHING ONLY_US);
	at = put_until(at, SCOPE_MARK, out);
	at = put_until(at, TITLE_MARK, out);
	xml_text_put(out, title, TEXT_CHARS);
	sink__puts(out, " - coldspot");
	at = put_until(at, DATA_TAG, out);
	sink__puts(out, DATA_TAG "data-live=\"1\" ");
	at = put_until(at, DATA_MARK, out);
	sink__puts(out, at);
}

void page_live_policy(char *buf, size_t sz)
{
	const char *at = strstr(page, POLICY_MARK NOTHING) + strlen(POLICY_MARK NOTHING);

	snprintf(buf, sz, NOTHING ONLY_US "frame-ancestors 'none'; %.*s", (int)strcspn(at, "\""),
		 at);
}
