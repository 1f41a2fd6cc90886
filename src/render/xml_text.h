/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_XML_TEXT_H
#define RENDER_XML_TEXT_H

#include "base/sink.h"

/*
 * Writes at most `max` characters of any bytes, then "..", as text of an element or an attribute of
 * XML or HTML: none of it can be taken for markup. Errors of writing are the sink's.
 */
void xml_text_put(struct sink *out, const char *text, size_t max);

#endif
