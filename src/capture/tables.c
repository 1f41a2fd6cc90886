/* SPDX-License-Identifier: Apache-2.0 */

/* Batch reads of BPF hash tables (kernel 5.6: 057996380a42 "bpf: Add batch ops to all htab"). */
#include "capture/tables.h"

#include <errno.h>

#include <bpf/bpf.h>

#include "base/mem.h"

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

int table_read(int fd, size_t key_sz, size_t value_sz, table_fn *each, void *arg, struct err *err)
{
	struct batch b = { 0 };
	u64 in = 0, out = 0;
	bool first = true;
	int r, end = 0;

	r = batch_grow(&b, key_sz, value_sz, BATCH_FIRST);
	while (!r && !end) {
		u32 n = b.len;

		r = bpf_map_lookup_batch(fd, first ? NULL : &in, &out, b.keys, b.values, &n, NULL);
		if (r == -ENOSPC && b.len < BATCH_MAX) {
			r = batch_grow(&b, key_sz, value_sz, b.len * 2);
			continue;
		}
		end = r == -ENOENT;
		if (end)
			r = 0;
		for (u32 i = 0; !r && i < n; i++)
			r = each(arg, b.keys + i * key_sz, b.values + i * value_sz);
		in = out;
		first = false;
	}
	mem_free(b.keys);
	mem_free(b.values);
	return r < 0 ? err__set(err, r, "cannot read a table of the trace: %s", err_str(r)) : 0;
}
