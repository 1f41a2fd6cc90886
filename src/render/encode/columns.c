/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One buffer per column: similar values next to each other help a general compressor, and a reader
 * turns a column into one typed array.
 */
#include "render/encode/columns.h"

#include <errno.h>

#include "base/mem.h"

#define VARINT_MAX 10

int columns__init(struct columns *c, const struct column_kind *kinds, u32 len)
{
	u32 i;

	c->kinds = kinds;
	c->len = 0;
	c->list = mem_array(len, sizeof(*c->list));
	if (!c->list)
		return -ENOMEM;
	c->len = len;
	for (i = 0; i < len; i++)
		sink__init_mem(&c->list[i].bytes);
	return 0;
}

void columns__done(struct columns *c)
{
	u32 i;

	for (i = 0; i < c->len; i++)
		sink__done(&c->list[i].bytes);
	mem_free(c->list);
	c->list = NULL;
	c->len = 0;
}

void columns__put(struct columns *c, u32 column, u64 value)
{
	struct column *to = &c->list[column];
	u64 coded = value;
	u8 buf[VARINT_MAX];
	size_t n = 0;

	if (c->kinds[column].delta) {
		/* modulo 2^64, so that any step can be reversed */
		u64 step = value - to->before;

		coded = step << 1 ^ (step >> 63 ? ~0ULL : 0);
		to->before = value;
	}
	for (; coded >= 0x80; coded >>= 7)
		buf[n++] = (u8)(coded | 0x80);
	buf[n++] = (u8)coded;
	sink__put(&to->bytes, buf, n);
	to->rows++;
}

int columns__error(struct columns *c)
{
	u32 i;

	for (i = 0; i < c->len; i++) {
		if (sink__finish(&c->list[i].bytes, NULL))
			return -ENOMEM;
	}
	return 0;
}
