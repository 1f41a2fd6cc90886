/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of our frames becomes one Firefox frame per category: one without a cause inside stacks, and
 * one for each cause with which a stack ends in it. Functions are identified by name, module and
 * source file.
 *
 * Addresses are omitted: theirs are relative to where a library is loaded, ours are offsets in a
 * file, and everything already has its name. So there are no libraries to look symbols up in
 * either; a module is a "resource", which the viewer shows after a function.
 */
#include "render/json/firefox_code.h"

#include <errno.h>

#include "base/mem.h"

#define NO_STACK "[no stack]"

/* Ids refer to the other tables here, from 1; 0: none. */
struct stack_row {
	u32 parent;
	u32 frame;
};

struct frame_row {
	u32 function;
	u32 line;
	u32 category;
	u32 inlined;
};

struct function_row {
	u32 name; /* string */
	u32 resource;
	u32 source;
};

struct resource_row {
	u32 module; /* of the profile: the key */
	u32 name; /* string */
};

struct source_row {
	u32 file; /* string */
};

int firefox_code__init(struct firefox_code *c, const struct profile *p, const struct labels *labels)
{
	int r;

	memset(c, 0, sizeof(*c));
	c->p = p;
	c->labels = labels;
	vec__init(&c->path, sizeof(u32));
	map64__init(&c->known);
	r = strtab__init(&c->strings);
	if (!r)
		r = intern__init(&c->stacks, sizeof(struct stack_row), sizeof(struct stack_row));
	if (!r)
		r = intern__init(&c->frames, sizeof(struct frame_row), sizeof(struct frame_row));
	if (!r)
		r = intern__init(&c->functions, sizeof(struct function_row),
				 sizeof(struct function_row));
	if (!r)
		r = intern__init(&c->resources, sizeof(struct resource_row),
				 offsetof(struct resource_row, name));
	if (!r)
		r = intern__init(&c->sources, sizeof(struct source_row), sizeof(struct source_row));
	return r;
}

void firefox_code__done(struct firefox_code *c)
{
	if (!c)
		return;
	vec__done(&c->path);
	map64__done(&c->known);
	intern__done(&c->sources);
	intern__done(&c->resources);
	intern__done(&c->functions);
	intern__done(&c->frames);
	intern__done(&c->stacks);
	strtab__done(&c->strings);
	memset(c, 0, sizeof(*c));
}

static int add_resource(struct firefox_code *c, u32 module, u32 *ret_id)
{
	const struct profile_module *m = &c->p->modules[module];
	struct resource_row fresh = { .module = module };
	int r;

	if (!module)
		return 0;
	r = strtab__add(&c->strings, label_basename(profile__str(c->p, m->path)), &fresh.name);
	return r ? r : intern__add(&c->resources, &fresh, ret_id);
}

static int add_source(struct firefox_code *c, u32 file, u32 *ret_id)
{
	struct source_row fresh = { 0 };
	int r;

	if (!file)
		return 0;
	r = strtab__add(&c->strings, profile__str(c->p, file), &fresh.file);
	return r ? r : intern__add(&c->sources, &fresh, ret_id);
}

static u32 category_of(const struct profile *p, const struct profile_frame *f)
{
	if (f->flags & FRAME_KERNEL)
		return FIREFOX_KERNEL;
	if (f->flags & (FRAME_TRUNCATED | FRAME_NOTE))
		return FIREFOX_OTHER;
	return p->modules[f->module].kind == MODULE_CODE ? FIREFOX_INTERPRETED : FIREFOX_USER;
}

static int add_frame(struct firefox_code *c, struct function_row *function, struct frame_row *frame,
		     u32 *ret_row)
{
	int r = intern__add(&c->functions, function, &frame->function);

	return r ? r : intern__add(&c->frames, frame, ret_row);
}

/* Appends a frame to *stack. */
static int push(struct firefox_code *c, u32 *stack, u32 frame)
{
	const struct stack_row row = { .parent = *stack, .frame = frame };

	return intern__add(&c->stacks, &row, stack);
}

/* `cause` is a category, or 0 inside a stack. */
static int add_note(struct firefox_code *c, u32 *stack, const char *note, u32 cause)
{
	struct function_row function = { 0 };
	struct frame_row frame = { .category = cause };
	int r = strtab__add(&c->strings, note, &function.name);
	u32 row;

	if (!r)
		r = add_frame(c, &function, &frame, &row);
	return r ? r : push(c, stack, row);
}

