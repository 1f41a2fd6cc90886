/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blocks of a window behind their checksums: the sections of the head, and of the threads, the
 * code and the waits, each behind its size in four bytes. What is read of them passes the checks of
 * a profile, and written and read once more is the same.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
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
static struct profile *decode(const struct view *blocks, bool code, bool waits)
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
	q = decode(blocks, true, true);
	if (!q)
		abort();
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
	struct view v = view__of(data, size), blocks[BLOCK_KIND_CNT];
	struct profile *p;
	u32 kind;

	for (kind = 0; kind < BLOCK_KIND_CNT; kind++) {
		u64 sz = view__u32(&v);
		const void *bytes;

		if (sz > view__left(&v))
			sz = view__left(&v);
		bytes = view__bytes(&v, sz);
		blocks[kind] = view__of(bytes, sz);
	}
	p = decode(blocks, true, true);
	if (p)
		decode_again(p);
	profile__free(p);
	profile__free(decode(blocks, false, true));
	profile__free(decode(blocks, true, false));
	return 0;
}
