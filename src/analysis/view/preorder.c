/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Without recursion, because a stack read from a file may have any depth: the size of each subtree
 * shows where the next sibling begins.
 */
#include "analysis/view/preorder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/*
 * Sorts ids by parent, by counting: most nodes are only children, and need no comparison. `next`
 * first counts, then has the end of each parent's children.
 */
static void sort(struct preorder *o, const struct preorder_of *of)
{
	u32 from = 0, id;

	for (id = 1; id < of->len; id++)
		o->next[of->parent(of->tree, id)]++;
	for (id = 0; id < of->len; id++) {
		u32 cnt = o->next[id];

		o->next[id] = from;
		from += cnt;
	}
	for (id = 1; id < of->len; id++)
		o->sorted[o->next[of->parent(of->tree, id)]++] = id;
	for (id = 0, from = 0; id < of->len; from = o->next[id++]) {
		if (o->next[id] - from > 1)
			qsort_r(o->sorted + from, o->next[id] - from, sizeof(u32), of->compare,
				of->tree);
	}
}

static void measure(struct preorder *o, const struct preorder_of *of)
{
	u32 id;

	for (id = of->len; id-- > 0;) {
		o->size[id]++;
		if (id)
			o->size[of->parent(of->tree, id)] += o->size[id];
	}
}

/* From here on `next` is the place of the next child. */
static void place(struct preorder *o, const struct preorder_of *of)
{
	u32 i;

	o->next[0] = 1;
	for (i = 0; i + 1 < of->len; i++) {
		u32 id = o->sorted[i], parent = of->parent(of->tree, id);

		o->place[id] = o->next[parent];
		o->next[parent] += o->size[id];
		o->next[id] = o->place[id] + 1;
	}
}

int preorder__init(struct preorder *o, const struct preorder_of *of)
{
	u32 *tables = mem_array((size_t)of->len * 4, sizeof(u32));

	memset(o, 0, sizeof(*o));
	if (!tables)
		return -ENOMEM;
	o->sorted = tables;
	o->size = tables + of->len;
	o->place = tables + 2 * (size_t)of->len;
	o->next = tables + 3 * (size_t)of->len;
	sort(o, of);
	measure(o, of);
	place(o, of);
	return 0;
}

void preorder__done(struct preorder *o)
{
	mem_free(o->sorted);
	memset(o, 0, sizeof(*o));
}
