/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A future has the one that it awaits in itself, so most of a chain is in one piece of memory,
 * which is read at once. Behind pointers, what is there is believed only if it can be: a future
 * that is awaited has begun and is not over.
 */
#include "async/tokio/tk_awaits.h"

#include <string.h>

struct walk {
	struct tk_awaits *a;
	const struct future_table *t;
	const struct tk_body *body;
};

static bool read_bytes(const struct walk *w, u64 at, void *to, u32 sz)
{
	const struct tk_body *b = w->body;

	if (at >= b->at && at - b->at <= b->sz && sz <= b->sz - (at - b->at)) {
		memcpy(to, b->bytes + (at - b->at), sz);
		return true;
	}
	return task_memory__read(b->mem, at, to, sz);
}

/* The case that a future is in, as its word says; NULL: none, or unreadable. */
static const struct future_case *case_of(const struct walk *w, const struct future_type *type,
					 u64 at, u32 *ret_idx)
{
	u32 rest = type->len;
	u64 value = 0;

	if (type->width && !read_bytes(w, at + type->at, &value, type->width))
		return NULL;
	for (u32 i = 0; i < type->len; i++) {
		const struct future_case *c = vec__at(&w->t->cases, type->first + i);

		*ret_idx = type->first + i;
		if (c->rest)
			rest = i;
		else if (c->value == value)
			return c;
	}
	*ret_idx = type->first + rest;
	return rest < type->len ? vec__at(&w->t->cases, *ret_idx) : NULL;
}

/* *at and the type become those of what the pointer leads to; 0: not known. */
static u32 follow(const struct walk *w, const struct future_type *type, u64 *at)
{
	u64 words[2] = { 0 };
	u32 off = 0, next;

	w->a->far = true;
	if (!read_bytes(w, *at + type->at, words,
			type->kind == FUTURE_DYN ? sizeof(words) : sizeof(*words))) {
		w->a->end = TK_END_BAD;
		return 0;
	}
	if (type->kind == FUTURE_DYN) {
		next = future_table__behind(w->t, words[1] - w->body->bias, &off);
	} else {
		const struct future_case *c = type->len ? vec__at(&w->t->cases, type->first) : NULL;

		next = c ? c->next : 0;
		off = c ? c->at : 0;
	}
	*at = words[0] + off;
	return next;
}

/* One step into an async function or an enum. */
static u32 descend(const struct walk *w, u32 number, const struct future_type *type, u64 *at)
{
	struct tk_awaits *a = w->a;
	u32 idx;
	const struct future_case *c = case_of(w, type, *at, &idx);

	if (!c || !c->suspended) {
		/* one that nobody has polled yet is in its first case */
		a->end = c && type->kind == FUTURE_ASYNC && c->value == 0 && !a->len ? TK_END_NEW :
										       TK_END_BAD;
		return 0;
	}
	if (type->kind == FUTURE_ASYNC) {
		a->types[a->len] = number;
		a->awaits[a->len++] = idx;
	}
	*at += c->at;
	return c->next;
}

void tk_awaits__read(struct tk_awaits *a, const struct future_table *t, u32 type,
		     const struct tk_body *body)
{
	const struct walk w = { .a = a, .t = t, .body = body };
	u64 at = body->at;

	a->end = TK_END_LEAF;
	a->leaf = "";
	a->far = false;
	a->len = 0;
	for (u32 steps = 0; type; steps++) {
		const struct future_type *ty = vec__at(&t->types, type);

		if (steps == TK_STEPS_MAX) {
			a->end = TK_END_BAD;
			return;
		}
		a->leaf = ty->name;
		a->leaf_at = at;
		if (ty->kind == FUTURE_LEAF)
			return;
		if (ty->kind == FUTURE_ASYNC || ty->kind == FUTURE_CHOICE)
			type = descend(&w, type, ty, &at);
		else
			type = follow(&w, ty, &at);
		if (ty->kind != FUTURE_DYN)
			a->leaf = "";
	}
}

bool tk_awaits__equal(const struct tk_awaits *a, const struct tk_awaits *b)
{
	return a->end == b->end && a->len == b->len && strcmp(a->leaf, b->leaf) == 0 &&
	       memcmp(a->awaits, b->awaits, a->len * sizeof(*a->awaits)) == 0 &&
	       memcmp(a->types, b->types, a->len * sizeof(*a->types)) == 0;
}
