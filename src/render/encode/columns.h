/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_COLUMNS_H
#define RENDER_ENCODE_COLUMNS_H

#include "base/sink.h"
#include "base/types.h"

/*
 * Numbers in columns, to keep the page small: each value is a LEB128 varint, or the zigzag of its
 * difference from the previous value where neighbours are similar. Errors are those of the sink in
 * memory, sticky: check columns__error() once.
 */
struct column_kind {
	const char *name;
	bool delta;
};

struct column {
	struct sink bytes;
	u64 before;
	u32 rows;
};

struct columns {
	const struct column_kind *kinds; /* borrowed */
	struct column *list;
	u32 len;
};

/* -ENOMEM or 0. Release with columns__done() in either case. */
int columns__init(struct columns *c, const struct column_kind *kinds, u32 len);
void columns__done(struct columns *c);
void columns__put(struct columns *c, u32 column, u64 value);
/* -ENOMEM or 0; no value may be added afterwards. */
int columns__error(struct columns *c);

#endif
