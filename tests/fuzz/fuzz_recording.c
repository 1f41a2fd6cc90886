/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a window behind their checksums: the sections of the head, and of the threads, the
 * code and the waits, each behind its size in four bytes; then the code of a window that follows,
 * with the same threads and waits. What is read of them passes the checks of a profile, and written
 * and read once more is the same, also as a window that shares its code with one before it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "recording/code_chain.h"
#include "recording/window.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef int encode_fn(const struct profile *p, struct vec *sections);

static struct vec encoded(encode_fn *encode, const struct profile *p)
{
	struct vec v;

	vec__init(&v, 1);
	if (encode(p, &v))
		abort();
	return v;
}

static int encode_head_of(const struct profile *p, struct vec *sections)
{
	struct window_head head;

	window_head__of(&head, p);
	return encode_head(&head, sections);
}

/* NULL when it is refused. */
static struct profile *decode(const struct view *blocks, const struct code_tables *tables,
			      bool code, bool waits)
{
	struct window_sections in = { 0 };
	struct window_head head;
	struct arena arena;
	struct profile *p = NULL;
	u32 kind;
	int r;

	arena__init(&arena);
	for (kind = 0; kind < BLOCK_KIND_CNT; kind++) {
		in.at[kind] = blocks[kind];
		in.has[kind] = true;
	}
	in.code = tables;
	in.has[BLOCK_CODE] = code;
	in.has[BLOCK_WAITS] = waits;
	r = decode_head(blocks[BLOCK_HEAD], &arena, &head);
	if (!r)
		r = decode_profile(&head, &in, &p, NULL);
	if (r && r != -EBADMSG && r != -EOPNOTSUPP && r != -ENOMEM)
		abort();
	if (!r && profile__check(p, NULL))
		abort();
	arena__done(&arena);
	return r ? NULL : p;
}

/* The code of the window that follows in the place of its own; NULL when it is refused. */
static struct profile *decode_next(const struct view *blocks, struct view next)
{
	struct view at[BLOCK_KIND_CNT];
	struct profile *p = NULL;
	struct code_tables t;

	memcpy(at, blocks, sizeof(at));
	at[BLOCK_CODE] = next;
	if (code_tables__init(&t))
		abort();
	if (!code_tables__add(&t, blocks[BLOCK_CODE]) && !code_tables__add(&t, next))
		p = decode(at, &t, true, true);
	code_tables__done(&t);
	return p;
}

/* As the second window of a chain. */
static void chain_again(const struct profile *p, const struct view *blocks)
{
	struct code_chain c = { 0 };
	struct code_base base;
	struct vec first, second;
	struct profile *q;

	vec__init(&first, 1);
	vec__init(&second, 1);
	if (code_chain__encode(&c, p, 1, &first) || code_chain__encode(&c, p, 2, &second))
		abort();
	code_chain__end(&c);
	/* equal frames, which the tables cannot have, make it complete by itself */
	if (code_base_read(view__of(second.data, second.len), &base)) {
		q = decode_next(blocks, view__of(second.data, second.len));
		vec__reset(&second);
		if (!q || encode_code(q, &second) ||
		    second.len != view__left(&blocks[BLOCK_CODE]) ||
		    memcmp(second.data, blocks[BLOCK_CODE].p, second.len) != 0)
			abort();
		profile__free(q);
	}
	vec__done(&first);
	vec__done(&second);
}

static void decode_again(const struct profile *p)
{
	static encode_fn *const encoders[] = {
		[BLOCK_HEAD] = encode_head_of,
		[BLOCK_TASKS] = encode_tasks,
		[BLOCK_CODE] = encode_code,
		[BLOCK_WAITS] = encode_waits,
	};
	struct view blocks[BLOCK_KIND_CNT];
	struct vec first[BLOCK_KIND_CNT], second;
	struct profile *q;
	u32 i;

	for (i = 0; i < BLOCK_KIND_CNT; i++) {
		first[i] = encoded(encoders[i], p);
		blocks[i] = view__of(first[i].data, first[i].len);
	}
	q = decode(blocks, NULL, true, true);
	if (!q)
		abort();
	chain_again(p, blocks);
	for (i = 0; i < BLOCK_KIND_CNT; i++) {
		second = encoded(encoders[i], q);
		if (second.len != first[i].len ||
		    memcmp(second.data, first[i].data, second.len) != 0)
			abort();
		vec__done(&first[i]);
		vec__done(&second);
	}
	profile__free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view v = view__of(data, size), blocks[BLOCK_KIND_CNT + 1];
	struct profile *p;
	u32 kind;

	for (kind = 0; kind <= BLOCK_KIND_CNT; kind++) {
		u64 sz = view__u32(&v);
		const void *bytes;

		if (sz > view__left(&v))
			sz = view__left(&v);
		bytes = view__bytes(&v, sz);
		blocks[kind] = view__of(bytes, sz);
	}
	p = decode(blocks, NULL, true, true);
	if (p)
		decode_again(p);
	profile__free(p);
	profile__free(decode(blocks, NULL, false, true));
	profile__free(decode(blocks, NULL, true, false));
	if (!view__left(&blocks[BLOCK_KIND_CNT]))
		return 0;
	p = decode_next(blocks, blocks[BLOCK_KIND_CNT]);
	if (p)
		decode_again(p);
	profile__free(p);
	return 0;
}