static int make_code(struct firefox_code *c, u32 id, u32 cause, u32 *ret_row)
{
	const struct profile_frame *f = &c->p->frames[id];
	const char *name = f->name ? profile__str(c->p, f->name) : labels__frame(c->labels, id);
	struct function_row function = { 0 };
	struct frame_row frame = {
		.line = f->line,
		.category = cause ? cause : category_of(c->p, f),
		.inlined = (f->flags & FRAME_INLINED) != 0,
	};
	int r = strtab__add(&c->strings, name, &function.name);

	if (!r)
		r = add_resource(c, f->module, &function.resource);
	if (!r)
		r = add_source(c, f->file, &function.source);
	return r ? r : add_frame(c, &function, &frame, ret_row);
}

/* Stacks are many and frames few: each is built once. */
static int add_code(struct firefox_code *c, u32 *stack, u32 id, u32 cause)
{
	u64 key = (u64)cause << 32 | id, known;
	u32 row;
	int r;

	if (map64__get(&c->known, key, &known))
		return push(c, stack, (u32)known);
	r = make_code(c, id, cause, &row);
	if (!r)
		r = map64__set(&c->known, key, row);
	return r ? r : push(c, stack, row);
}

/* The frames of a stack, root first. */
static int add_frames(struct firefox_code *c, u32 *stack, u32 leaf, u32 cause)
{
	u32 at;
	int r = 0;

	vec__reset(&c->path);
	for (at = leaf; at; at = c->p->stacks[at].parent) {
		u32 *slot = vec__push(&c->path);

		if (!slot)
			return -ENOMEM;
		*slot = at;
	}
	while (c->path.len && !r) {
		at = *(u32 *)vec__at(&c->path, --c->path.len);
		r = add_code(c, stack, c->p->stacks[at].frame, c->path.len ? 0 : cause);
	}
	return r;
}

int firefox_code__stack(struct firefox_code *c, const struct wait_stacks *s, u32 category,
			u32 *ret_index)
{
	u32 stack = 0;
	u32 user_category = s->kernel || s->kernel_missed ? 0 : category;
	int r = 0;

	if (s->lost)
		r = add_note(c, &stack, s->lost, category);
	if (!r && s->user_missed)
		r = add_note(c, &stack, NOTE_MISSED_USER, user_category);
	if (!r && s->user)
		r = add_frames(c, &stack, s->user, user_category);
	if (!r && s->kernel_missed)
		r = add_note(c, &stack, NOTE_MISSED_KERNEL, category);
	if (!r && s->kernel && c->p->stacks[s->kernel].flags & STACK_CUT)
		r = add_note(c, &stack, NOTE_CUT, 0);
	if (!r && s->kernel)
		r = add_frames(c, &stack, s->kernel, category);
	if (!r && !stack)
		r = add_note(c, &stack, NO_STACK, category);
	*ret_index = stack - 1;
	return r;
}

int firefox_code__string(struct firefox_code *c, const char *text, u32 *ret_index)
{
	return strtab__add(&c->strings, text, ret_index);
}

/* One column of a table: its value in each row. */
typedef s64 (*cell_fn)(const struct firefox_code *c, u32 row);

#define CELL(table, type, field)                                                                   \
	static s64 table##_##field(const struct firefox_code *c, u32 row)                          \
	{                                                                                          \
		const struct type *t = intern__at(&c->table, row);                                 \
		return t->field;                                                                   \
	}
CELL(stacks, stack_row, frame)
CELL(frames, frame_row, function)
CELL(frames, frame_row, category)
CELL(frames, frame_row, inlined)
CELL(frames, frame_row, line)
CELL(functions, function_row, name)
CELL(functions, function_row, resource)
CELL(functions, function_row, source)
CELL(resources, resource_row, name)
CELL(sources, source_row, file)
#undef CELL

static s64 stack_offset(const struct firefox_code *c, u32 row)
{
	const struct stack_row *s = intern__at(&c->stacks, row);

	return s->parent ? row - s->parent : 0;
}

static void open_table(struct json *to, const char *name)
{
	json__line(to);
	json__object(to, name);
}

static void end_table(struct json *to, const struct intern *table)
{
	json__u64(to, "length", intern__len(table) - 1);
	json__end_object(to);
}

static void put_column(const struct firefox_code *c, struct json *to, const struct intern *table,
		       const char *name, cell_fn cell, s64 less)
{
	u32 i;

	json__array(to, name);
	for (i = 1; i < intern__len(table); i++)
		json__s64(to, NULL, cell(c, i) - less);
	json__end_array(to);
}

