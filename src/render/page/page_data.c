/* SPDX-License-Identifier: Apache-2.0 */
/* The data of one profile; diff_page.c has two. */
#include "render/page/page_data.h"

#include "analysis/cause/cause_memo.h"
#include "render/page/page_head.h"
#include "render/page/page_rows.h"
#include "render/render_view.h"

static int put_profile(const struct profile *p, const struct render_options *opt,
		       struct page_rows *rows)
{
	struct labels labels = { 0 };
	struct causes causes = { 0 };
	const struct page_side side = {
		.p = p, .sides = opt->sides, .causes = &causes, .labels = &labels
	};
	int r = labels__init(&labels, p, NULL);

	if (!r)
		r = causes__recall(&causes, p, opt->memo, NULL);
	if (!r)
		r = page_rows__add(rows, &side);
	causes__done(&causes);
	labels__done(&labels);
	return r ? r : page_rows__finish(rows);
}

int page_data_put(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err)
{
	const struct shown_options shown_opt = render_shown(p, opt, VIEW_WALL);
	struct page_rows rows;
	struct shown shown;
	struct sink keys;
	struct json j = JSON_TO(&keys);
	int r = shown__init(&shown, p, &shown_opt, NULL);

	sink__init_mem(&keys);
	if (page_rows__init(&rows, false) || r)
		r = err__nomem(err);
	if (!r)
		r = put_profile(shown.p, opt, &rows);
	if (!r)
		r = page_keys_put(p, opt, &j);
	if (!r)
		r = page_data_join(&keys, &rows, out);
	sink__done(&keys);
	page_rows__done(&rows);
	shown__done(&shown);
	return r ? err__nomem(err) : 0;
}
