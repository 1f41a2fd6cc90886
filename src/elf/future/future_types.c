/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs in the child process. Types are written as they are found, from those of tasks on: what a
 * type can await gets a number, and its turn. Structs that only hold a future are left out: what
 * they hold lies at their place, or some bytes behind it.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "elf/future/future_priv.h"

/* Structs around a future, one in the other. */
#define HOLDERS_MAX 32
#define TASK "tokio::runtime::task::core"
#define STATE "__state"
/* What a pointer to a `dyn` is called whose type is not known. */
#define DYN "dyn core::future::future::Future"

/* Structs that wait as the future in them does, and the member that it is. */
static const struct {
	const char *path;
	const char *member;
} holders[] = {
	{ "core::pin::Pin<", "pointer" },
	{ "core::pin::Pin<", "__pointer" },
	{ "core::mem::manually_drop::ManuallyDrop<", "value" },
	{ "core::mem::maybe_dangling::MaybeDangling<", "__0" },
	{ "core::cell::UnsafeCell<", "value" },
	{ "core::panic::unwind_safe::AssertUnwindSafe<", "__0" },
	{ "alloc::boxed::Box<", "__0" },
	{ "core::ptr::unique::Unique<", "pointer" },
	{ "core::ptr::non_null::NonNull<", "pointer" },
	{ "tokio::loom::std::unsafe_cell::UnsafeCell<", "__0" },
	{ TASK "::CoreStage<", "stage" },
	{ "tokio::time::timeout::Timeout<", "value" },
	{ "tokio::task::coop::Coop<", "fut" },
	{ "tracing::instrument::Instrumented<", "inner" },
};

struct types {
	const struct future_index *x;
	Dwarf *dwarf;
	struct sink *out;
	struct vec todo; /* Dwarf_Off, by number - 1 */
	struct map64 known; /* entry: number */
	int r;
};

static void put_u32(struct sink *out, u32 n)
{
	const u8 bytes[4] = { (u8)n, (u8)(n >> 8), (u8)(n >> 16), (u8)(n >> 24) };

	sink__put(out, bytes, sizeof(bytes));
}

static void put_u64(struct sink *out, u64 n)
{
	put_u32(out, (u32)n);
	put_u32(out, (u32)(n >> 32));
}

static void put_str(struct sink *out, const char *s)
{
	sink__put(out, s, strlen(s) + 1);
}

static u64 number_of(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_attr_integrate(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value :
											   0;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, ret);
}

static bool find_child(Dwarf_Die *die, int tag, const char *name, Dwarf_Die *ret)
{
	int r = dwarf_child(die, ret);

	for (; r == 0; r = dwarf_siblingof(ret, ret)) {
		const char *own = name ? dwarf_diename(ret) : NULL;

		if (dwarf_tag(ret) == tag && (!name || (own && strcmp(own, name) == 0)))
			return true;
	}
	return false;
}

/* Goes to a member, whose offset is added. */
static bool enter(struct types *t, Dwarf_Die *die, const char *name, u64 *at)
{
	Dwarf_Die member;

	if (!find_child(die, DW_TAG_member, name, &member))
		return false;
	*at += number_of(&member, DW_AT_data_member_location);
	return *at <= FUTURE_SZ_MAX && type_of(&member, die) &&
	       future_index__define(t->x, t->dwarf, die);
}

/* One step to what a struct only holds; false: it is more than that. */
static bool open_holder(struct types *t, Dwarf_Die *die, u64 *at)
{
	char path[FUTURE_NAME_SZ];

	if (dwarf_tag(die) != DW_TAG_structure_type)
		return false;
	future_index__path(t->x, die, path);
	for (size_t i = 0; i < ARRAY_LEN(holders); i++) {
		if (strncmp(path, holders[i].path, strlen(holders[i].path)) == 0 &&
		    enter(t, die, holders[i].member, at))
			return true;
	}
	return false;
}

/* The number of a type that lies at *at of another one; moves both to what it holds. */
static u32 number(struct types *t, Dwarf_Die *die, u64 *at)
{
	Dwarf_Off off, *slot;
	u64 known;

	future_index__define(t->x, t->dwarf, die);
	for (u32 i = 0; i < HOLDERS_MAX && open_holder(t, die, at); i++)
		;
	off = dwarf_dieoffset(die);
	if (map64__get(&t->known, off, &known))
		return (u32)known;
	/* the chain ends where there are too many */
	if (t->todo.len >= FUTURE_TYPES_MAX)
		return 0;
	slot = vec__push(&t->todo);
	if (!slot || map64__set(&t->known, off, t->todo.len)) {
		t->r = -ENOMEM;
		return 0;
	}
	*slot = off;
	return (u32)t->todo.len;
}