/* As put_column(), with null for 0. */
static void put_nullable(const struct firefox_code *c, struct json *to, const struct intern *table,
			 const char *name, cell_fn cell, s64 less)
{
	u32 i;

	json__array(to, name);
	for (i = 1; i < intern__len(table); i++) {
		s64 value = cell(c, i);

		if (value)
			json__s64(to, NULL, value - less);
		else
			json__null(to, NULL);
	}
	json__end_array(to);
}

/* A column with the same value in every row. */
static void put_constant(struct json *to, const struct intern *table, const char *name,
			 const char *value)
{
	size_t sz = strlen(value);
	u32 i;

	json__array(to, name);
	for (i = 1; i < intern__len(table); i++)
		json__pieces(to, value, sz);
	json__end_array(to);
}

static void put_stack_table(const struct firefox_code *c, struct json *to)
{
	const struct intern *t = &c->stacks;

	open_table(to, "stackTable");
	put_column(c, to, t, "frame", stacks_frame, 1);
	put_column(c, to, t, "prefixOffset", stack_offset, 0);
	end_table(to, t);
}

static void put_frame_table(const struct firefox_code *c, struct json *to)
{
	const struct intern *t = &c->frames;

	open_table(to, "frameTable");
	put_column(c, to, t, "func", frames_function, 1);
	put_column(c, to, t, "category", frames_category, 0);
	put_column(c, to, t, "inlineDepth", frames_inlined, 0);
	put_nullable(c, to, t, "line", frames_line, 0);
	put_constant(to, t, "address", "-1");
	put_constant(to, t, "subcategory", "0");
	put_constant(to, t, "nativeSymbol", "null");
	put_constant(to, t, "innerWindowID", "0");
	put_constant(to, t, "column", "null");
	put_constant(to, t, "originalLocation", "null");
	end_table(to, t);
}

static void put_function_table(const struct firefox_code *c, struct json *to)
{
	const struct intern *t = &c->functions;

	open_table(to, "funcTable");
	put_column(c, to, t, "name", functions_name, 0);
	put_column(c, to, t, "resource", functions_resource, 1);
	put_nullable(c, to, t, "source", functions_source, 1);
	put_constant(to, t, "isJS", "false");
	put_constant(to, t, "relevantForJS", "false");
	put_constant(to, t, "lineNumber", "null");
	put_constant(to, t, "columnNumber", "null");
	put_constant(to, t, "originalLocation", "null");
	end_table(to, t);
}

static void put_resources_and_sources(const struct firefox_code *c, struct json *to)
{
	open_table(to, "resourceTable");
	put_column(c, to, &c->resources, "name", resources_name, 0);
	put_constant(to, &c->resources, "lib", "null");
	put_constant(to, &c->resources, "host", "null");
	put_constant(to, &c->resources, "type", "1");
	end_table(to, &c->resources);
	open_table(to, "sources");
	put_column(c, to, &c->sources, "filename", sources_file, 0);
	put_constant(to, &c->sources, "id", "null");
	put_constant(to, &c->sources, "startLine", "1");
	put_constant(to, &c->sources, "startColumn", "1");
	put_constant(to, &c->sources, "sourceMapURL", "null");
	put_constant(to, &c->sources, "content", "null");
	end_table(to, &c->sources);
}

/* Of what a recording does not have; the viewer wants the tables. */
static void put_empty_table(struct json *to, const char *name, const char *const *columns)
{
	open_table(to, name);
	for (; *columns; columns++) {
		json__array(to, *columns);
		json__end_array(to);
	}
	json__u64(to, "length", 0);
	json__end_object(to);
}

void firefox_code__put(const struct firefox_code *c, struct json *to)
{
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize",
					       NULL };
	static const char *const locations[] = { "source", "line", "column", NULL };
	u32 i;

	json__line(to);
	json__object(to, "shared");
	put_stack_table(c, to);
	put_frame_table(c, to);
	put_function_table(c, to);
	put_resources_and_sources(c, to);
	put_empty_table(to, "nativeSymbols", symbols);
	put_empty_table(to, "sourceLocationTable", locations);
	json__line(to);
	json__array(to, "stringArray");
	for (i = 0; i < strtab__len(&c->strings); i++) {
		json__line(to);
		json__text(to, NULL, strtab__get(&c->strings, i));
	}
	json__end_array(to);
	json__end_object(to);
}
