/* SPDX-License-Identifier: Apache-2.0 */
/* Like tree.c, for two profiles: ids of one mean nothing in the other, but names do. */
#include "analysis/diff/diff_paths.h"

#include <errno.h>
#include <string.h>

#include "analysis/model/group.h"
#include "analysis/diff/symbol_key.h"
#include "analysis/model/tree.h"
#include "analysis/view/wait_stacks.h"
#include "base/mem.h"

bool diff_symbol_is_function(const struct diff_symbol *s)
{
	return s->kind == TREE_USER || s->kind == TREE_KERNEL || s->kind == TREE_CODE ||
	       s->kind == TREE_INLINED;
}

struct adding {
	struct diff_paths *dp;
	const struct profile *p;
	struct groups groups;
	u32 *symbols; /* by frame; 0: not looked up yet */
	u32 *frames; /* of one stack, leaf first */
};

static int add_symbol(struct diff_paths *dp, const char *name, const char *module, u32 kind,
		      u32 *ret_id)
{
	struct diff_symbol s = { .kind = kind };
	int r = strtab__add(&dp->names, name, &s.name);

	if (!r)
		r = strtab__add(&dp->names, module, &s.module);
	return r ? r : intern__add(&dp->symbols, &s, ret_id);
}

static int child(struct diff_paths *dp, u32 symbol, u32 *path)
{
	const struct diff_path at = { .parent = *path, .symbol = symbol };

	return intern__add(&dp->paths, &at, path);
}

static int child_named(struct adding *ad, const char *name, u32 kind, u32 *path)
{
	u32 symbol;
	int r = add_symbol(ad->dp, name, "", kind, &symbol);

	return r ? r : child(ad->dp, symbol, path);
}

static int symbol_of(struct adding *ad, u32 frame, u32 *ret_id)
{
	char name[SYMBOL_KEY_SZ], module[256];
	int r = 0;

	if (!ad->symbols[frame]) {
		symbol_key_name(ad->p, frame, name, sizeof(name));
		symbol_key_module(ad->p, frame, module, sizeof(module));
		r = add_symbol(ad->dp, name, module, tree_kind_of_frame(ad->p, frame),
			       &ad->symbols[frame]);
	}
	*ret_id = ad->symbols[frame];
	return r;
}

static int add_stack(struct adding *ad, u32 stack, u32 *path)
{
	u32 len = 0, symbol;
	int r = 0;

	for (; stack; stack = ad->p->stacks[stack].parent)
		ad->frames[len++] = ad->p->stacks[stack].frame;
	while (len-- > 0 && !r) {
		r = symbol_of(ad, ad->frames[len], &symbol);
		if (!r)
			r = child(ad->dp, symbol, path);
	}
	return r;
}

static int add_wait(struct adding *ad, u32 wait, u32 *path)
{
	struct wait_stacks s = wait_stacks_of(ad->p, wait, 0);
	char name[GROUP_NAME_SZ];
	int r;

	groups__of_wait(&ad->groups, wait, name, sizeof(name));
	r = child_named(ad, name, TREE_GROUP, path);
	if (!r && s.lost)
		r = child_named(ad, NOTE_LOST, TREE_NOTE, path);
	if (!r && s.user_missed)
		r = child_named(ad, NOTE_MISSED_USER, TREE_NOTE, path);
	if (!r)
		r = add_stack(ad, s.user, path);
	if (!r && s.kernel_missed)
		r = child_named(ad, NOTE_MISSED_KERNEL, TREE_NOTE, path);
	if (!r && s.kernel && ad->p->stacks[s.kernel].flags & STACK_CUT)
		r = child_named(ad, NOTE_CUT, TREE_NOTE, path);
	return r ? r : add_stack(ad, s.kernel, path);
}

static int add_side(struct diff_paths *dp, const struct profile *p, const u64 *counted_ns,
		    u32 *of_wait)
{
	struct adding ad = { .dp = dp, .p = p };
	int r = groups__init(&ad.groups, p, GROUP_BY_COMM, NULL, NULL);
	u32 i;

	ad.symbols = mem_array(p->frames_len, sizeof(u32));
	ad.frames = mem_array((size_t)profile__depth(p) + 1, sizeof(u32));
	if (!of_wait || !ad.symbols || !ad.frames)
		r = -ENOMEM;
	for (i = 1; i < p->waits_len && !r; i++) {
		if (counted_ns[i])
			r = add_wait(&ad, i, &of_wait[i]);
	}
	mem_free(ad.symbols);
	mem_free(ad.frames);
	groups__done(&ad.groups);
	return r;
}

int diff_paths__init(struct diff_paths *dp, const struct profile *const p[2],
		     u64 *const counted_ns[2], struct err *err)
{
	u32 side;
	int r;

	memset(dp, 0, sizeof(*dp));
	r = strtab__init(&dp->names);
	if (!r)
		r = intern__init(&dp->symbols, sizeof(struct diff_symbol),
				 offsetof(struct diff_symbol, seen));
	if (!r)
		r = intern__init(&dp->paths, sizeof(struct diff_path), sizeof(struct diff_path));
	for (side = 0; side < 2 && !r; side++) {
		dp->of_wait[side] = mem_array(p[side]->waits_len, sizeof(u32));
		r = add_side(dp, p[side], counted_ns[side], dp->of_wait[side]);
	}
	return r ? err__nomem(err) : 0;
}

void diff_paths__done(struct diff_paths *dp)
{
	strtab__done(&dp->names);
	intern__done(&dp->symbols);
	intern__done(&dp->paths);
	mem_free(dp->of_wait[0]);
	mem_free(dp->of_wait[1]);
	memset(dp, 0, sizeof(*dp));
}
