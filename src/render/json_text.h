/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_TEXT_H
#define RENDER_JSON_TEXT_H

#include "base/sink.h"

/*
 * Writes a string of JSON, quotes included, from any bytes: those that are not UTF-8 become U+FFFD.
 * Allocates nothing; errors of writing are the sink's.
 */
void json_text_put(struct sink *out, const char *s);

#endif
