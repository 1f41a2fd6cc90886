/* SPDX-License-Identifier: Apache-2.0 */
#include "recording/block/code_row.h"

#include <errno.h>

#include "recording/block/sections.h"

u64 string_refs__put(struct string_refs *refs, u32 number)
{
	u64 ref = number ? 1 + (u64)(refs->next - number) : 0;

	refs->next += ref == 1;
	return ref;
}

int string_refs__take(struct string_refs *refs, struct section_in *s, u32 col, u32 *ret)
{
	u64 ref = section_in__uleb(s, col);

	*ret = 0;
	if (!ref)
		return 0;
	if (ref > refs->next)
		return -EBADMSG;
	*ret = refs->next + 1 - (u32)ref;
	refs->next += *ret == refs->next;
	return *ret < refs->len ? 0 : -EBADMSG;
}

void code_row__put_module(struct section_out *s, struct string_refs *refs,
			  const struct profile_module *m)
{
	section_out__uleb(s, MODULES_KIND, m->kind);
	section_out__uleb(s, MODULES_PATH, string_refs__put(refs, m->path));
	section_out__uleb(s, MODULES_BUILD_ID, string_refs__put(refs, m->build_id));
	section_out__uleb(s, MODULES_TGID, m->tgid);
	section_out__uleb(s, MODULES_DEV, m->dev);
	section_out__uleb(s, MODULES_INO, m->ino);
	section_out__uleb(s, MODULES_HAS_BIAS, m->has_bias);
	section_out__uleb(s, MODULES_BIAS, m->bias);
	section_out__uleb(s, MODULES_GENERATION, m->generation);
}

int code_row__take_module(struct section_in *s, struct string_refs *refs, struct profile_module *m)
{
	const u64 kind = section_in__uleb(s, MODULES_KIND);
	const u64 tgid = section_in__uleb(s, MODULES_TGID);
	u64 generation;
	int r;

	*m = (struct profile_module){ .kind = (u32)kind, .tgid = (u32)tgid };
	m->dev = section_in__uleb(s, MODULES_DEV);
	m->ino = section_in__uleb(s, MODULES_INO);
	generation = section_in__uleb(s, MODULES_GENERATION);
	m->has_bias = section_in__uleb(s, MODULES_HAS_BIAS) != 0;
	m->bias = section_in__uleb(s, MODULES_BIAS);
	m->generation = (u32)generation;
	if (kind > MODULE_NOTE)
		return -EOPNOTSUPP;
	if (m->tgid != tgid || m->generation != generation)
		return -EBADMSG;
	r = string_refs__take(refs, s, MODULES_PATH, &m->path);
	return r ? r : string_refs__take(refs, s, MODULES_BUILD_ID, &m->build_id);
}

void code_row__put_frame(struct section_out *s, struct string_refs *refs, u64 *addrs,
			 const struct profile_frame *f)
{
	section_out__uleb(s, FRAMES_MODULE, f->module);
	section_out__zigzag(s, FRAMES_ADDR, (s64)(f->addr - addrs[f->module]));
	section_out__uleb(s, FRAMES_FLAGS, f->flags);
	section_out__uleb(s, FRAMES_REASON, f->reason);
	section_out__uleb(s, FRAMES_NAME, string_refs__put(refs, f->name));
	section_out__uleb(s, FRAMES_NAME_OFF, f->name_off);
	section_out__uleb(s, FRAMES_FILE, string_refs__put(refs, f->file));
	section_out__uleb(s, FRAMES_LINE, f->line);
	addrs[f->module] = f->addr;
}

int code_row__take_frame(struct section_in *s, struct string_refs *refs, u64 *addrs,
			 u64 modules_len, struct profile_frame *f)
{
	u64 module = section_in__uleb(s, FRAMES_MODULE), flags = section_in__uleb(s, FRAMES_FLAGS);
	u64 reason = section_in__uleb(s, FRAMES_REASON), line = section_in__uleb(s, FRAMES_LINE);
	int r;

	if (module >= modules_len || (u32)line != line || (u32)flags != flags)
		return -EBADMSG;
	if (reason >= FRAME_REASON_CNT)
		return -EOPNOTSUPP;
	*f = (struct profile_frame){
		.addr = addrs[module] + (u64)section_in__zigzag(s, FRAMES_ADDR),
		.module = (u32)module,
		.flags = (u32)flags,
		.reason = (u32)reason,
		.name_off = section_in__uleb(s, FRAMES_NAME_OFF),
		.line = (u32)line,
	};
	addrs[module] = f->addr;
	r = string_refs__take(refs, s, FRAMES_NAME, &f->name);
	return r ? r : string_refs__take(refs, s, FRAMES_FILE, &f->file);
}

void code_row__put_stack(struct section_out *s, u32 number, u32 *next_frame,
			 const struct profile_stack *st)
{
	section_out__uleb(s, STACKS_PARENT, st->parent ? number - st->parent : 0);
	section_out__zigzag(s, STACKS_FRAME, (s64)st->frame - *next_frame);
	section_out__uleb(s, STACKS_FLAGS, st->flags);
	if (st->frame >= *next_frame)
		*next_frame = st->frame + 1;
}

int code_row__take_stack(struct section_in *s, u32 number, u32 *next_frame, u64 frames_len,
			 struct profile_stack *st)
{
	u64 back = section_in__uleb(s, STACKS_PARENT);
	u64 frame = *next_frame + (u64)section_in__zigzag(s, STACKS_FRAME);
	u64 flags = section_in__uleb(s, STACKS_FLAGS);

	if (back >= number || frame >= frames_len)
		return -EBADMSG;
	if (flags & ~(u64)STACK_CUT)
		return -EOPNOTSUPP;
	*st = (struct profile_stack){
		.parent = back ? number - (u32)back : 0,
		.frame = (u32)frame,
		.flags = (u32)flags,
	};
	if (frame >= *next_frame)
		*next_frame = (u32)frame + 1;
	return 0;
}
