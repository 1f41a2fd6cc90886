/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_WORDS_SHORT_NAME_H
#define RENDER_WORDS_SHORT_NAME_H

#include "base/sink.h"
#include "base/types.h"

/*
 * A function's name in at most `columns`, for columns that demand it. One that fits is whole. A
 * longer one loses its template arguments, "std::map<..>::find"; if it is still too long, its
 * middle: both ends say most. Without control characters.
 */
void short_name_put(struct sink *out, const char *name, u32 columns);

#endif
