/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A protobuf writer takes a few lines; a library would build a tree of objects that we do not need.
 * Lengths come before what they measure, so a message is built in a separate buffer; our messages
 * are small and not deeply nested.
 */
#include "render/encode/proto.h"

#include <errno.h>

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_LEN = 2,
};

#define VARINT_MAX 10

void proto__init(struct proto *m)
{
	vec__init(&m->bytes, 1);
	m->error = 0;
}

void proto__done(struct proto *m)
{
	if (m)
		vec__done(&m->bytes);
}

void proto__reset(struct proto *m)
{
	vec__reset(&m->bytes);
}

static void put(struct proto *m, const void *data, size_t sz)
{
	u8 *to;

	if (m->error || !sz)
		return;
	if (sz > PROTO_MAX || m->bytes.len + sz > PROTO_MAX) {
		m->error = -E2BIG;
		return;
	}
	to = vec__push_n(&m->bytes, sz);
	if (to)
		memcpy(to, data, sz);
	else
		m->error = -ENOMEM;
}

void proto__varint(struct proto *m, u64 value)
{
	u8 buf[VARINT_MAX];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		buf[n++] = (u8)(value | 0x80);
	buf[n++] = (u8)value;
	put(m, buf, n);
}

void proto__u64(struct proto *m, u32 field, u64 value)
{
	if (!value)
		return;
	proto__varint(m, (u64)field << 3 | WIRE_VARINT);
	proto__varint(m, value);
}

void proto__fixed64(struct proto *m, u32 field, u64 value)
{
	u8 bytes[8];
	int i;

	for (i = 0; i < 8; i++)
		bytes[i] = (u8)(value >> (8 * i));
	proto__varint(m, (u64)field << 3 | WIRE_64);
	put(m, bytes, sizeof(bytes));
}

void proto__bytes(struct proto *m, u32 field, const void *data, size_t sz)
{
	proto__varint(m, (u64)field << 3 | WIRE_LEN);
	proto__varint(m, sz);
	put(m, data, sz);
}

void proto__message(struct proto *m, u32 field, struct proto *inner)
{
	if (inner->error && !m->error)
		m->error = inner->error;
	proto__bytes(m, field, inner->bytes.data, inner->bytes.len);
	proto__reset(inner);
}
