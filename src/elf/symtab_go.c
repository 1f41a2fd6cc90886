/* SPDX-License-Identifier: Apache-2.0 */
/* The functions in a Go program's own table, used if there is no symbol table. */
#include <errno.h>
#include <string.h>

#include "elf/gopclntab.h"
#include "elf/symtab_priv.h"

/* Limit for invalid functions; the table of a Go program has hardly any. */
#define BAD_MAX 4096

static int add_func(struct collection *c, const struct gopclntab *gp, size_t idx, u32 *bad)
{
	struct span range = { .rank = SYMTAB_RANK_SIZED }, *copy;
	const char *name;
	int r;

	if (!gopclntab__func(gp, idx, &range.start, &range.end, &name) ||
	    !image__segment_at(c->img, range.start)) {
		++*bad;
		return 0;
	}
	range.name_len = (u32)strlen(name);
	r = spans__name(c->names, name, range.name_len, &range.name);
	if (r)
		return r;
	copy = vec__push(&c->ranges);
	if (!copy)
		return -ENOMEM;
	*copy = range;
	return 0;
}

int collection__add_go(struct collection *c, bool *ret_any)
{
	struct gopclntab *gp = NULL;
	size_t i, len;
	u32 bad = 0;
	int r = gopclntab__open(c->img, &gp, NULL);

	*ret_any = false;
	if (r)
		return r == -ENOMEM ? r : 0;
	len = gopclntab__len(gp);
	for (i = 0; i < len && !r && bad < BAD_MAX; i++)
		r = add_func(c, gp, i, &bad);
	*ret_any = len;
	gopclntab__free(gp);
	return r == -E2BIG ? 0 : r;
}
