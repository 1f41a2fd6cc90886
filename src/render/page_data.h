/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PAGE_DATA_H
#define RENDER_PAGE_DATA_H

#include "base/err.h"
#include "base/sink.h"
#include "render/render.h"

/*
 * A profile as the viewer of web/ reads it, not compressed, and not meant for anybody else. Every
 * wait is in it with its own numbers, so that a reader can filter; their sums are those of the
 * JSON.
 *
 *	u32, little endian	length of the head
 *	head			JSON: what there is once, strings, names and sizes of columns
 *	columns			one behind the other, columns.h
 *
 * Rows of modules, frames, stacks, tasks, objects and waits have the ids of the profile, from 1,
 * and 0 is none; strings have ids of their own, from 0, which is "".
 */

/*
 * Writes to `out`. The options that count are sides, interpreter, no_truncated, title, command.
 * -ENOMEM or 0; errors of writing are the sink's.
 */
int page_data_put(const struct profile *p, const struct render_options *opt, struct sink *out,
		  struct err *err);

#endif
