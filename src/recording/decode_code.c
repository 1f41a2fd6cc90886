/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the block of code: modules, frames, stacks. */
#include "recording/decode_priv.h"

#include <errno.h>

#include "base/mem.h"
#include "profile/builder.h"
#include "recording/sections.h"

int decode_modules(struct decoding *d, struct section_in *s)
{
	u32 i, id;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		struct profile_module m = { 0 };
		const u64 kind = section_in__uleb(s, MODULES_KIND);
		const u64 tgid = section_in__uleb(s, MODULES_TGID);
		u64 generation;

		m.dev = section_in__uleb(s, MODULES_DEV);
		m.ino = section_in__uleb(s, MODULES_INO);
		generation = section_in__uleb(s, MODULES_GENERATION);
		m.has_bias = section_in__uleb(s, MODULES_HAS_BIAS) != 0;
		m.bias = section_in__uleb(s, MODULES_BIAS);
		m.kind = (u32)kind;
		m.tgid = (u32)tgid;
		m.generation = (u32)generation;
		if (kind > MODULE_NOTE)
			return -EOPNOTSUPP;
		if (m.tgid != tgid || m.generation != generation)
			return -EBADMSG;
		r = decode_string(d, s, MODULES_PATH, &m.path);
		if (!r)
			r = decode_string(d, s, MODULES_BUILD_ID, &m.build_id);
		if (!r)
			r = builder__module(d->b, &m, &id);
		if (!r && id != i + 1)
			r = -EBADMSG;
	}
	return r;
}

static int add_frame(struct decoding *d, const struct profile_frame *f, u32 *ret_id)
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
	u64 module = section_in__uleb(s, FRAMES_MODULE), flags = section_in__uleb(s, FRAMES_FLAGS);
	u64 reason = section_in__uleb(s, FRAMES_REASON), line = section_in__uleb(s, FRAMES_LINE);
	struct profile_frame *f = vec__push(&d->frames);
	u32 *id = decode_id(&d->frame_ids);
	int r;

	if (!f || !id)
		return -ENOMEM;
	if (module >= modules_len || (u32)line != line || (u32)flags != flags)
		return -EBADMSG;
	if (reason >= FRAME_REASON_CNT)
		return -EOPNOTSUPP;
	f->addr = addrs[module] + (u64)section_in__zigzag(s, FRAMES_ADDR);
	f->module = (u32)module;
	f->flags = (u32)flags;
	f->reason = (u32)reason;
	f->name_off = section_in__uleb(s, FRAMES_NAME_OFF);
	f->line = (u32)line;
	addrs[module] = f->addr;
	r = decode_string(d, s, FRAMES_NAME, &f->name);
	if (!r)
		r = decode_string(d, s, FRAMES_FILE, &f->file);
	if (!r)
		r = add_frame(d, f, id);
	return r;
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

int decode_stacks(struct decoding *d, struct section_in *s)
{
	u32 i, id, next = 1;
	int r = 0;

	for (i = 1; i <= s->rows && !r; i++) {
		u64 back = section_in__uleb(s, STACKS_PARENT);
		u64 frame = next + (u64)section_in__zigzag(s, STACKS_FRAME);
		u64 flags = section_in__uleb(s, STACKS_FLAGS);

		if (back >= i || frame >= d->frames.len)
			return -EBADMSG;
		if (flags & ~(u64)STACK_CUT)
			return -EOPNOTSUPP;
		r = builder__stack(d->b, back ? i - (u32)back : 0,
				   *(u32 *)vec__at(&d->frame_ids, frame), &id);
		if (!r && id != i)
			return -EBADMSG;
		if (!r)
			r = builder__stack_flags(d->b, id, (u32)flags);
		if (frame >= next)
			next = (u32)frame + 1;
	}
	return r;
}
