/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_HEAD_H
#define RENDER_PAGE_PAGE_HEAD_H

#include "render/encode/json_writer.h"
#include "render/page/page_rows.h"
#include "render/render.h"

/*
 * What the head of page_data.h has of one profile: members from header to scope. -ENOMEM or 0.
 */
int page_keys_put(const struct profile *p, const struct render_options *opt, struct json *j);
/*
 * The data of a page: a head of the members in `keys` (which this finishes), causes, strings and
 * the places of the columns, then the columns. -ENOMEM or 0; errors of writing are the sink's.
 */
int page_data_join(struct sink *keys, const struct page_rows *rows, struct sink *out);

#endif
