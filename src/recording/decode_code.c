/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the block of code: modules, frames, stacks. */
#include "recording/decode_priv.h"

#include <errno.h>

#include "base/mem.h"
#include "profile/builder.h"
#include "recording/block/sections.h"

static u32 text_of(const struct decoding *d, u32 number)
{
	return *(u32 *)vec__at(&d->strings, number);
}

int decode_modules(struct decoding *d, struct section_in *s)
{
	struct profile_module m;
	u32 i, id;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		r = code_row__take_module(s, &d->refs, &m);
		if (r)
			return r;
		m.path = text_of(d, m.path);
		m.build_id = text_of(d, m.build_id);
		r = builder__module(d->b, &m, &id);
		if (!r && id != i + 1)
			r = -EBADMSG;
	}
	return r;
}

int decode_add_frame(struct decoding *d, const struct profile_frame *f, u32 *ret_id)
{
	if (f->flags & FRAME_TRUNCATED) {
		if (f->addr >= STACK_END_CNT)
			return -EOPNOTSUPP;
		return builder__truncated(d->b, f->module, (enum stack_end)f->addr, ret_id);
	}
	if (f->flags & FRAME_INLINED)
		return builder__inlined(d->b, f, ret_id);
	/* those of an import may have a name and no address: the name is part of what they are */
	if (!f->reason && f->name)
		return builder__known_frame(d->b, f, ret_id);
	/* its name is set when the profile is frozen */
	return builder__frame(d->b, f->module, f->addr, f->flags,
			      f->reason ? (enum frame_reason)f->reason : FRAME_NOT_TRIED, ret_id);
}

static int decode_frame(struct decoding *d, struct section_in *s, u64 *addrs, u64 modules_len)
{
	struct profile_frame *f = vec__push(&d->frames);
	u32 *id = decode_id(&d->frame_ids);
	int r;

	if (!f || !id)
		return -ENOMEM;
	r = code_row__take_frame(s, &d->refs, addrs, modules_len, f);
	if (r)
		return r;
	f->name = text_of(d, f->name);
	f->file = text_of(d, f->file);
	return decode_add_frame(d, f, id);
}

int decode_frames(struct decoding *d, struct section_in *s, u32 modules_len)
{
	u64 *addrs = mem_array((size_t)modules_len + 1, sizeof(*addrs));
	int r = addrs && vec__push(&d->frames) && decode_id(&d->frame_ids) ? 0 : -ENOMEM;
	u32 i;

	for (i = 0; i < s->rows && !r; i++)
		r = decode_frame(d, s, addrs, (u64)modules_len + 1);
	mem_free(addrs);
	return r;
}

int decode_add_stack(struct decoding *d, u32 number, const struct profile_stack *st)
{
	u32 id;
	int r = builder__stack(d->b, st->parent, *(u32 *)vec__at(&d->frame_ids, st->frame), &id);

	if (!r && id != number)
		return -EBADMSG;
	return r ? r : builder__stack_flags(d->b, id, st->flags);
}

int decode_stacks(struct decoding *d, struct section_in *s)
{
	struct profile_stack st;
	u32 i, next = 1;
	int r = 0;

	for (i = 1; i <= s->rows && !r; i++) {
		r = code_row__take_stack(s, i, &next, d->frames.len, &st);
		if (!r)
			r = decode_add_stack(d, i, &st);
	}
	return r;
}
