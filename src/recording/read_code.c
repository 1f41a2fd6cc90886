/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of a window may need the blocks of windows before it, up to the last one that is
 * complete by itself. Each of them has the checksum of the one before, so what is put together is
 * what the writer had, or nothing. Windows are usually read one after the other: the tables are
 * kept.
 */
#include <errno.h>

#include "base/mem.h"
#include "recording/reader_priv.h"

/* More than a writer makes; limits a search in a damaged file. */
#define CHAIN_MAX 4096

void read_chain__done(struct read_chain *c)
{
	if (c->root)
		code_tables__done(&c->tables);
	*c = (struct read_chain){ .bad_root = c->bad_root, .bad = c->bad };
}

void recording__forget_code(struct recording *rec)
{
	read_chain__done(&rec->chain);
}

static int begin(struct read_chain *c, u32 root)
{
	read_chain__done(c);
	c->root = root;
	return code_tables__init(&c->tables);
}

/* Adds the block that follows, or the first one. */
static int add(struct read_chain *c, u32 window, struct view sections, u32 crc)
{
	struct code_base base;
	int r = code_base_read(sections, &base);

	if (r < 0)
		return r;
	if (r != (window != c->root) ||
	    (r && (base.root != c->root || base.crc != c->crc || window != c->last + 1)))
		return -EBADMSG;
	r = code_tables__add(&c->tables, sections);
	c->last = window;
	c->crc = crc;
	return r;
}

static int load_and_add(struct recording *rec, u32 window)
{
	const struct block b = { .kind = BLOCK_CODE, .window = window };
	size_t stored_sz, sz;
	u8 *stored, *data = NULL;
	int r = database__block(&rec->d, window, BLOCK_CODE, &stored, &sz);

	stored_sz = r > 0 ? sz : 0;
	if (r > 0)
		r = block_peek(view__of(stored, stored_sz), &b);
	else if (r != -ENOMEM)
		r = -EBADMSG;
	if (!r)
		r = block_open(view__of(stored, stored_sz), &data, &sz);
	if (!r)
		r = add(&rec->chain, window, view__of(data, sz),
			block_seal_of(view__of(stored, stored_sz)).crc);
	mem_free(stored);
	mem_free(data);
	return r;
}

static int add_up_to(struct recording *rec, u32 window, struct view sections, u32 crc)
{
	struct read_chain *c = &rec->chain;
	u32 next = c->last ? c->last + 1 : c->root;
	int r = 0;

	for (; next < window && !r; next++)
		r = load_and_add(rec, next);
	return r ? r : add(c, window, sections, crc);
}

int recording__code(struct recording *rec, u32 window, struct view sections, u32 crc,
		    const struct code_tables **ret)
{
	struct read_chain *c = &rec->chain;
	struct code_base base;
	int r = code_base_read(sections, &base);
	u32 bad;

	*ret = NULL;
	if (r <= 0)
		return r;
	if (!base.root || base.root >= window || window - base.root > CHAIN_MAX)
		return -EBADMSG;
	/* what is behind a damaged block need not be read to know that */
	if (c->bad_root == base.root && window >= c->bad)
		return -EBADMSG;
	r = c->root == base.root ? 0 : begin(c, base.root);
	if (!r && c->last < window)
		r = add_up_to(rec, window, sections, crc);
	if (!r) {
		*ret = &c->tables;
		return 0;
	}
	bad = c->last ? c->last + 1 : c->root;
	read_chain__done(c);
	if (r == -EBADMSG) {
		c->bad_root = base.root;
		c->bad = bad;
	}
	return r;
}
