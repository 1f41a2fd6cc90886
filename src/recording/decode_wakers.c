/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The sections of wakers, behind the waits. Without the code of the window, wakers that differed
 * only in their stacks become one, and so do parts of waits.
 */
#include "recording/decode_priv.h"

#include <errno.h>

#include "recording/row_columns.h"
#include "recording/block/sections.h"

static int decode_next(struct decoding *d, struct section_in *s, u32 *ret_next)
{
	/* the waker at hand has the next number */
	u64 back = section_in__uleb(s, WAKERS_NEXT), number = d->wakers.len;

	if (back >= number)
		return -EBADMSG;
	*ret_next = back ? *(u32 *)vec__at(&d->wakers, number - back) : 0;
	return 0;
}

static int decode_waker(struct decoding *d, struct section_in *s, struct profile_waker *w)
{
	const struct profile_waker before = *w;
	int r;

	*w = (struct profile_waker){ 0 };
	r = section_in__fields(s, waker_fields, waker_fields_len, w, &before);
	if (!r)
		r = decode_next(d, s, &w->next);
	if (!r)
		r = decode_string(d, s, WAKERS_COMM, &w->comm);
	if (!r)
		r = decode_string(d, s, WAKERS_GROUP_COMM, &w->group_comm);
	return r;
}

int decode_wakers(struct decoding *d, struct section_in *s)
{
	struct profile_waker before = { 0 }, w;
	u32 i, id, *slot;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		r = decode_waker(d, s, &before);
		w = before;
		if (!d->has_code)
			w.ustack = w.kstack = 0;
		if (!r)
			r = builder__waker(d->b, &w, &id);
		slot = r ? NULL : decode_id(&d->wakers);
		if (!r && !slot)
			return -ENOMEM;
		if (slot)
			*slot = id;
	}
	return r;
}

int decode_wakes(struct decoding *d, struct section_in *s)
{
	struct profile_wake before = { 0 }, w;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		w = (struct profile_wake){ 0 };
		r = section_in__row(s, &wake_row_type, &w, &before);
		before = w;
		if (!r)
			r = decode_row_ids(d, &wake_row_type, &w);
		/* their waits lost them too, and count them */
		decode_drop_stacks(d, &wake_row_type, &w);
		if (!r)
			r = builder__wake(d->b, &w);
	}
	return r;
}
