/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_H
#define RENDER_PAGE_PAGE_H

#include "base/sink.h"

/*
 * The page for a browser, with `data` (page_data.h) in it. `scope` is for readers of the source.
 * Both texts may contain anything. -ENOMEM or 0; write errors are the sink's.
 */
int page_put(const char *title, const char *scope, const struct sink *data, struct sink *out);

/*
 * The page without data, for `coldspot serve`: the element of the data is empty and has the
 * attribute data-live="1", and the page may make requests to where it came from, and workers of
 * its own script. Write errors are the sink's.
 */
void page_live_put(const char *title, struct sink *out);
/* Its policy, for the header that goes with it; `sz`: at least PAGE_POLICY_SZ. */
void page_live_policy(char *buf, size_t sz);

#define PAGE_POLICY_SZ 1024

#endif
