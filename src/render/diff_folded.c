/* SPDX-License-Identifier: Apache-2.0 */
/* Two columns of folded stacks, for flamegraph.pl and others that draw the output of difffolded. */
#include <math.h>

#include "render/diff_view.h"
#include "render/utf8.h"

#define DEPTH_MAX 1024

/* ';' would begin a frame and a newline a row. */
static void put_clean(struct sink *out, const char *name)
{
	u32 cp;

	while ((cp = utf8_next(&name))) {
		if (cp == ';')
			cp = ':';
		utf8_put(out, utf8_harmless(cp));
	}
}

static void put_path(const struct diff *d, u32 node, struct sink *out)
{
	u32 path[DEPTH_MAX], len = 0;

	for (; node && len < DEPTH_MAX; node = d->nodes[node].parent)
		path[len++] = node;
	while (len-- > 0) {
		put_clean(out, d->nodes[path[len]].name);
		if (len)
			sink__puts(out, ";");
	}
}

void diff_folded_put(const struct diff_view *v, struct sink *out)
{
	const struct diff *d = v->d;
	double scale = d->units[DIFF_AFTER] / d->units[DIFF_BEFORE];
	u32 i;

	for (i = 1; i < d->nodes_len; i++) {
		const struct diff_node *n = &d->nodes[i];
		u64 before = (u64)llround((double)n->self_ns[DIFF_BEFORE] * scale / 1000);
		u64 after = (u64)llround((double)n->self_ns[DIFF_AFTER] / 1000);

		if (!before && !after)
			continue;
		put_path(d, i, out);
		sink__printf(out, " %llu %llu\n", before, after);
	}
}
