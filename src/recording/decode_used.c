/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The code of a window that uses tables of its chain. Everything it uses gets an id in the order
 * in which the profile had it: stacks as they are listed, with their callers before them, and
 * frames as they are listed or as stacks need them.
 */
#include <errno.h>

#include "base/mem.h"
#include "recording/code_tables.h"
#include "recording/decode_priv.h"
#include "recording/block/sections.h"

/* Ids in the window, by number in the tables; 0: not used so far. */
struct used {
	struct decoding *d;
	const struct code_tables *t;
	u32 *strings; /* of the builder */
	u32 *modules;
	u32 *frames;
	u32 *stacks;
	u32 modules_len; /* ids given, and the next two */
	u32 frames_len;
	u32 stacks_len;
	bool frames_are_listed;
	struct vec run; /* u32: stacks of the tables, leaf first */
};

static int use_string(struct used *u, u32 *number)
{
	const char *text = strtab__get(&u->t->strings, *number);
	u32 *id = &u->strings[*number];
	int r = *number && !*id ? builder__str(u->d->b, text, id) : 0;

	*number = *id;
	return r;
}

static int use_module(struct used *u, u32 number)
{
	struct profile_module m = *(struct profile_module *)intern__at(&u->t->modules, number);
	u32 id;
	int r = use_string(u, &m.path);

	if (!r)
		r = use_string(u, &m.build_id);
	if (!r)
		r = builder__module(u->d->b, &m, &id);
	u->modules[number] = ++u->modules_len;
	return !r && id != u->modules_len ? -EBADMSG : r;
}

static int use_frame(struct used *u, u32 number)
{
	const struct profile_frame *from = intern__at(&u->t->frames, number);
	struct profile_frame *f = vec__push(&u->d->frames);
	u32 *id = decode_id(&u->d->frame_ids);
	int r;

	if (!f || !id)
		return -ENOMEM;
	*f = *from;
	f->module = u->modules[from->module];
	if (from->module && !f->module)
		return -EBADMSG;
	r = use_string(u, &f->name);
	if (!r)
		r = use_string(u, &f->file);
	u->frames[number] = ++u->frames_len;
	return r ? r : decode_add_frame(u->d, f, id);
}

static int use_stack(struct used *u, u32 number)
{
	struct profile_stack st = *(struct profile_stack *)intern__at(&u->t->stacks, number);
	int r = 0;

	if (!u->frames[st.frame] && st.frame)
		r = u->frames_are_listed ? -EBADMSG : use_frame(u, st.frame);
	st.parent = u->stacks[st.parent];
	st.frame = u->frames[st.frame];
	u->stacks[number] = ++u->stacks_len;
	return r ? r : decode_add_stack(u->d, u->stacks_len, &st);
}

/* A stack, after those of its callers that are not used yet. */
static int use_run(struct used *u, u32 number)
{
	int r = 0;

	vec__reset(&u->run);
	for (; number && !u->stacks[number];
	     number = ((struct profile_stack *)intern__at(&u->t->stacks, number))->parent) {
		u32 *slot = decode_id(&u->run);

		if (!slot)
			return -ENOMEM;
		*slot = number;
	}
	if (!u->run.len)
		return -EBADMSG;
	while (u->run.len && !r)
		r = use_stack(u, *(u32 *)vec__at(&u->run, --u->run.len));
	return r;
}

/* Numbers of one table, which has `len`; `taken`: those that may not come again. */
static int use_list(struct used *u, struct section_in *s, u32 len, const u32 *taken,
		    int (*use)(struct used *u, u32 number))
{
	u64 next = 1;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		u64 number = next + (u64)section_in__zigzag(s, USED_NUMBER);

		if (!number || number >= len || taken[number])
			return -EBADMSG;
		r = use(u, (u32)number);
		next = number + 1;
	}
	return r;
}

static int use_section(struct used *u, struct section_in *s, const struct code_lens *lens)
{
	int r = 0;

	if (s->tag == SECTION_USED_MODULES) {
		r = use_list(u, s, lens->modules, u->modules, use_module);
	} else if (s->tag == SECTION_USED_FRAMES) {
		u->frames_are_listed = true;
		r = use_list(u, s, lens->frames, u->frames, use_frame);
	} else if (s->tag == SECTION_USED_STACKS) {
		r = use_list(u, s, lens->stacks, u->stacks, use_run);
	} else {
		return 0; /* the tables have it */
	}
	return r ? r : section_in__finish(s);
}

int decode_used(struct decoding *d, const struct code_tables *t, struct view sections)
{
	struct code_lens lens = code_tables__lens(t);
	struct used u = {
		.d = d,
		.t = t,
		.strings = mem_array(lens.strings, sizeof(u32)),
		.modules = mem_array(lens.modules, sizeof(u32)),
		.frames = mem_array(lens.frames, sizeof(u32)),
		.stacks = mem_array(lens.stacks, sizeof(u32)),
	};
	struct section_in s;
	int r = -ENOMEM;

	vec__init(&u.run, sizeof(u32));
	if (u.strings && u.modules && u.frames && u.stacks && vec__push(&d->frames) &&
	    decode_id(&d->frame_ids))
		r = 0;
	while (!r && (r = decode_section(&s, &sections)) > 0)
		r = use_section(&u, &s, &lens);
	vec__done(&u.run);
	mem_free(u.strings);
	mem_free(u.modules);
	mem_free(u.frames);
	mem_free(u.stacks);
	return r;
}
