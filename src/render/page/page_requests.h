/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_REQUESTS_H
#define RENDER_PAGE_PAGE_REQUESTS_H

#include "analysis/path/request_table.h"
#include "render/encode/json_writer.h"
#include "render/page/page_rows.h"

/* Of classes with most time; further ones are counted. */
#define PAGE_CLASSES_MAX 500
/* Of each class; what is beyond is one row for each part and cause, so that sums stay exact. */
#define PAGE_CLASS_ROWS_MAX 200
/* The place of such a row. */
#define PAGE_OTHER_PLACES "[other places]"

/*
 * Requests as `report --requests` has them (analysis/path/request_table.h): classes, their rows,
 * and their slowest with who had them when. The page cuts what a thread did out of its timeline.
 */
struct page_requests {
	struct arena arena;
	const struct lanes *lanes; /* borrowed; NULL: no requests were recorded */
	struct request_table table;
	u32 *order; /* classes, most time first */
};

/*
 * Of a profile whose frames are named, not as it is shown. `lanes`: of it; NULL: it was recorded
 * without requests; borrowed until page_requests__done(), which is called in either case. `memo`:
 * of its causes, or NULL. -ENOMEM or 0.
 */
int page_requests__init(struct page_requests *rq, const struct lanes *lanes,
			struct cause_memo *memo);
void page_requests__done(struct page_requests *rq);
/* The columns. Once. -ENOMEM or 0; further errors are kept in the rows. */
int page_requests__put_rows(const struct page_requests *rq, struct page_rows *rows);
/* The key "requests", if they were recorded. */
void page_requests__put_key(const struct page_requests *rq, struct json *j);

#endif
