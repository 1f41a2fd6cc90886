/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks that a window uses are listed by those that end a run: a stack brings its callers with it,
 * as far as they are not listed yet. Its frames follow from its stacks if they are in the order of
 * their first use, as a capture has them; otherwise they are listed too.
 *
 * A profile with two equal modules, frames or stacks has more ids than the tables have numbers. Its
 * block is complete by itself, and ends the chain.
 */
#include "recording/code_chain.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/self_memory.h"
#include "recording/block/code_row.h"
#include "recording/block/sections.h"
#include "recording/window.h"

/* Numbers in the tables, by id in the profile. */
struct mapping {
	u32 *strings; /* 0: not known yet */
	u32 *modules;
	u32 *frames;
	u32 *stacks;
	bool is_exact; /* different ids have different numbers */
};

static int mapping__init(struct mapping *m, const struct profile *p)
{
	m->strings = mem_array(strtab__len(&p->strings), sizeof(u32));
	m->modules = mem_array(p->modules_len, sizeof(u32));
	m->frames = mem_array(p->frames_len, sizeof(u32));
	m->stacks = mem_array(p->stacks_len, sizeof(u32));
	m->is_exact = true;
	return m->strings && m->modules && m->frames && m->stacks ? 0 : -ENOMEM;
}

static void mapping__done(struct mapping *m)
{
	mem_free(m->strings);
	mem_free(m->modules);
	mem_free(m->frames);
	mem_free(m->stacks);
}

static int map_string(struct code_tables *t, const struct profile *p, struct mapping *m, u32 *id)
{
	int r = 0;

	if (!m->strings[*id] && *id)
		r = strtab__add(&t->strings, profile__str(p, *id), &m->strings[*id]);
	*id = m->strings[*id];
	return r;
}

static int map_modules(struct code_tables *t, const struct profile *p, struct mapping *m)
{
	u32 i;
	int r = 0;

	for (i = 1; i < p->modules_len && !r; i++) {
		struct profile_module mod = p->modules[i];

		r = map_string(t, p, m, &mod.path);
		if (!r)
			r = map_string(t, p, m, &mod.build_id);
		if (!r)
			r = intern__add(&t->modules, &mod, &m->modules[i]);
	}
	return r;
}

static int map_frames(struct code_tables *t, const struct profile *p, struct mapping *m)
{
	u32 i;
	int r = 0;

	for (i = 1; i < p->frames_len && !r; i++) {
		struct profile_frame f = p->frames[i];

		f.module = m->modules[f.module];
		r = map_string(t, p, m, &f.name);
		if (!r)
			r = map_string(t, p, m, &f.file);
		if (!r)
			r = intern__add(&t->frames, &f, &m->frames[i]);
	}
	return r;
}

static int map_stacks(struct code_tables *t, const struct profile *p, struct mapping *m)
{
	u32 i;
	int r = 0;

	for (i = 1; i < p->stacks_len && !r; i++) {
		struct profile_stack st = {
			.parent = m->stacks[p->stacks[i].parent],
			.frame = m->frames[p->stacks[i].frame],
			.flags = p->stacks[i].flags,
		};

		r = intern__add(&t->stacks, &st, &m->stacks[i]);
	}
	return r;
}

/* Whether no number occurs twice; *r: -ENOMEM. */
static bool are_distinct(const u32 *numbers, u32 len, u32 limit, int *r)
{
	u8 *seen = mem_alloc(limit);
	bool distinct = true;
	u32 i;

	if (!seen)
		*r = -ENOMEM;
	for (i = 1; i < len && seen && distinct; i++) {
		distinct = !seen[numbers[i]];
		seen[numbers[i]] = 1;
	}
	mem_free(seen);
	return distinct;
}

static int map_all(struct code_tables *t, const struct profile *p, struct mapping *m)
{
	struct code_lens lens;
	int r = map_modules(t, p, m);

	if (!r)
		r = map_frames(t, p, m);
	if (!r)
		r = map_stacks(t, p, m);
	lens = code_tables__lens(t);
	m->is_exact = are_distinct(m->modules, p->modules_len, lens.modules, &r) &&
		      are_distinct(m->frames, p->frames_len, lens.frames, &r) &&
		      are_distinct(m->stacks, p->stacks_len, lens.stacks, &r);
	return r;
}

static int finish(struct section_out *s, int r, struct vec *sections)
{
	if (!r)
		r = section_out__append(s, sections);
	section_out__done(s);
	return r;
}

static int encode_base(const struct code_chain *c, const struct code_lens *lens,
		       struct vec *sections)
{
	struct section_out s;

	section_out__init(&s, SECTION_BASE, BASE_COLUMNS, SECTION_NEEDED);
	s.rows = 1;
	section_out__uleb(&s, BASE_ROOT, c->root);
	section_out__uleb(&s, BASE_CRC, c->crc);
	section_out__uleb(&s, BASE_STRINGS, lens->strings);
	section_out__uleb(&s, BASE_MODULES, lens->modules);
	section_out__uleb(&s, BASE_FRAMES, lens->frames);
	section_out__uleb(&s, BASE_STACKS, lens->stacks);
	return finish(&s, 0, sections);
}

static int encode_new_strings(const struct code_tables *t, u32 from, struct vec *sections)
{
	struct section_out s;
	u32 i;

	section_out__init(&s, SECTION_STRINGS, STRINGS_COLUMNS, SECTION_NEEDED);
	for (i = from; i < strtab__len(&t->strings); i++, s.rows++) {
		const char *text = strtab__get(&t->strings, i);

		section_out__uleb(&s, STRINGS_SZ, strlen(text));
		section_out__bytes(&s, STRINGS_BYTES, text, strlen(text));
	}
	return finish(&s, 0, sections);
}

