/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_PROTO_H
#define RENDER_PROTO_H

#include "base/vec.h"

/*
 * One message of protobuf's wire format, field by field. Fields of value 0 are left out, as proto3
 * has it. A message inside another is written to a struct proto of its own first. Errors (-ENOMEM;
 * -E2BIG beyond PROTO_MAX bytes) are sticky: write freely, ask `error` once.
 */
#define PROTO_MAX (16u << 20)

struct proto {
	struct vec bytes;
	int error;
};

void proto__init(struct proto *m);
void proto__done(struct proto *m);
/* Empty again, with its memory and its error. */
void proto__reset(struct proto *m);
void proto__u64(struct proto *m, u32 field, u64 value);
/* An element of a repeated field of varints: as bytes, without a field; see proto__message(). */
void proto__varint(struct proto *m, u64 value);
/* A string or bytes, also if empty. */
void proto__bytes(struct proto *m, u32 field, const void *data, size_t sz);
/* What is in `inner`, as message or as packed numbers. Empties it, and takes its error over. */
void proto__message(struct proto *m, u32 field, struct proto *inner);

#endif
