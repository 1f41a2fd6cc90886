/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of one window to its profile. A window without its threads is lost; without its code
 * or its waits it is less, and says so. What passes its checksum and cannot be read all the same is
 * of a newer version: there nothing is left out, as numbers would be wrong without a sign of it.
 */
#include <errno.h>

#include "base/mem.h"
#include "recording/reader.h"
#include "recording/reader_priv.h"

/* The sections of a block. `seal`: NULL for a base. */
static int load(struct recording *rec, u32 window, enum block_kind kind, const struct seal *seal,
		u8 **ret_data, size_t *ret_sz);

/* Keeps the last one, as the windows behind it have it in common. */
static int load_base(struct recording *rec, u32 window, struct view *ret)
{
	int r;

	*ret = view__of(NULL, 0);
	if (!window)
		return 0;
	if (rec->base != window) {
		mem_free(rec->base_code);
		rec->base_code = NULL;
		rec->base = 0;
		r = load(rec, window, BLOCK_CODE, NULL, &rec->base_code, &rec->base_code_sz);
		if (r)
			return r;
		rec->base = window;
	}
	*ret = view__of(rec->base_code, rec->base_code_sz);
	return 0;
}

static int open_stored(struct recording *rec, struct view stored, const struct block *b,
		       bool may_have_base, u8 **ret_data, size_t *ret_sz)
{
	struct view prefix;
	int r;

	if (b->base && (!may_have_base || b->kind != BLOCK_CODE))
		return -EBADMSG;
	r = load_base(rec, b->base, &prefix);
	return r ? r : block_open(stored, prefix, ret_data, ret_sz);
}

static int load(struct recording *rec, u32 window, enum block_kind kind, const struct seal *seal,
		u8 **ret_data, size_t *ret_sz)
{
	struct seal seen;
	struct block b;
	size_t sz;
	u8 *stored;
	int r = database__block(&rec->d, window, kind, &stored, &sz);

	*ret_data = NULL;
	if (r > 0) {
		seen = block_seal_of(view__of(stored, sz));
		r = block_peek(view__of(stored, sz), kind, window, &b);
		if (!r && seal && (seen.crc != seal->crc || seen.rows != seal->rows))
			r = -EBADMSG;
		if (!r)
			r = open_stored(rec, view__of(stored, sz), &b, seal, ret_data, ret_sz);
	} else if (!r || r != -ENOMEM) {
		r = -EBADMSG;
	}
	mem_free(stored);
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
		r = load(rec, window, kind, &head->blocks[kind], &data[kind], &sz);
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

static int explain(int r, const char *path, u32 window, const struct window_head *head,
		   struct err *err)
{
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r == -EOPNOTSUPP)
		return err__set(err, r,
				"'%s': window %u was recorded by coldspot %s, and only so new a "
				"version can read it",
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