struct shape {
	enum future_kind kind;
	u32 at, width;
	Dwarf_Die cases; /* DW_TAG_variant_part */
};

static bool is_stage(const struct types *t, Dwarf_Die *die)
{
	char path[FUTURE_NAME_SZ];

	future_index__path(t->x, die, path);
	return strncmp(path, TASK "::Stage<", strlen(TASK "::Stage<")) == 0;
}

/* An enum, which an async function is one of: the states are its variants. */
static void shape_of_enum(struct types *t, Dwarf_Die *die, struct shape *s)
{
	Dwarf_Attribute attr;
	Dwarf_Die discr, type;
	const char *name;
	bool async;

	if (!dwarf_attr(&s->cases, DW_AT_discr, &attr) || !dwarf_formref_die(&attr, &discr))
		return;
	name = dwarf_diename(&discr);
	async = name && strcmp(name, STATE) == 0;
	if (!async && !is_stage(t, die))
		return;
	s->at = (u32)number_of(&discr, DW_AT_data_member_location);
	s->width = type_of(&discr, &type) ? (u32)dwarf_bytesize(&type) : 0;
	if (s->width == 1 || s->width == 2 || s->width == 4 || s->width == 8)
		s->kind = async ? FUTURE_ASYNC : FUTURE_CHOICE;
}

/* A pointer to a `dyn` has two words, the second of which is the vtable. */
static void shape_of(struct types *t, Dwarf_Die *die, struct shape *s)
{
	Dwarf_Die member;

	*s = (struct shape){ .kind = FUTURE_LEAF };
	if (dwarf_tag(die) == DW_TAG_pointer_type) {
		s->kind = FUTURE_POINTER;
	} else if (dwarf_tag(die) != DW_TAG_structure_type) {
		return;
	} else if (find_child(die, DW_TAG_variant_part, NULL, &s->cases)) {
		shape_of_enum(t, die, s);
	} else if (find_child(die, DW_TAG_member, "vtable", &member) &&
		   number_of(&member, DW_AT_data_member_location) == sizeof(u64) &&
		   find_child(die, DW_TAG_member, "pointer", &member)) {
		s->kind = FUTURE_DYN;
	}
}

static u32 count_cases(Dwarf_Die *cases)
{
	Dwarf_Die die;
	int r = dwarf_child(cases, &die);
	u32 n = 0;

	for (; r == 0; r = dwarf_siblingof(&die, &die))
		n += dwarf_tag(&die) == DW_TAG_variant;
	return n < FUTURE_CASES_MAX ? n : FUTURE_CASES_MAX;
}

/* What a case holds: the future that a function awaits there, or that a task runs. */
static u32 held_by(struct types *t, Dwarf_Die *member, enum future_kind kind, u64 *at)
{
	Dwarf_Die die;

	*at = number_of(member, DW_AT_data_member_location);
	if (!type_of(member, &die))
		return 0;
	if (kind == FUTURE_CHOICE) {
		const char *name = dwarf_diename(member);

		return name && strcmp(name, "Running") == 0 && enter(t, &die, "__0", at) ?
			       number(t, &die, at) :
			       0;
	}
	return enter(t, &die, "__awaitee", at) ? number(t, &die, at) : 0;
}

static bool is_suspended(Dwarf_Die *member, enum future_kind kind)
{
	Dwarf_Die type;
	const char *name = kind == FUTURE_ASYNC && type_of(member, &type) ? dwarf_diename(&type) :
									    dwarf_diename(member);

	return name && (strncmp(name, "Suspend", 7) == 0 || strcmp(name, "Running") == 0);
}

struct place {
	u64 value;
	u32 flags;
	int line;
	u64 at;
	u32 next;
	const char *file;
};

static void put_place(struct types *t, const struct place *p)
{
	put_u64(t->out, p->value);
	put_u32(t->out, p->flags);
	put_u32(t->out, (u32)p->line);
	put_u32(t->out, p->next ? (u32)p->at : 0);
	put_u32(t->out, p->next);
	put_str(t->out, p->file ? p->file : "");
}

/* What is at the end of a pointer is its only case. */
static void put_target(struct types *t, Dwarf_Die *pointer)
{
	struct place p = { .flags = FUTURE_CASE_REST };
	Dwarf_Die die;

	if (type_of(pointer, &die))
		p.next = number(t, &die, &p.at);
	put_place(t, &p);
}

