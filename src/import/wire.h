/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_WIRE_H
#define IMPORT_WIRE_H

#include "base/view.h"

/* Fields of a protobuf message, one after the other. */
struct wire_field {
	u64 number;
	bool is_bytes;
	struct view bytes;
	u64 number_value;
};

/* The next field; false at the end, or if the message is damaged: then it is `bad`. */
bool wire__next(struct view *message, struct wire_field *ret);
/* The last value of a field of numbers; 0: there is none. */
u64 wire__number(struct view message, u64 number);
/* The last value of a field of bytes; empty: there is none. */
struct view wire__bytes(struct view message, u64 number);

/* All values of a repeated field of numbers, packed or not. */
struct wire_numbers {
	struct view message;
	u64 number;
	struct view packed; /* what is left of the packed ones in hand */
};

/* False at the end, or if the message is damaged: then one of the two views is `bad`. */
bool wire__next_number(struct wire_numbers *numbers, u64 *ret);

#endif
