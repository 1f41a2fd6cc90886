/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two columns of folded stacks, for flamegraph.pl and other programs that read the output of
 * difffolded.
 */
#include <math.h>

#include "base/mem.h"
#include "render/diff/diff_view.h"
#include "base/text/utf8.h"

/* ';' would begin a frame, and a newline a row. */
static void put_clean(struct sink *out, const char *name)
{
	u32 cp;

	while ((cp = utf8_next(&name))) {
		if (cp == ';')
			cp = ':';
		utf8_put(out, utf8_harmless(cp));
	}
}

/* `path` has room for the deepest. */
static void put_path(const struct diff *d, u32 node, u32 *path, struct sink *out)
{
	u32 len = 0;

	for (; node; node = d->nodes[node].parent)
		path[len++] = node;
	while (len-- > 0) {
		put_clean(out, d->nodes[path[len]].name);
		if (len)
			sink__puts(out, ";");
	}
}

int diff_folded_put(const struct diff_view *v, struct sink *out, struct err *err)
{
	const struct diff *d = v->d;
	double scale = d->units[DIFF_AFTER] / d->units[DIFF_BEFORE];
	u32 *path = mem_array((size_t)d->depth + 1, sizeof(*path)), i;

	if (!path)
		return err__nomem(err);
	for (i = 1; i < d->nodes_len; i++) {
		const struct diff_node *n = &d->nodes[i];
		u64 before = (u64)llround((double)n->self_ns[DIFF_BEFORE] * scale / 1000);
		u64 after = (u64)llround((double)n->self_ns[DIFF_AFTER] / 1000);

		if (!before && !after)
			continue;
		put_path(d, i, path, out);
		sink__printf(out, " %llu %llu\n", before, after);
	}
	mem_free(path);
	return 0;
}