static void put_case(struct types *t, Dwarf_Die *variant, enum future_kind kind)
{
	struct place p = { .value = number_of(variant, DW_AT_discr_value) };
	Dwarf_Die member;

	if (!dwarf_hasattr(variant, DW_AT_discr_value))
		p.flags |= FUTURE_CASE_REST;
	if (find_child(variant, DW_TAG_member, NULL, &member)) {
		p.next = held_by(t, &member, kind, &p.at);
		p.file = dwarf_decl_file(&member);
		p.flags |= is_suspended(&member, kind) ? FUTURE_CASE_SUSPENDED : 0;
		if (dwarf_decl_line(&member, &p.line) || p.line < 0)
			p.line = 0;
	}
	put_place(t, &p);
}

static void put_cases(struct types *t, const struct shape *s, u32 left)
{
	Dwarf_Die cases = s->cases, variant;
	int r = dwarf_child(&cases, &variant);

	for (; r == 0 && left; r = dwarf_siblingof(&variant, &variant)) {
		if (dwarf_tag(&variant) != DW_TAG_variant)
			continue;
		put_case(t, &variant, s->kind);
		left--;
	}
}

static void put_type(struct types *t, Dwarf_Die *die)
{
	char path[FUTURE_NAME_SZ], name[FUTURE_NAME_SZ];
	int sz = dwarf_bytesize(die);
	struct shape s;
	u32 cases = 0;

	shape_of(t, die, &s);
	if (s.kind == FUTURE_POINTER)
		cases = 1;
	else if (s.kind == FUTURE_ASYNC || s.kind == FUTURE_CHOICE)
		cases = count_cases(&s.cases);
	future_index__path(t->x, die, path);
	future_readable(s.kind == FUTURE_DYN ? DYN : path, name);
	put_u32(t->out, FUTURE_TAG_TYPE);
	put_u32(t->out, s.kind);
	put_u32(t->out, sz > 0 ? (u32)sz : 0);
	put_u32(t->out, s.at);
	put_u32(t->out, s.width);
	put_u32(t->out, cases);
	put_str(t->out, name);
	if (s.kind == FUTURE_POINTER)
		put_target(t, die);
	else if (cases)
		put_cases(t, &s, cases);
}

/* "poll<T, S>" runs what is in a "Cell<T, S>". */
static void put_root(struct types *t, const struct future_found *f)
{
	char cell[4 * FUTURE_NAME_SZ];
	Dwarf_Die poll, die, core, at_die;
	u64 at = 0, id, trailer = 0;
	const char *name;
	u32 type;

	name = dwarf_offdie(t->dwarf, f->die, &poll) ? dwarf_diename(&poll) : NULL;
	if (!name || strncmp(name, "poll<", 5) != 0 ||
	    snprintf(cell, sizeof(cell), "Cell%s", name + 4) >= (int)sizeof(cell) ||
	    !dwarf_offdie(t->dwarf, future_index__find(t->x, TASK, cell), &die))
		return;
	at_die = die;
	if (!enter(t, &at_die, "trailer", &trailer) || !enter(t, &die, "core", &at))
		return;
	id = at;
	core = die;
	if (!enter(t, &core, "task_id", &id) || !enter(t, &die, "stage", &at))
		return;
	type = number(t, &die, &at);
	put_u32(t->out, FUTURE_TAG_ROOT);
	put_u64(t->out, f->vaddr);
	put_u32(t->out, type);
	put_u32(t->out, (u32)at);
	put_u32(t->out, (u32)id);
	put_u32(t->out, (u32)trailer);
}

static void put_vtable(struct types *t, const struct future_found *f)
{
	Dwarf_Die die, type;
	Dwarf_Attribute attr;
	u64 at = 0;
	u32 behind;

	if (!dwarf_offdie(t->dwarf, f->die, &die) || !type_of(&die, &type) ||
	    !dwarf_attr(&type, DW_AT_containing_type, &attr) || !dwarf_formref_die(&attr, &die))
		return;
	behind = number(t, &die, &at);
	put_u32(t->out, FUTURE_TAG_VTABLE);
	put_u64(t->out, f->vaddr);
	put_u32(t->out, behind);
	put_u32(t->out, (u32)at);
}

int future_types__write(const struct future_index *x, Dwarf *dwarf, struct sink *out)
{
	struct types t = { .x = x, .dwarf = dwarf, .out = out };

	vec__init(&t.todo, sizeof(Dwarf_Off));
	map64__init(&t.known);
	for (size_t i = 0; !t.r && i < x->polls.len; i++)
		put_root(&t, vec__at(&x->polls, i));
	for (size_t i = 0; !t.r && i < x->vtables.len; i++)
		put_vtable(&t, vec__at(&x->vtables, i));
	for (size_t i = 0; !t.r && i < t.todo.len; i++) {
		Dwarf_Die die;

		if (!dwarf_offdie(dwarf, *(Dwarf_Off *)vec__at(&t.todo, i), &die))
			return -EINVAL;
		put_type(&t, &die);
	}
	return t.r;
}
