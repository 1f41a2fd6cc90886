/* SPDX-License-Identifier: Apache-2.0 */
/* Two numbers of fields in two messages; whatever else is there is skipped. */
#include "push/otlp_answer.h"

#include <string.h>

enum {
	RESPONSE_PARTIAL = 1,
	PARTIAL_REJECTED = 1,
	PARTIAL_MESSAGE = 2,
};

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_LEN = 2,
	WIRE_32 = 5,
};

struct field {
	u64 number;
	u64 wire;
	u64 value; /* of a varint */
	struct view bytes; /* of a string or message */
};

/* False at the end, and after what is no field: then `v` is bad. */
static bool take_field(struct view *v, struct field *f)
{
	u64 tag;

	*f = (struct field){ 0 };
	if (!view__left(v))
		return false;
	tag = view__uleb(v);
	f->number = tag >> 3;
	f->wire = tag & 7;
	if (f->wire == WIRE_VARINT) {
		f->value = view__uleb(v);
	} else if (f->wire == WIRE_64) {
		(void)view__bytes(v, 8);
	} else if (f->wire == WIRE_32) {
		(void)view__bytes(v, 4);
	} else if (f->wire == WIRE_LEN) {
		u64 len = view__uleb(v);

		f->bytes = view__sub(v, 0, len);
		v->bad |= f->bytes.bad || !view__bytes(v, len);
	} else {
		v->bad = true;
	}
	v->bad |= !f->number;
	return !v->bad;
}

static bool parse_partial(struct otlp_answer *a, struct view v)
{
	struct field f;

	while (take_field(&v, &f)) {
		if (f.number == PARTIAL_REJECTED && f.wire == WIRE_VARINT)
			a->rejected = (s64)f.value;
		else if (f.number == PARTIAL_MESSAGE && f.wire == WIRE_LEN)
			(void)view__copy(&f.bytes, a->message, sizeof(a->message));
	}
	return !v.bad;
}

bool otlp_answer__parse(struct otlp_answer *a, struct view body)
{
	struct field f;

	*a = (struct otlp_answer){ 0 };
	while (take_field(&body, &f)) {
		if (f.number == RESPONSE_PARTIAL && f.wire == WIRE_LEN &&
		    !parse_partial(a, f.bytes))
			return false;
	}
	return !body.bad;
}
