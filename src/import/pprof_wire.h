/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_PPROF_WIRE_H
#define IMPORT_PPROF_WIRE_H

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

#endif
