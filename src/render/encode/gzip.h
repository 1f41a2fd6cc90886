/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_GZIP_H
#define RENDER_ENCODE_GZIP_H

#define ZLIB_CONST
#include <zlib.h>

#include "base/sink.h"

/*
 * Compresses bytes into a sink, as one gzip member without name and time: the same bytes give the
 * same output. Errors are sticky (-ENOMEM, -EIO); write errors are the sink's.
 */
struct gzip {
	z_stream stream;
	struct sink *out; /* borrowed */
	int error;
	bool open;
};

int gzip__init(struct gzip *gz, struct sink *out);
void gzip__put(struct gzip *gz, const void *data, size_t sz);
/* Writes the end. Returns the first error. */
int gzip__finish(struct gzip *gz);
void gzip__done(struct gzip *gz);

#endif
