/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_XML_TEXT_H
#define RENDER_ENCODE_XML_TEXT_H

#include "base/sink.h"

/*
 * Writes at most `max` characters of any bytes, then "..", as text of an element or attribute in
 * XML or HTML: nothing in it can act as markup. Write errors are the sink's.
 */
void xml_text_put(struct sink *out, const char *text, size_t max);

#endif
