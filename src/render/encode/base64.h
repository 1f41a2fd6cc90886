/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_BASE64_H
#define RENDER_ENCODE_BASE64_H

#include "base/sink.h"

/* RFC 4648, section 4, with padding, on one line. */
void base64_put(struct sink *out, const void *data, size_t sz);

#endif
