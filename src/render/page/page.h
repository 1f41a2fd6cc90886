/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_H
#define RENDER_PAGE_PAGE_H

#include "base/sink.h"

/*
 * The page for a browser, with `data` (page_data.h) in it. `scope` is for readers of the source.
 * Both texts may contain anything. -ENOMEM or 0; write errors are the sink's.
 */
int page_put(const char *title, const char *scope, const struct sink *data, struct sink *out);

#endif
