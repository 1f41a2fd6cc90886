/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_PAGE_DATA_H
#define RENDER_PAGE_PAGE_DATA_H

#include "base/err.h"
#include "base/sink.h"
#include "render/render.h"

/*
 * A profile as the viewer in web/ reads it, uncompressed, and for no other reader. It contains
 * every wait with its own numbers, so that a reader can filter; their sums are those of the JSON.
 *
 *	u32, little endian	length of the head
 *	head			JSON: single values, strings, names and sizes of columns
 *	columns			one after the other, columns.h
 *
 * Rows of modules, frames, stacks, tasks, objects and waits have the ids of the profile, from 1,
 * and 0 stands for no row; strings have their own ids, from 0, which is "".
 */

/*
 * Writes to `out`. Relevant options are sides, interpreter, no_truncated, title, command. -ENOMEM
 * or 0; write errors are the sink's.
 */
int page_data_put(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err);

#endif
