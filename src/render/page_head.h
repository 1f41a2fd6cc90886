/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_HEAD_H
#define RENDER_PAGE_HEAD_H

#include "render/page_rows.h"
#include "render/render.h"

/* A key of the head with its text, and a comma behind it. */
void page_key_put(struct sink *out, const char *key, const char *text);
/*
 * What the head of page_data.h has of one profile: keys from header to scope, with a comma behind
 * each. -ENOMEM or 0; errors of writing are the sink's.
 */
int page_keys_put(const struct profile *p, const struct render_options *opt, struct sink *out);
/*
 * The data of a page: the head, of these keys, which are finished by this, of causes, strings and
 * where the columns are, then the columns. -ENOMEM or 0; errors of writing are the sink's.
 */
int page_data_join(struct sink *keys, const struct page_rows *rows, struct sink *out);

#endif
