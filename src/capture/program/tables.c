/* SPDX-License-Identifier: Apache-2.0 */

/* Batch reads of BPF hash tables (kernel 5.6: 057996380a42 "bpf: Add batch ops to all htab"). */
#include "capture/program/tables.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/mem.h"
#include "base/vec.h"

#define BATCH_FIRST 1024
/* A bucket with more entries than the batch has room for needs a larger batch. */
#define BATCH_MAX (1 << 20)

struct batch {
	char *keys;
	char *values;
	u32 len;
};

static int batch_grow(struct batch *b, size_t key_sz, size_t value_sz, u32 len)
{
	mem_free(b->keys);
	mem_free(b->values);
	b->keys = mem_array(len, key_sz);
	b->values = mem_array(len, value_sz);
	b->len = len;
	return b->keys && b->values ? 0 : -ENOMEM;
}

typedef int batch_fn(int fd, void *in, void *out, void *keys, void *values, __u32 *n,
		     const struct bpf_map_batch_opts *opts);

struct table {
	int fd;
	size_t key_sz;
	size_t value_sz;
	batch_fn *next;
};

static int read_all(const struct table *t, table_fn *each, void *arg, struct err *err)
{
	struct batch b = { 0 };
	u64 in = 0, out = 0;
	bool first = true;
	int r, end = 0;

	r = batch_grow(&b, t->key_sz, t->value_sz, BATCH_FIRST);
	while (!r && !end) {
		u32 n = b.len;

		r = t->next(t->fd, first ? NULL : &in, &out, b.keys, b.values, &n, NULL);
		if (r == -ENOSPC && b.len < BATCH_MAX) {
			r = batch_grow(&b, t->key_sz, t->value_sz, b.len * 2);
			continue;
		}
		end = r == -ENOENT;
		if (end)
			r = 0;
		for (u32 i = 0; !r && i < n; i++)
			r = each(arg, b.keys + i * t->key_sz, b.values + i * t->value_sz);
		in = out;
		first = false;
	}
	mem_free(b.keys);
	mem_free(b.values);
	return r < 0 ? err__set(err, r, "cannot read a table of the trace: %s", err_str(r)) : 0;
}

int table_read(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err)
{
	const struct table t = { fd, key_sz, value_sz, bpf_map_lookup_batch };

	return read_all(&t, each, arg, err);
}

int table_take(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err)
{
	const struct table t = { fd, key_sz, value_sz, bpf_map_lookup_and_delete_batch };

	return read_all(&t, each, arg, err);
}

/* What goes is known before any goes: behind a key that is gone, the walk would begin again. */
static int find_keys(int fd, struct vec *keys, table_goes_fn *goes, void *arg)
{
	size_t sz = keys->elem_sz;
	char *last = mem_alloc(sz), *next = mem_alloc(sz), *key;
	int r = last && next ? 0 : -ENOMEM;

	for (bool first = true; !r; first = false) {
		r = bpf_map_get_next_key(fd, first ? NULL : last, next);
		if (r)
			break;
		memcpy(last, next, sz);
		if (!goes(arg, next))
			continue;
		key = vec__push(keys);
		if (key)
			memcpy(key, next, sz);
		r = key ? 0 : -ENOMEM;
	}
	mem_free(last);
	mem_free(next);
	return r == -ENOENT ? 0 : r;
}

int table_remove(int fd, size_t key_sz, table_goes_fn *goes, void *arg, struct err *err)
{
	struct vec keys;
	int r;

	vec__init(&keys, key_sz);
	r = find_keys(fd, &keys, goes, arg);
	for (size_t i = 0; !r && i < keys.len; i++) {
		r = bpf_map_delete_elem(fd, vec__at(&keys, i));
		r = r == -ENOENT ? 0 : r;
	}
	vec__done(&keys);
	return r ? err__set(err, r, "cannot clear a table of the trace: %s", err_str(r)) : 0;
}

u32 table_room(int fd)
{
	struct bpf_map_info info = { 0 };
	u32 len = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &len) ? 0 : info.max_entries;
}
