/* SPDX-License-Identifier: Apache-2.0 */
/* The page of the report with two profiles, and their differences. */
#include <stdio.h>

#include "render/diff/diff_page.h"
#include "render/page/page.h"

int diff_html_put(const struct diff_view *v, struct sink *out, struct err *err)
{
	char title[512], scope[1024];
	struct sink data;
	int r;

	snprintf(title, sizeof(title), "%.200s, then %.200s", v->names[0], v->names[1]);
	diff_tested_text(v->d, scope, sizeof(scope));
	sink__init_mem(&data);
	r = diff_page_put(v, &data);
	if (!r)
		r = sink__finish(&data, NULL);
	if (!r)
		r = page_put(title, scope, &data, out);
	sink__done(&data);
	return r ? err__nomem(err) : 0;
}
