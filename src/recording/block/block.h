/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RECORDING_BLOCK_BLOCK_H
#define RECORDING_BLOCK_BLOCK_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "base/view.h"

/*
 * A block in the file: 28 bytes, then the sections, compressed or not. Little endian.
 *
 *	 0	"CSB1"
 *	 4	u8	kind, enum block_kind
 *	 5	u8	enum block_codec
 *	 6	u16	0
 *	 8	u32	its window
 *	12	u32	0
 *	16	u32	size of the sections
 *	20	u32	size of what follows the header
 *	24	u32	CRC-32C of bytes 0 to 23 and of what follows the header
 *
 * In a block of another version, "CSB2", the checksum is at 24 too.
 */
#define BLOCK_HEAD_SZ 28
/* Limit for the sections of a block; writers refuse larger ones too. */
#define BLOCK_MAX_SZ (1U << 30)

/* Append only. */
enum block_kind {
	BLOCK_HEAD = 0, /* of the window: when, where, losses, checksums of the other blocks */
	BLOCK_TASKS = 1,
	BLOCK_CODE = 2, /* modules, frames, stacks */
	BLOCK_WAITS = 3,
	BLOCK_KIND_CNT,
};

/* Append only. */
enum block_codec {
	BLOCK_PLAIN = 0,
	BLOCK_ZSTD = 1, /* a zstd frame, with its own checksum and size */
};

/* "head" */
const char *block_kind_name(enum block_kind kind);

struct block {
	enum block_kind kind;
	u32 window;
	bool is_kept; /* for weeks: compressed harder. Only block_seal() reads it */
};

/*
 * Appends the block to `out` (a vec of u8), which must not contain the sections. -ENOMEM, or -EFBIG
 * for sections that are too large.
 */
int block_seal(const struct block *b, struct view sections, struct vec *out);

/* What the header stores to verify a block or table. */
struct seal {
	u32 rows; /* of a table; of a block: its size as it is stored */
	u32 crc;
	bool is_set;
};
struct seal block_seal_of(struct view stored);

/*
 * Whether this is a complete block of that kind and window. -EBADMSG if not, -EOPNOTSUPP if it is
 * from a newer version.
 */
int block_peek(struct view stored, const struct block *b);
/*
 * The sections of a block that block_peek() accepted; the caller frees *ret_data. -EBADMSG or
 * -ENOMEM.
 */
int block_open(struct view stored, u8 **ret_data, size_t *ret_sz);

#endif
