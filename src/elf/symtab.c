/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which tables are read, in which order, and what results. One table with local functions is
 * enough, and the file's own is the nearest; a separate debug file may have to be searched for, and
 * .gnu_debugdata must be unpacked. .dynsym costs next to nothing and is always read: it has the
 * names that stripping must keep, and .gnu_debugdata lacks exactly those.
 *
 * libdwfl could do all this, but maps untrusted files into our memory, unpacks without a limit, and
 * looks symbols up one by one through the whole table.
 */
#include "elf/symtab.h"

#include <errno.h>

#include "base/mem.h"
#include "elf/debugdata.h"
#include "elf/debugfile.h"
#include "elf/symtab_priv.h"

struct symtab {
	struct spans spans;
	enum symtab_source source;
};

void symtab__free(struct symtab *st)
{
	if (!st)
		return;
	spans__done(&st->spans);
	mem_free(st);
}

static int add_debug_file(struct collection *c, const struct symtab_options *opt)
{
	struct image *debug;
	int r = debugfile_open(c->img, opt, &debug);

	if (r)
		return r == -ENOENT ? 0 : r;
	r = collection__add(c, debug, TABLE_SYMTAB);
	image__free(debug);
	return r;
}

static int add_debugdata(struct collection *c)
{
	struct image *debug;
	void *data;
	int r = debugdata_open(c->img, &data, &debug, NULL);

	if (r)
		return r == -ENOMEM ? r : 0;
	r = collection__add(c, debug, TABLE_SYMTAB);
	image__free(debug);
	mem_free(data);
	return r;
}

static int collect(struct collection *c, const struct symtab_options *opt,
		   enum symtab_source *ret_source)
{
	bool go = false;
	int r = collection__add(c, c->img, TABLE_SYMTAB);

	*ret_source = SYMTAB_OWN;
	if (!r && !c->complete) {
		*ret_source = SYMTAB_SEPARATE;
		r = add_debug_file(c, opt);
	}
	if (!r && !c->complete) {
		*ret_source = SYMTAB_DEBUGDATA;
		r = add_debugdata(c);
	}
	if (!r && !c->complete)
		r = collection__add_go(c, &go);
	if (!c->complete)
		*ret_source = go ? SYMTAB_GO : SYMTAB_DYNSYM;
	if (!r)
		r = collection__add(c, c->img, TABLE_DYNSYM);
	return r;
}

int symtab__load(const struct image *img, const struct symtab_options *opt, struct symtab **ret,
		 struct err *err)
{
	struct symtab *st = mem_alloc(sizeof(*st));
	struct collection c;
	int r;

	if (!st)
		return err__nomem(err);
	collection__init(&c, img, &st->spans);
	r = spans__init(&st->spans);
	if (!r)
		r = collect(&c, opt, &st->source);
	if (!r && !c.ranges.len)
		st->source = SYMTAB_NONE;
	if (!r)
		r = collection__add_entry(&c);
	if (!r) {
		collection__settle(&c);
		r = spans__build(&st->spans, c.ranges.data, c.ranges.len);
	}
	collection__done(&c);
	if (r) {
		symtab__free(st);
		return err__nomem(err);
	}
	*ret = st;
	return 0;
}

bool symtab__find(const struct symtab *st, u64 vaddr, const char **ret_name, u64 *ret_start)
{
	return spans__find(&st->spans, vaddr, ret_name, ret_start);
}

enum symtab_source symtab__source(const struct symtab *st)
{
	return st->source;
}

size_t symtab__len(const struct symtab *st)
{
	return spans__len(&st->spans);
}
