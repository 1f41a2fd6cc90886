/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's end of the pipe. A type that a record mentions and that never came is the first one,
 * a leaf without a name, so what follows a table needs no checks.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "elf/future/future_priv.h"

void future_table__init(struct future_table *t)
{
	vec__init(&t->types, sizeof(struct future_type));
	vec__init(&t->cases, sizeof(struct future_case));
	vec__init(&t->roots, sizeof(struct future_root));
	map64__init(&t->vtables);
	arena__init(&t->strings);
}

void future_table__done(struct future_table *t)
{
	if (!t || !t->types.elem_sz)
		return;
	vec__done(&t->types);
	vec__done(&t->cases);
	vec__done(&t->roots);
	map64__done(&t->vtables);
	arena__done(&t->strings);
	*t = (struct future_table){ 0 };
}

static int take_case(struct future_table *t, struct view *v)
{
	struct future_case *c = vec__push(&t->cases);
	const char *file;
	u32 flags;

	if (!c)
		return -ENOMEM;
	c->value = view__u64(v);
	flags = view__u32(v);
	c->rest = flags & FUTURE_CASE_REST;
	c->suspended = flags & FUTURE_CASE_SUSPENDED;
	c->line = view__u32(v);
	c->at = view__u32(v);
	c->next = view__u32(v);
	file = view__cstr(v);
	if (v->bad || c->at > FUTURE_SZ_MAX)
		return -EINVAL;
	/* most cases of a type are in one file */
	if (t->cases.len > 1 && strcmp(c[-1].file, file) == 0)
		c->file = c[-1].file;
	else
		c->file = arena__strdup(&t->strings, file);
	return c->file ? 0 : -ENOMEM;
}

static bool is_width(u32 width)
{
	return width <= 8 && !(width & (width - 1));
}

static int take_type(struct future_table *t, struct view *v)
{
	struct future_type type = { .kind = view__u32(v) };
	struct future_type *slot;
	const char *name;
	int r = 0;

	type.sz = view__u32(v);
	type.at = view__u32(v);
	type.width = view__u32(v);
	type.len = view__u32(v);
	name = view__cstr(v);
	if (v->bad || type.kind >= FUTURE_KINDS || type.sz > FUTURE_SZ_MAX ||
	    type.at > FUTURE_SZ_MAX || !is_width(type.width) || type.len > FUTURE_CASES_MAX ||
	    t->types.len > FUTURE_TYPES_MAX)
		return -EINVAL;
	type.first = (u32)t->cases.len;
	type.name = arena__strdup(&t->strings, name);
	slot = vec__push(&t->types);
	if (!slot || !type.name)
		return -ENOMEM;
	*slot = type;
	for (u32 i = 0; !r && i < type.len; i++)
		r = take_case(t, v);
	return r;
}

static int take_root(struct future_table *t, struct view *v)
{
	struct future_root *root = vec__push(&t->roots);

	if (!root)
		return -ENOMEM;
	root->poll = view__u64(v);
	root->type = view__u32(v);
	root->at = view__u32(v);
	root->id = view__u32(v);
	root->trailer = view__u32(v);
	return v->bad || root->at > FUTURE_SZ_MAX ? -EINVAL : 0;
}

/* Two types whose vtables are one are not told from each other. */
static int take_vtable(struct future_table *t, struct view *v)
{
	u64 vaddr = view__u64(v), type = view__u32(v), at = view__u32(v), known;
	u64 place = at << 32 | type;

	if (v->bad || at > FUTURE_SZ_MAX)
		return -EINVAL;
	if (map64__get(&t->vtables, vaddr, &known) && known != place)
		place = 0;
	return map64__set(&t->vtables, vaddr, place);
}

static int take(struct future_table *t, struct view *v)
{
	switch (view__u32(v)) {
	case FUTURE_TAG_TYPE:
		return take_type(t, v);
	case FUTURE_TAG_ROOT:
		return take_root(t, v);
	case FUTURE_TAG_VTABLE:
		return take_vtable(t, v);
	default:
		return -EINVAL;
	}
}

static void check(const struct future_table *t, u32 *type)
{
	if (*type >= t->types.len)
		*type = 0;
}

static void check_all(struct future_table *t)
{
	for (size_t i = 0; i < t->cases.len; i++)
		check(t, &((struct future_case *)vec__at(&t->cases, i))->next);
	for (size_t i = 0; i < t->roots.len; i++)
		check(t, &((struct future_root *)vec__at(&t->roots, i))->type);
}

int future_table__parse(struct future_table *t, struct view records)
{
	struct future_type *none = vec__push(&t->types);
	int r = none ? 0 : -ENOMEM;

	if (none)
		none->name = "";
	while (!r && view__left(&records))
		r = take(t, &records);
	if (!r)
		check_all(t);
	return r;
}

u32 future_table__behind(const struct future_table *t, u64 vtable, u32 *ret_at)
{
	u64 place;

	if (!map64__get(&t->vtables, vtable, &place) || (u32)place >= t->types.len)
		return 0;
	*ret_at = (u32)(place >> 32);
	return (u32)place;
}
