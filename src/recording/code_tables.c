/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number is where an element came in the order of all blocks of the chain, so a block that has
 * one that is there already would number all later ones wrongly: it is refused.
 */
#include "recording/code_tables.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "recording/block/code_row.h"
#include "recording/block/sections.h"

/* A writer begins anew at the LARGE_ limits; a reader takes more, for one more window. */
#define LARGE_STACKS (1U << 18)
#define LARGE_FRAMES (1U << 16)
#define LARGE_BYTES (8U << 20)
#define STACKS_MAX (1U << 26)
#define BYTES_MAX (1U << 30)

int code_tables__init(struct code_tables *t)
{
	int r;

	*t = (struct code_tables){ 0 };
	r = strtab__init(&t->strings);
	if (!r)
		r = intern__init(&t->modules, sizeof(struct profile_module),
				 sizeof(struct profile_module));
	if (!r)
		r = intern__init(&t->frames, sizeof(struct profile_frame),
				 sizeof(struct profile_frame));
	if (!r)
		r = intern__init(&t->stacks, sizeof(struct profile_stack),
				 sizeof(struct profile_stack));
	return r;
}

void code_tables__done(struct code_tables *t)
{
	strtab__done(&t->strings);
	intern__done(&t->modules);
	intern__done(&t->frames);
	intern__done(&t->stacks);
}

struct code_lens code_tables__lens(const struct code_tables *t)
{
	return (struct code_lens){
		.strings = strtab__len(&t->strings),
		.modules = intern__len(&t->modules),
		.frames = intern__len(&t->frames),
		.stacks = intern__len(&t->stacks),
	};
}

bool code_tables__is_large(const struct code_tables *t)
{
	struct code_lens lens = code_tables__lens(t);

	return lens.stacks > LARGE_STACKS || lens.frames > LARGE_FRAMES ||
	       t->strings.bytes.len > LARGE_BYTES;
}

static int read_base(struct section_in *s, struct code_base *ret)
{
	const u64 numbers[] = {
		section_in__uleb(s, BASE_ROOT),	   section_in__uleb(s, BASE_CRC),
		section_in__uleb(s, BASE_STRINGS), section_in__uleb(s, BASE_MODULES),
		section_in__uleb(s, BASE_FRAMES),  section_in__uleb(s, BASE_STACKS),
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(numbers); i++) {
		if ((u32)numbers[i] != numbers[i])
			return -EBADMSG;
	}
	*ret = (struct code_base){
		.root = (u32)numbers[0],
		.crc = (u32)numbers[1],
		.lens = { (u32)numbers[2], (u32)numbers[3], (u32)numbers[4], (u32)numbers[5] },
	};
	return s->rows == 1 ? section_in__finish(s) : -EBADMSG;
}

int code_base_read(struct view sections, struct code_base *ret)
{
	struct section_in s;
	int r = section_in__next(&s, &sections, section_columns, SECTION_TAG_CNT);

	if (r <= 0 || s.tag != SECTION_BASE)
		return r < 0 ? r : 0;
	r = read_base(&s, ret);
	return r ? r : 1;
}

static int add_strings(struct code_tables *t, struct section_in *s)
{
	u32 i, id, len;

	for (i = 0; i < s->rows; i++) {
		u64 sz = section_in__uleb(s, STRINGS_SZ);
		const char *text = section_in__bytes(s, STRINGS_BYTES, sz);

		if (!text || !sz || t->strings.bytes.len + sz > BYTES_MAX)
			return -EBADMSG;
		len = strtab__len(&t->strings);
		if (strtab__add_len(&t->strings, text, sz, &id))
			return -ENOMEM;
		if (id != len)
			return -EBADMSG;
	}
	return 0;
}

/* Only one that is new. */
static int add_new(struct intern *in, const void *item)
{
	u32 len = intern__len(in), id;

	if (len >= STACKS_MAX)
		return -EBADMSG;
	if (intern__add(in, item, &id))
		return -ENOMEM;
	return id == len ? 0 : -EBADMSG;
}

static int add_modules(struct code_tables *t, struct section_in *s, struct string_refs *refs)
{
	struct profile_module m;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		r = code_row__take_module(s, refs, &m);
		if (!r)
			r = add_new(&t->modules, &m);
	}
	return r;
}

static int add_frames(struct code_tables *t, struct section_in *s, struct string_refs *refs)
{
	u64 *addrs = mem_array(intern__len(&t->modules), sizeof(*addrs));
	struct profile_frame f;
	u32 i;
	int r = addrs ? 0 : -ENOMEM;

	for (i = 0; i < s->rows && !r; i++) {
		r = code_row__take_frame(s, refs, addrs, intern__len(&t->modules), &f);
		if (!r)
			r = add_new(&t->frames, &f);
	}
	mem_free(addrs);
	return r;
}

static int add_stacks(struct code_tables *t, struct section_in *s, u32 next_frame)
{
	struct profile_stack st;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		r = code_row__take_stack(s, intern__len(&t->stacks), &next_frame,
					 intern__len(&t->frames), &st);
		if (!r)
			r = add_new(&t->stacks, &st);
	}
	return r;
}

static int check_base(struct section_in *s, const struct code_lens *lens)
{
	struct code_base base;
	int r = read_base(s, &base);

	return r ? r : memcmp(&base.lens, lens, sizeof(*lens)) ? -EBADMSG : 0;
}

int code_tables__add(struct code_tables *t, struct view sections)
{
	struct code_lens before = code_tables__lens(t);
	struct string_refs refs = { .next = before.strings };
	struct section_in s;
	int r;

	while ((r = section_in__next(&s, &sections, section_columns, SECTION_TAG_CNT)) > 0) {
		if (s.tag == SECTION_BASE)
			r = check_base(&s, &before);
		else if (s.tag == SECTION_STRINGS)
			r = add_strings(t, &s);
		else if (s.tag == SECTION_MODULES)
			r = add_modules(t, &s, &refs);
		else if (s.tag == SECTION_FRAMES)
			r = add_frames(t, &s, &refs);
		else if (s.tag == SECTION_STACKS)
			r = add_stacks(t, &s, before.frames);
		else
			continue; /* of this window alone */
		refs.len = strtab__len(&t->strings);
		if (!r)
			r = section_in__finish(&s);
		if (r)
			return r;
	}
	return r;
}
