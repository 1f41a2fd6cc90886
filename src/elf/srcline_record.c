/* SPDX-License-Identifier: Apache-2.0 */
/* Both ends of the pipe between the process that reads debug information and its parent. */
#include <errno.h>

#include "elf/srcline_priv.h"

static void put_u32(struct sink *out, u32 n)
{
	const u8 bytes[4] = { (u8)n, (u8)(n >> 8), (u8)(n >> 16), (u8)(n >> 24) };

	sink__put(out, bytes, sizeof(bytes));
}

static void put_str(struct sink *out, const char *s)
{
	sink__put(out, s, strlen(s) + 1);
}

void srcline_put(struct sink *out, size_t idx, const struct srcline_call *calls, size_t len)
{
	size_t i;

	put_u32(out, (u32)idx);
	put_u32(out, (u32)len);
	for (i = 0; i < len; i++) {
		put_u32(out, calls[i].line);
		put_str(out, calls[i].name);
		put_str(out, calls[i].file);
	}
}

int srcline_parse(struct view records, size_t addrs_len, srcline_fn fn, void *arg)
{
	struct srcline_call calls[SRCLINE_CALLS_MAX];

	while (view__left(&records)) {
		u32 idx = view__u32(&records), len = view__u32(&records), i;
		int r;

		if (!records.bad && (idx >= addrs_len || !len || len > SRCLINE_CALLS_MAX))
			return -EINVAL;
		for (i = 0; i < len && !records.bad; i++) {
			calls[i].line = view__u32(&records);
			calls[i].name = view__cstr(&records);
			calls[i].file = view__cstr(&records);
		}
		if (records.bad)
			return 0;
		r = fn(arg, idx, calls, len);
		if (r)
			return r;
	}
	return 0;
}
