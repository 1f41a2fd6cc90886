/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page of web/ is embedded in the program unchanged, and the data is inserted. By its own
 * policy the page forbids all requests and allows only the style and script whose hashes it names,
 * so no name from a recorded program can become code or leave the machine. The data is base64, in
 * which no name can close an element.
 *
 * A live page has no data. Its policy allows requests to the server that it came from, and a
 * worker, which runs the script of the page once more: the one Trusted Types policy is for that.
 */
#include "render/page/page.h"

#include <stdio.h>
#include <string.h>

#include "render/encode/base64.h"
#include "render/encode/gzip.h"
#include "render/encode/xml_text.h"

#define POLICY_TAG "http-equiv=\"Content-Security-Policy\" content=\""
#define POLICY_MARK "<!--policy-->"
#define TITLE_MARK "<!--title-->"
#define SCOPE_MARK "<!--scope-->"
#define LIVE_MARK "<!--live-->"
#define DATA_MARK "<!--data-->"
#define NO_REQUESTS " 'none'"
#define OWN_REQUESTS " worker; connect-src 'self'; worker-src blob:"
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

/* Writes the page up to its title and that; returns what follows. */
static const char *put_head(const char *policy, const char *scope, const char *title,
			    struct sink *out)
{
	const char *at = put_until(page, POLICY_MARK, out);

	sink__puts(out, policy);
	at = put_until(at, SCOPE_MARK, out);
	xml_text_put(out, scope, TEXT_CHARS);
	at = put_until(at, TITLE_MARK, out);
	xml_text_put(out, title, TEXT_CHARS);
	sink__puts(out, *title ? " - coldspot" : "coldspot");
	return at;
}

int page_put(const char *title, const char *scope, const struct sink *data, struct sink *out)
{
	struct sink packed;
	const char *at;
	int r;

	sink__init_mem(&packed);
	r = pack(data, &packed);
	if (!r) {
		at = put_head(NO_REQUESTS, scope, title, out);
		at = put_until(at, LIVE_MARK, out);
		at = put_until(at, DATA_MARK, out);
		base64_put(out, packed.buf, packed.len);
		sink__puts(out, at);
	}
	sink__done(&packed);
	return r;
}

void page_live_put(const char *title, struct sink *out)
{
	const char *at = put_head(OWN_REQUESTS, "", title, out);

	at = put_until(at, LIVE_MARK, out);
	sink__puts(out, " data-live=\"1\"");
	sink__puts(out, put_until(at, DATA_MARK, out));
}

void page_live_policy(char *buf, size_t sz)
{
	const char *at = strstr(page, POLICY_TAG) + strlen(POLICY_TAG);

	snprintf(buf, sz, "%.*s" OWN_REQUESTS "; frame-ancestors 'none'",
		 (int)(strstr(at, POLICY_MARK) - at), at);
}
