/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zlib at its fastest level: names repeat so much that slower ones gain little. Its memory comes
 * from mem.h, so that tests can make it fail.
 */
#include "render/encode/gzip.h"

#include <errno.h>

#include "base/mem.h"

#define WINDOW_BITS_GZIP (15 + 16)
#define MEM_LEVEL 8
#define PIECE (1u << 20) /* zlib counts in unsigned int */

static void *alloc(void *arg, unsigned int n, unsigned int sz)
{
	(void)arg;
	return mem_array(n, sz);
}

static void release(void *arg, void *p)
{
	(void)arg;
	mem_free(p);
}

int gzip__init(struct gzip *gz, struct sink *out)
{
	memset(gz, 0, sizeof(*gz));
	gz->out = out;
	gz->stream.zalloc = alloc;
	gz->stream.zfree = release;
	if (deflateInit2(&gz->stream, Z_BEST_SPEED, Z_DEFLATED, WINDOW_BITS_GZIP, MEM_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		gz->error = -ENOMEM;
	gz->open = !gz->error;
	return gz->error;
}

static void compress_piece(struct gzip *gz, int flush)
{
	u8 buf[4096];
	int r;

	do {
		gz->stream.next_out = buf;
		gz->stream.avail_out = sizeof(buf);
		r = deflate(&gz->stream, flush);
		if (r == Z_STREAM_ERROR) {
			gz->error = -EIO;
			return;
		}
		sink__put(gz->out, buf, sizeof(buf) - gz->stream.avail_out);
	} while (!gz->stream.avail_out);
}

void gzip__put(struct gzip *gz, const void *data, size_t sz)
{
	const u8 *from = data;

	while (sz && !gz->error) {
		size_t piece = sz < PIECE ? sz : PIECE;

		gz->stream.next_in = from;
		gz->stream.avail_in = (unsigned int)piece;
		compress_piece(gz, Z_NO_FLUSH);
		from += piece;
		sz -= piece;
	}
}

int gzip__finish(struct gzip *gz)
{
	if (!gz->error)
		compress_piece(gz, Z_FINISH);
	return gz->error;
}

void gzip__done(struct gzip *gz)
{
	if (gz && gz->open)
		deflateEnd(&gz->stream);
	if (gz)
		gz->open = false;
}
