/* SPDX-License-Identifier: Apache-2.0 */
/* The report: the page in web/ with the data of a profile. */
#include <stdio.h>
#include <string.h>

#include "render/page/page.h"
#include "render/page/page_data.h"
#include "render/render.h"
#include "render/words/scope_text.h"

/* What the page covers. */
static void scope_of(const struct profile *p, char *buf, size_t sz)
{
	char text[SCOPE_TEXT_SZ];
	enum scope scope;

	buf[0] = '\0';
	for (scope = 0; scope < SCOPE_CNT; scope++) {
		if (scope_text(p, scope, text, sizeof(text)))
			snprintf(buf + strlen(buf), sz - strlen(buf), "%s%s", *buf ? "; " : "",
				 text);
	}
}

static int render(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	char scope[2 * SCOPE_TEXT_SZ];
	struct sink data;
	int r;

	sink__init_mem(&data);
	r = page_data_put(p, opt, &data, NULL);
	if (!r)
		r = sink__finish(&data, NULL);
	scope_of(p, scope, sizeof(scope));
	if (!r)
		r = page_put(opt->title ? opt->title : profile__str(p, p->hdr.target), scope, &data,
			     out);
	sink__done(&data);
	return r ? err__nomem(err) : 0;
}

const struct render_ops render_html = {
	.name = "html",
	.endings = ".html .htm",
	.mime = "text/html; charset=utf-8",
	.help = "self-contained report for browsers: flame graph, tables, filters",
	.takes_wakers = true,
	.render = render,
};
