/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include "base/sink.h"

/*
 * The page that opens in a browser, with `data` (page_data.h) in it. `scope` is for who looks into
 * the file and not at the page. Both texts may be anything. -ENOMEM or 0; errors of writing are the
 * sink's.
 */
int page_put(const char *title, const char *scope, const struct sink *data, struct sink *out);

#endif