static int encode_new_modules(const struct code_tables *t, u32 from, struct string_refs *refs,
			      struct vec *sections)
{
	struct section_out s;
	u32 i;

	section_out__init(&s, SECTION_MODULES, MODULES_COLUMNS, SECTION_NEEDED);
	for (i = from; i < intern__len(&t->modules); i++, s.rows++)
		code_row__put_module(&s, refs, intern__at(&t->modules, i));
	return finish(&s, 0, sections);
}

static int encode_new_frames(const struct code_tables *t, u32 from, struct string_refs *refs,
			     struct vec *sections)
{
	u64 *addrs = mem_array(intern__len(&t->modules), sizeof(*addrs));
	struct section_out s;
	u32 i;

	section_out__init(&s, SECTION_FRAMES, FRAMES_COLUMNS, SECTION_NEEDED);
	for (i = from; i < intern__len(&t->frames) && addrs; i++, s.rows++)
		code_row__put_frame(&s, refs, addrs, intern__at(&t->frames, i));
	mem_free(addrs);
	return finish(&s, addrs ? 0 : -ENOMEM, sections);
}

static int encode_new_stacks(const struct code_tables *t, const struct code_lens *from,
			     struct vec *sections)
{
	u32 i, next_frame = from->frames;
	struct section_out s;

	section_out__init(&s, SECTION_STACKS, STACKS_COLUMNS, SECTION_NEEDED);
	for (i = from->stacks; i < intern__len(&t->stacks); i++, s.rows++)
		code_row__put_stack(&s, i, &next_frame, intern__at(&t->stacks, i));
	return finish(&s, 0, sections);
}

/* Each as the difference to one more than the one before. */
static int encode_list(u32 tag, const u32 *numbers, u32 len, struct vec *sections)
{
	struct section_out s;
	s64 next = 1;
	u32 i;

	section_out__init(&s, tag, USED_COLUMNS, SECTION_NEEDED);
	for (i = 1; i < len; i++, s.rows++) {
		section_out__zigzag(&s, USED_NUMBER, numbers[i] - next);
		next = (s64)numbers[i] + 1;
	}
	return finish(&s, 0, sections);
}

/* Only those that are not the parent of the next one. */
static int encode_used_stacks(const struct profile *p, const u32 *numbers, struct vec *sections)
{
	struct section_out s;
	s64 next = 1;
	u32 i;

	section_out__init(&s, SECTION_USED_STACKS, USED_COLUMNS, SECTION_NEEDED);
	for (i = 1; i < p->stacks_len; i++) {
		if (i + 1 < p->stacks_len && p->stacks[i + 1].parent == i)
			continue;
		section_out__zigzag(&s, USED_NUMBER, numbers[i] - next);
		next = (s64)numbers[i] + 1;
		s.rows++;
	}
	return finish(&s, 0, sections);
}

static bool frames_follow(const struct profile *p)
{
	u32 i, next = 1;

	for (i = 1; i < p->stacks_len; i++) {
		if (p->stacks[i].frame > next)
			return false;
		next += p->stacks[i].frame == next;
	}
	return next == p->frames_len;
}

static int encode_added(const struct code_chain *c, const struct profile *p,
			const struct code_lens *from, const struct mapping *m, struct vec *sections)
{
	const struct code_tables *t = &c->tables;
	struct string_refs refs = { .next = from->strings };
	int r = encode_base(c, from, sections);

	if (!r)
		r = encode_new_strings(t, from->strings, sections);
	if (!r)
		r = encode_new_modules(t, from->modules, &refs, sections);
	if (!r)
		r = encode_new_frames(t, from->frames, &refs, sections);
	if (!r)
		r = encode_new_stacks(t, from, sections);
	if (!r)
		r = encode_list(SECTION_USED_MODULES, m->modules, p->modules_len, sections);
	if (!r && !frames_follow(p))
		r = encode_list(SECTION_USED_FRAMES, m->frames, p->frames_len, sections);
	return r ? r : encode_used_stacks(p, m->stacks, sections);
}

static int begin(struct code_chain *c, u32 window)
{
	code_chain__end(c);
	c->windows = 1;
	c->root = window;
	return code_tables__init(&c->tables);
}

/* Into the tables of the chain, or into new ones. */
static int encode_into(struct code_chain *c, const struct profile *p, u32 window, struct mapping *m,
		       struct vec *sections)
{
	struct code_lens from = code_tables__lens(&c->tables);
	bool anew = !c->windows || c->windows >= CODE_CHAIN_WINDOWS ||
		    code_tables__is_large(&c->tables);
	int r = 0;

	if (anew)
		r = begin(c, window);
	else
		c->windows++;
	if (!r)
		r = map_all(&c->tables, p, m);
	if (!r && m->is_exact && !anew)
		return encode_added(c, p, &from, m, sections);
	if (!m->is_exact)
		code_chain__end(c);
	return r ? r : encode_code(p, sections);
}

/* Where memory is short, the window is complete by itself, which takes no tables. */
int code_chain__encode(struct code_chain *c, const struct profile *p, u32 window,
		       struct vec *sections)
{
	size_t at = sections->len;
	struct mapping m = { 0 };
	int r = self_memory_is_short() ? -ENOMEM : mapping__init(&m, p);

	if (!r)
		r = encode_into(c, p, window, &m, sections);
	mapping__done(&m);
	if (!r)
		return 0;
	code_chain__end(c);
	sections->len = at;
	return encode_code(p, sections);
}

void code_chain__took(struct code_chain *c, u32 crc)
{
	c->crc = crc;
}

void code_chain__end(struct code_chain *c)
{
	code_tables__done(&c->tables);
	*c = (struct code_chain){ 0 };
}
