/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the blocks of one window to its profile. A window without its threads is lost; without
 * its code or its waits it is incomplete, and says so. A block that passes its checksum but cannot
 * be decoded is of a newer version. Then nothing is skipped, because numbers would be wrong without
 * any sign of it.
 */
#include <errno.h>

#include "base/mem.h"
#include "recording/reader.h"
#include "recording/reader_priv.h"

/* Loads the sections of a block that the head has sealed. */
static int load(struct recording *rec, const struct block *b, const struct seal *seal,
		u8 **ret_data, size_t *ret_sz)
{
	struct view stored;
	struct seal seen;
	size_t sz;
	u8 *data;
	int r = database__block(&rec->d, b->window, b->kind, &data, &sz);

	*ret_data = NULL;
	if (r > 0) {
		stored = view__of(data, sz);
		seen = block_seal_of(stored);
		r = block_peek(stored, b);
		if (!r && (seen.crc != seal->crc || seen.rows != seal->rows))
			r = -EBADMSG;
		if (!r)
			r = block_open(stored, ret_data, ret_sz);
	} else if (r != -ENOMEM) {
		r = -EBADMSG;
	}
	mem_free(data);
	return r;
}

static const char *what_is_lost(enum block_kind kind)
{
	switch (kind) {
	case BLOCK_TASKS:
		return "it is lost: its threads fail their checksum";
	case BLOCK_CODE:
		return "its stacks are lost: they fail their checksum";
	default:
		return "its waits are lost, totals of threads are not: they fail their checksum";
	}
}

static int load_all(struct recording *rec, u32 window, const struct window_head *head,
		    struct window_sections *in, u8 **data)
{
	enum block_kind kind;
	size_t sz;
	int r;

	for (kind = BLOCK_TASKS; kind < BLOCK_KIND_CNT; kind++) {
		const struct block b = { .kind = kind, .window = window };

		r = load(rec, &b, &head->blocks[kind], &data[kind], &sz);
		if (r == -ENOMEM || r == -EOPNOTSUPP)
			return r;
		if (r)
			recording__tell(rec, "window %u: %s", window, what_is_lost(kind));
		if (r && kind == BLOCK_TASKS)
			return r;
		in->has[kind] = !r;
		in->at[kind] = view__of(data[kind], r ? 0 : sz);
	}
	return 0;
}

/* What the code block needs of those before it. Without them it is lost. */
static int load_chain(struct recording *rec, u32 window, const struct window_head *head,
		      struct window_sections *in)
{
	int r;

	if (!in->has[BLOCK_CODE])
		return 0;
	r = recording__code(rec, window, in->at[BLOCK_CODE], head->blocks[BLOCK_CODE].crc,
			    &in->code);
	if (r != -EBADMSG)
		return r;
	recording__tell(rec,
			"window %u: its stacks are lost: they need those of windows before it, "
			"which fail their checksum",
			window);
	in->has[BLOCK_CODE] = false;
	return 0;
}

static int explain(int r, const char *path, u32 window, const struct window_head *head,
		   struct err *err)
{
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r == -EOPNOTSUPP)
		return err__set(err, r,
				"'%s': window %u was recorded by coldspot %s, which is newer: "
				"update coldspot to read it",
				path, window, head->strings[HEAD_VERSION]);
	return err__set(err, r, "'%s': window %u cannot be read: its threads fail their checksum",
			path, window);
}

int recording__read(struct recording *rec, size_t idx, struct profile **ret, struct err *err)
{
	const struct window_head *head = recording__head(rec, idx);
	u32 window = recording__window(rec, idx)->id;
	struct window_sections in = { 0 };
	u8 *data[BLOCK_KIND_CNT] = { 0 };
	struct err why = { 0 };
	u32 i;
	int r = load_all(rec, window, head, &in, data);

	if (!r)
		r = load_chain(rec, window, head, &in);
	if (r) {
		r = explain(r, rec->path, window, head, err);
	} else {
		r = decode_profile(head, &in, ret, &why);
		if (r == -EOPNOTSUPP)
			err__set(err, r, "'%s': window %u was recorded by coldspot %s: %s",
				 rec->path, window, head->strings[HEAD_VERSION], why.msg);
		else if (r)
			err__set(err, r, "'%s': window %u: %s", rec->path, window, why.msg);
		if (r == -EBADMSG)
			recording__tell(rec, "window %u is lost: %s", window, why.msg);
	}
	for (i = 0; i < BLOCK_KIND_CNT; i++)
		mem_free(data[i]);
	return r;
}
