/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in the child process. The full name of a type is in the namespaces around its entry, and
 * libdw does not lead from an entry to these; so one walk remembers where each struct is. What is
 * inside structs and functions is not looked at.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "elf/future/future_priv.h"

/* Deeper than any program goes. */
#define NESTING_MAX 64
/* In both manglings. */
#define POLL "7runtime4task3raw4poll"
#define VTABLE "::{vtable}"
#define FUTURE " as core::future::future::Future"

struct walk {
	struct future_index *x;
	const struct future_job *job;
	int r;
};

static u64 hash_with(u64 scope, const char *name)
{
	return hash_u64(scope * 31 + hash_bytes(name, strlen(name)));
}

static u64 hash_at(const struct future_index *x, u32 scope)
{
	return ((const struct future_scope *)vec__at(&x->scopes, scope))->hash;
}

static u32 add_scope(struct walk *w, u32 parent, const char *name)
{
	u64 hash = hash_with(hash_at(w->x, parent), name);
	struct future_scope *s = vec__push(&w->x->scopes);

	if (!s) {
		w->r = -ENOMEM;
		return 0;
	}
	*s = (struct future_scope){ .parent = parent, .name = name, .hash = hash };
	return (u32)w->x->scopes.len - 1;
}

static bool is_declared(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_declaration);
}

/* Of equal names, the definitions must be of the same size, or none is taken. */
static void take_struct(struct walk *w, Dwarf_Die *die, u32 scope)
{
	const char *name = dwarf_diename(die);
	Dwarf_Off off = dwarf_dieoffset(die);
	u64 hash, known;
	Dwarf_Die other;

	if (!name)
		return;
	w->r = map64__set(&w->x->scope_of, off, scope);
	if (w->r || is_declared(die))
		return;
	hash = hash_with(hash_at(w->x, scope), name);
	if (!map64__get(&w->x->by_name, hash, &known))
		w->r = map64__set(&w->x->by_name, hash, off);
	else if (known && (!dwarf_offdie(dwarf_cu_getdwarf(die->cu), known, &other) ||
			   dwarf_bytesize(&other) != dwarf_bytesize(die)))
		w->r = map64__set(&w->x->by_name, hash, 0);
}

static const char *linkage_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ?
				   dwarf_formstring(&attr) :
				   NULL;

	return name ? name : "";
}

static void find(struct walk *w, struct vec *to, u64 vaddr, Dwarf_Die *die)
{
	struct future_found *f = vec__push(to);

	if (f)
		*f = (struct future_found){ vaddr, dwarf_dieoffset(die) };
	else
		w->r = -ENOMEM;
}

static void take_function(struct walk *w, Dwarf_Die *die)
{
	Dwarf_Addr at;

	if (dwarf_lowpc(die, &at) || !strstr(linkage_name(die), POLL))
		return;
	at -= w->job->file->bias;
	for (size_t i = 0; i < w->job->len; i++) {
		if (w->job->polls[i] == at)
			return find(w, &w->x->polls, at, die);
	}
}

static void take_variable(struct walk *w, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t len;

	if (!name || *name != '<' || !strstr(name, FUTURE) || !strstr(name, VTABLE) ||
	    !dwarf_attr(die, DW_AT_location, &attr) || dwarf_getlocation(&attr, &op, &len) ||
	    len != 1 || op->atom != DW_OP_addr || !op->number)
		return;
	find(w, &w->x->vtables, op->number - w->job->file->bias, die);
}

static void walk(struct walk *w, Dwarf_Die *parent, u32 scope, u32 depth)
{
	Dwarf_Die die;
	int r = dwarf_child(parent, &die);

	for (; r == 0 && !w->r; r = dwarf_siblingof(&die, &die)) {
		const char *name;
		u32 inner;

		switch (dwarf_tag(&die)) {
		case DW_TAG_namespace:
			name = dwarf_diename(&die);
			if (!name || depth >= NESTING_MAX)
				break;
			inner = add_scope(w, scope, name);
			walk(w, &die, inner, depth + 1);
			break;
		case DW_TAG_structure_type:
			take_struct(w, &die, scope);
			break;
		case DW_TAG_subprogram:
			take_function(w, &die);
			break;
		case DW_TAG_variable:
			take_variable(w, &die);
			break;
		default:
			break;
		}
	}
}

int future_index__read(struct future_index *x, Dwarf *dwarf, const struct future_job *job)
{
	struct walk w = { .x = x, .job = job };
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;

	vec__init(&x->scopes, sizeof(struct future_scope));
	map64__init(&x->scope_of);
	map64__init(&x->by_name);
	vec__init(&x->polls, sizeof(struct future_found));
	vec__init(&x->vtables, sizeof(struct future_found));
	if (!vec__push(&x->scopes))
		return -ENOMEM;
	while (!w.r && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
		if (dwarf_tag(&die) != DW_TAG_invalid && dwarf_srclang(&die) == DW_LANG_Rust)
			walk(&w, &die, 0, 0);
	}
	return w.r;
}

/* `scope` is "tokio::runtime": hashed as the walk did, name by name. */
Dwarf_Off future_index__find(const struct future_index *x, const char *scope, const char *name)
{
	char part[FUTURE_NAME_SZ];
	u64 hash = 0, known;

	while (*scope) {
		const char *end = strstr(scope, "::");
		size_t len = end ? (size_t)(end - scope) : strlen(scope);

		snprintf(part, sizeof(part), "%.*s", (int)len, scope);
		hash = hash_with(hash, part);
		scope += len + (end ? 2 : 0);
	}
	return map64__get(&x->by_name, hash_with(hash, name), &known) ? known : 0;
}

bool future_index__define(const struct future_index *x, Dwarf *dwarf, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	u64 scope, known;

	if (!is_declared(die))
		return true;
	return name && map64__get(&x->scope_of, dwarf_dieoffset(die), &scope) &&
	       map64__get(&x->by_name, hash_with(hash_at(x, (u32)scope), name), &known) && known &&
	       dwarf_offdie(dwarf, known, die);
}

void future_index__path(const struct future_index *x, Dwarf_Die *die, char ret[FUTURE_NAME_SZ])
{
	const char *names[NESTING_MAX + 1], *name = dwarf_diename(die);
	size_t n = 0, len = 0;
	u64 at;

	if (map64__get(&x->scope_of, dwarf_dieoffset(die), &at)) {
		for (; at && n < NESTING_MAX; n++) {
			const struct future_scope *s = vec__at(&x->scopes, at);

			names[n] = s->name;
			at = s->parent;
		}
	}
	*ret = '\0';
	while (n-- > 0 && len < FUTURE_NAME_SZ)
		len += (size_t)snprintf(ret + len, FUTURE_NAME_SZ - len, "%s::", names[n]);
	if (len < FUTURE_NAME_SZ)
		snprintf(ret + len, FUTURE_NAME_SZ - len, "%s", name ? name : "");
}
