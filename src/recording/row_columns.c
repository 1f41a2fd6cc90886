/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/row_columns.h"

#include <errno.h>
#include <stdint.h>

static void put(struct section_out *s, const struct row_column *c, const void *row,
		const void *before)
{
	u64 value = row_column__get(c, row);

	if (c->is_delta)
		section_out__zigzag(s, c->stored, (s64)(value - row_column__get(c, before)));
	else if (c->kind == ROW_CALL)
		section_out__uleb(s, c->stored, (u32)value + 1U);
	else
		section_out__uleb(s, c->stored, value);
}

void section_out__row(struct section_out *s, const struct row_type *type, const void *row,
		      const void *before)
{
	u32 i;

	for (i = 0; i < type->columns_len; i++) {
		if (type->columns[i].stored != ROW_STORED_APART)
			put(s, &type->columns[i], row, before);
	}
}

static int take(struct section_in *s, const struct row_column *c, void *row, const void *before)
{
	u64 value;

	if (c->is_delta)
		value = row_column__get(c, before) + (u64)section_in__zigzag(s, c->stored);
	else
		value = section_in__uleb(s, c->stored);
	if (c->kind == ROW_CALL && value > INT32_MAX)
		return -EBADMSG;
	if (c->sz == sizeof(u32) && value > UINT32_MAX)
		return -EBADMSG;
	if (c->kind == ROW_STATE && value >= PROFILE_STATES)
		return -EOPNOTSUPP;
	row_column__set(c, row, c->kind == ROW_CALL ? value - 1 : value);
	return 0;
}

int section_in__row(struct section_in *s, const struct row_type *type, void *row,
		    const void *before)
{
	u32 i;
	int r = 0;

	for (i = 0; i < type->columns_len && !r; i++) {
		if (type->columns[i].stored != ROW_STORED_APART)
			r = take(s, &type->columns[i], row, before);
	}
	return r;
}
