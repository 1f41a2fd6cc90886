/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_HEAD_H
#define RENDER_PAGE_HEAD_H

#include "base/strtab.h"
#include "render/columns.h"
#include "render/render.h"

/*
 * The head of page_data.h with its length before it: header, budget, losses, effort, causes,
 * strings, and where the columns are. -ENOMEM or 0; errors of writing are the sink's.
 */
int page_head_put(const struct profile *p, const struct render_options *opt,
		  const struct strtab *strings, const struct columns *columns, struct sink *out);

#endif
