/* SPDX-License-Identifier: Apache-2.0 */
#include "import/wire.h"

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

struct view wire__bytes(struct view message, u64 number)
{
	struct view value = view__of_str("");
	struct wire_field f;

	while (wire__next(&message, &f)) {
		if (f.number == number && f.is_bytes)
			value = f.bytes;
	}
	return value;
}

bool wire__next_number(struct wire_numbers *numbers, u64 *ret)
{
	struct wire_field f;

	while (!view__left(&numbers->packed)) {
		if (numbers->packed.bad || !wire__next(&numbers->message, &f))
			return false;
		if (f.number != numbers->number)
			continue;
		if (!f.is_bytes) {
			*ret = f.number_value;
			return true;
		}
		numbers->packed = f.bytes;
	}
	*ret = view__uleb(&numbers->packed);
	return !numbers->packed.bad;
}
