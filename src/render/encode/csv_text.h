/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_CSV_TEXT_H
#define RENDER_ENCODE_CSV_TEXT_H

#include "base/sink.h"

/* Writes a field of CSV (RFC 4180), in quotes if it needs them. Write errors are the sink's. */
void csv_text_put(struct sink *out, const char *s);

#endif
