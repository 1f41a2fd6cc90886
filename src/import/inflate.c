/* SPDX-License-Identifier: Apache-2.0 */
#include "import/input.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define CHUNK_SZ 262144
/* inflateInit2(): either header is recognized */
#define ZLIB_OR_GZIP 32

static bool is_gzip(const struct view *head)
{
	return view__left(head) > 2 && head->p[0] == 0x1f && head->p[1] == 0x8b;
}

/* One chunk; Z_OK, Z_STREAM_END, or an error of zlib. */
static int inflate_some(z_stream *z, struct vec *out)
{
	u8 *tail = vec__push_n(out, CHUNK_SZ);
	int r;

	if (!tail)
		return Z_MEM_ERROR;
	z->next_out = tail;
	z->avail_out = CHUNK_SZ;
	r = inflate(z, Z_NO_FLUSH);
	out->len -= z->avail_out;
	/* members may follow one another */
	if (r == Z_STREAM_END && z->avail_in)
		return inflateReset(z);
	if (r == Z_OK && z->avail_out && !z->avail_in)
		return Z_BUF_ERROR;
	return r;
}

int input__inflate(const struct input *in, struct view packed, const char *what, u64 offset,
		   struct vec *out, struct err *err)
{
	/* zlib's pointer is not const, but it does not write there */
	union {
		const u8 *is;
		u8 *as;
	} from = { .is = packed.p };
	z_stream z = { .next_in = from.as, .avail_in = (uInt)view__left(&packed) };
	int r = inflateInit2(&z, ZLIB_OR_GZIP + MAX_WBITS);

	while (r == Z_OK && out->len <= INPUT_WHOLE_MAX)
		r = inflate_some(&z, out);
	inflateEnd(&z);
	if (r == Z_MEM_ERROR)
		return err__nomem(err);
	if (out->len > INPUT_WHOLE_MAX)
		return err__set(err, -EFBIG, "'%s' unpacks to more than %zu MiB", in->name,
				INPUT_WHOLE_MAX >> 20);
	if (r == Z_BUF_ERROR)
		return input__fault_at(in, offset + view__left(&packed), err, "the %s is cut short",
				       what);
	if (r != Z_STREAM_END)
		return input__fault_at(in, offset + view__left(&packed) - z.avail_in, err,
				       "the %s is damaged", what);
	return 0;
}

int input__unpack(struct input *in, struct err *err)
{
	struct view packed;
	struct vec out;
	int r = input__peek(in, 4, &packed, err);

	if (r || !is_gzip(&packed))
		return r;
	r = input__rest(in, &packed, err);
	if (r)
		return r;
	vec__init(&out, 1);
	r = input__inflate(in, packed, "gzip data", 0, &out, err);
	if (r) {
		vec__done(&out);
		return r;
	}
	vec__done(&in->bytes);
	in->bytes = out;
	in->at = 0;
	in->offset = 0;
	in->end = true;
	return 0;
}
