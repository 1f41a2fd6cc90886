/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The head of a window is small and must be as robust as possible, so it is not compressed. The
 * rest is zstd. What windows share is the business of their sections (code_chain.h): compressing
 * one block against another saves less, and would have to be undone to read any of it.
 */
#include "recording/block/block.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "base/mem.h"
#include "recording/block/crc32c.h"

#define LEVEL 3
/*
 * Of a store: a tenth smaller than at level 3, for some 20 ms of CPU time a window. Levels above
 * take twice the time for nothing.
 */
#define LEVEL_KEPT 15
#define CRC_AT 24

static void put_u32(u8 *p, u32 value)
{
	p[0] = (u8)value;
	p[1] = (u8)(value >> 8);
	p[2] = (u8)(value >> 16);
	p[3] = (u8)(value >> 24);
}

static u32 checksum(const u8 *stored, size_t sz)
{
	return crc32c(crc32c(0, stored, CRC_AT), stored + BLOCK_HEAD_SZ, sz - BLOCK_HEAD_SZ);
}

const char *block_kind_name(enum block_kind kind)
{
	static const char *const names[] = {
		[BLOCK_HEAD] = "head",
		[BLOCK_TASKS] = "tasks",
		[BLOCK_CODE] = "code",
		[BLOCK_WAITS] = "waits",
	};

	return (u32)kind < BLOCK_KIND_CNT ? names[kind] : "unknown";
}

/* -ENOMEM is the only error that compression into enough room can have. */
static int compress(struct view sections, int level, struct vec *out)
{
	size_t sz = view__left(&sections), room = ZSTD_compressBound(sz), at = out->len, n;
	ZSTD_CCtx *ctx = ZSTD_createCCtx();
	u8 *to = vec__push_n(out, room);
	int r = -ENOMEM;

	if (!ctx || !to)
		goto out;
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1);
	n = ZSTD_compress2(ctx, to, room, sections.p, sz);
	if (ZSTD_isError(n))
		goto out;
	out->len = at + n;
	r = 0;
out:
	ZSTD_freeCCtx(ctx);
	return r;
}

static void write_head(u8 *p, const struct block *b, enum block_codec codec, size_t raw_sz,
		       size_t stored_sz)
{
	memcpy(p, "CSB1", 4);
	p[4] = (u8)b->kind;
	p[5] = (u8)codec;
	p[6] = p[7] = 0;
	put_u32(p + 8, b->window);
	put_u32(p + 12, 0);
	put_u32(p + 16, (u32)raw_sz);
	put_u32(p + 20, (u32)(stored_sz - BLOCK_HEAD_SZ));
	put_u32(p + CRC_AT, checksum(p, stored_sz));
}

int block_seal(const struct block *b, struct view sections, struct vec *out)
{
	size_t at = out->len, sz = view__left(&sections);
	enum block_codec codec = b->kind == BLOCK_HEAD ? BLOCK_PLAIN : BLOCK_ZSTD;
	void *to;
	int r = 0;

	if (sz > BLOCK_MAX_SZ)
		return -EFBIG;
	if (!vec__push_n(out, BLOCK_HEAD_SZ))
		return -ENOMEM;
	if (codec == BLOCK_ZSTD) {
		r = compress(sections, b->is_kept ? LEVEL_KEPT : LEVEL, out);
		out->len = r ? at + BLOCK_HEAD_SZ : out->len;
		/* the higher level takes up to 66 MB, which a tight limit does not allow */
		if (r && b->is_kept)
			r = compress(sections, LEVEL, out);
	} else {
		to = vec__push_n(out, sz);
		if (to)
			memcpy(to, sections.p, sz);
		else
			r = -ENOMEM;
	}
	if (!r)
		write_head(vec__at(out, at), b, codec, sz, out->len - at);
	return r;
}

struct head {
	u32 magic; /* as bytes */
	u8 kind;
	u8 codec;
	u16 zero;
	u32 window;
	u32 more;
	u32 raw_sz;
	u32 stored_sz;
	u32 crc;
};

static struct head read_head(struct view *v)
{
	struct head h;

	h.magic = view__u32(v);
	h.kind = view__u8(v);
	h.codec = view__u8(v);
	h.zero = view__u16(v);
	h.window = view__u32(v);
	h.more = view__u32(v);
	h.raw_sz = view__u32(v);
	h.stored_sz = view__u32(v);
	h.crc = view__u32(v);
	return h;
}

struct seal block_seal_of(struct view stored)
{
	struct view v = stored;

	return (struct seal){ .rows = (u32)view__left(&stored),
			      .crc = read_head(&v).crc,
			      .is_set = true };
}

int block_peek(struct view stored, const struct block *b)
{
	struct view v = stored;
	struct head h = read_head(&v);

	if (v.bad || checksum(stored.p, view__left(&stored)) != h.crc)
		return -EBADMSG;
	if (memcmp(stored.p, "CSB", 3) != 0 || h.kind != b->kind || h.window != b->window)
		return -EBADMSG;
	if (stored.p[3] != '1' || h.zero || h.more || h.codec > BLOCK_ZSTD)
		return -EOPNOTSUPP;
	return h.stored_sz == view__left(&v) && h.raw_sz <= BLOCK_MAX_SZ ? 0 : -EBADMSG;
}

int block_open(struct view stored, u8 **ret_data, size_t *ret_sz)
{
	struct view v = stored;
	struct head h = read_head(&v);
	u8 *data;

	if (v.bad || h.raw_sz > BLOCK_MAX_SZ || (!h.codec && h.raw_sz != view__left(&v)))
		return -EBADMSG;
	/* one more, because zero bytes are no allocation */
	data = mem_alloc((size_t)h.raw_sz + 1);
	if (!data)
		return -ENOMEM;
	if (h.codec == BLOCK_PLAIN)
		memcpy(data, v.p, h.raw_sz);
	else if (ZSTD_decompress(data, h.raw_sz, v.p, view__left(&v)) != h.raw_sz) {
		mem_free(data);
		return -EBADMSG;
	}
	*ret_data = data;
	*ret_sz = h.raw_sz;
	return 0;
}
