/* SPDX-License-Identifier: Apache-2.0 */
/* A page builds its trees from texts, and the diff from names and modules. */
#include "render/diff/diff_names.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analysis/model/tree.h"
#include "base/mem.h"

struct known_name {
	u32 name;
	u32 kind;
	u32 times; /* not part of the key */
};

static int note(struct diff_names *n, const struct diff_frame *f)
{
	struct known_name k = { .kind = f->kind };
	u32 id;
	int r = strtab__add(&n->names, f->name, &k.name);

	if (!r)
		r = intern__add(&n->known, &k, &id);
	if (!r)
		((struct known_name *)intern__at(&n->known, id))->times++;
	return r;
}

int diff_names__init(struct diff_names *n, const struct diff *d)
{
	u32 i;
	int r;

	memset(n, 0, sizeof(*n));
	r = strtab__init(&n->names);
	if (!r)
		r = intern__init(&n->known, sizeof(struct known_name),
				 offsetof(struct known_name, times));
	for (i = 0; i < d->frames_len && !r; i++)
		r = note(n, &d->frames[i]);
	return r;
}

void diff_names__done(struct diff_names *n)
{
	strtab__done(&n->names);
	intern__done(&n->known);
}

const char *diff_names__text(struct diff_names *n, const struct diff_frame *f, char *buf, size_t sz)
{
	struct known_name k = { .kind = f->kind };
	u32 id = 0;

	/* a name that is not among them has only idle time, and is unique */
	if (strtab__add(&n->names, f->name, &k.name))
		n->error = -ENOMEM;
	else
		id = intern__find(&n->known, &k);
	if (id && ((const struct known_name *)intern__at(&n->known, id))->times > 1)
		snprintf(buf, sz, "%s [%s]", f->name, *f->module ? f->module : "unknown");
	else
		snprintf(buf, sz, "%s", f->name);
	return buf;
}

int diff_names__labels(struct diff_names *n, const struct profile *p, struct labels *l)
{
	char name[SYMBOL_KEY_SZ], module[256], text[DIFF_NAME_SZ];
	u32 i;
	int r;

	memset(l, 0, sizeof(*l));
	r = strtab__init(&l->names);
	l->of_frame = mem_array(p->frames_len, sizeof(*l->of_frame));
	l->frames_len = p->frames_len;
	if (!l->of_frame)
		r = -ENOMEM;
	for (i = 1; i < p->frames_len && !r; i++) {
		const struct diff_frame f = { .name = name,
					      .module = module,
					      .kind = tree_kind_of_frame(p, i) };

		symbol_key_name(p, i, name, sizeof(name));
		symbol_key_module(p, i, module, sizeof(module));
		r = strtab__add(&l->names, diff_names__text(n, &f, text, sizeof(text)),
				&l->of_frame[i]);
	}
	return r ? r : n->error;
}
