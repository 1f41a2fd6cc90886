/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The section is an .xz stream from a file that may be hostile: a few KiB can ask for gigabytes of
 * output or decoder dictionary. Both are limited, far above what real files need (the largest seen
 * in Fedora unpack to some 10 MiB, with a dictionary of 8 MiB).
 */
#include "elf/debugdata.h"

#include <errno.h>
#include <lzma.h>

#include "base/mem.h"
#include "base/vec.h"

#define PACKED_MAX_SZ (64UL << 20)
#define UNPACKED_MAX_SZ (128UL << 20)
#define DECODER_MAX_SZ (128UL << 20)
#define CHUNK_SZ (256UL << 10)

static int unpack_all(lzma_stream *stream, struct vec *out)
{
	lzma_ret status = LZMA_OK;

	while (status == LZMA_OK) {
		u8 *chunk;

		if (out->len >= UNPACKED_MAX_SZ)
			return -EINVAL;
		chunk = vec__push_n(out, CHUNK_SZ);
		if (!chunk)
			return -ENOMEM;
		stream->next_out = chunk;
		stream->avail_out = CHUNK_SZ;
		status = lzma_code(stream, LZMA_FINISH);
		out->len -= stream->avail_out;
	}
	if (status == LZMA_MEM_ERROR)
		return -ENOMEM;
	return status == LZMA_STREAM_END ? 0 : -EINVAL;
}

static int unpack(struct view packed, struct vec *out)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	int r;

	if (lzma_stream_decoder(&stream, DECODER_MAX_SZ, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = packed.p;
	stream.avail_in = view__left(&packed);
	r = unpack_all(&stream, out);
	lzma_end(&stream);
	return r;
}

int debugdata_open(const struct image *img, void **ret_data, struct image **ret, struct err *err)
{
	struct view packed;
	struct vec out;
	size_t sz;
	void *data;
	int r;

	if (!image__section(img, ".gnu_debugdata", PACKED_MAX_SZ, &packed))
		return err__set(err, -ENOENT, "there is no .gnu_debugdata");
	vec__init(&out, 1);
	r = unpack(packed, &out);
	if (r) {
		vec__done(&out);
		return r == -ENOMEM ? err__nomem(err) :
				      err__set(err, r, ".gnu_debugdata cannot be unpacked");
	}
	data = vec__steal(&out, &sz);
	r = image__open_mem(data, sz, ".gnu_debugdata", ret, err);
	if (r)
		mem_free(data);
	else
		*ret_data = data;
	return r;
}
