/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_ENCODE_PROTO_H
#define RENDER_ENCODE_PROTO_H

#include "base/vec.h"

/*
 * One message in protobuf's wire format, field by field. Fields of value 0 are omitted, as in
 * proto3. A nested message is first written to a struct proto of its own. Errors (-ENOMEM; -E2BIG
 * beyond PROTO_MAX bytes) are sticky: write freely, check `error` once.
 */
#define PROTO_MAX (16u << 20)

struct proto {
	struct vec bytes;
	int error;
};

void proto__init(struct proto *m);
void proto__done(struct proto *m);
/* Empties it; keeps its memory and its error. */
void proto__reset(struct proto *m);
void proto__u64(struct proto *m, u32 field, u64 value);
/* A fixed64, even if 0. */
void proto__fixed64(struct proto *m, u32 field, u64 value);
/* An element of a repeated field of varints: as bytes, without a field; see proto__message(). */
void proto__varint(struct proto *m, u64 value);
/* A string or bytes, even if empty. */
void proto__bytes(struct proto *m, u32 field, const void *data, size_t sz);
/*
 * The content of `inner`, as a message or as packed numbers. Empties it, and takes over its error.
 */
void proto__message(struct proto *m, u32 field, struct proto *inner);

#endif
