/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_JSON_TEXT_H
#define RENDER_ENCODE_JSON_TEXT_H

#include "base/sink.h"

/*
 * Writes a JSON string, including quotes, from any bytes: those that are not UTF-8 become U+FFFD.
 * Allocates nothing; write errors are the sink's.
 */
void json_text_put(struct sink *out, const char *s);

#endif
