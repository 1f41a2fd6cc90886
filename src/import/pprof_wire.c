/* SPDX-License-Identifier: Apache-2.0 */
#include "import/pprof_wire.h"

enum wire_kind {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
	WIRE_32 = 5,
};

bool wire__next(struct view *message, struct wire_field *ret)
{
	u64 key, sz;

	*ret = (struct wire_field){ 0 };
	if (message->bad || !view__left(message))
		return false;
	key = view__uleb(message);
	ret->number = key >> 3;
	switch (key & 7) {
	case WIRE_VARINT:
		ret->number_value = view__uleb(message);
		break;
	case WIRE_64:
		ret->number_value = view__u64(message);
		break;
	case WIRE_32:
		ret->number_value = view__u32(message);
		break;
	case WIRE_BYTES:
		sz = view__uleb(message);
		ret->bytes = view__sub(message, 0, sz);
		ret->is_bytes = true;
		view__bytes(message, sz);
		break;
	default:
		message->bad = true;
	}
	return !message->bad && ret->number;
}

u64 wire__number(struct view message, u64 number)
{
	struct wire_field f;
	u64 value = 0;

	while (wire__next(&message, &f)) {
		if (f.number == number && !f.is_bytes)
			value = f.number_value;
	}
	return value;
}
