/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the block of waits, which are of threads and stacks that were decoded before. */
#include "recording/decode_priv.h"

#include <errno.h>
#include <stdint.h>

#include "profile/builder.h"
#include "recording/sections.h"

static int decode_object(struct decoding *d, struct section_in *s)
{
	static const struct profile_object before = { 0 };
	struct profile_object o = { 0 };
	u32 *id = decode_id(&d->objects);
	int r = id ? section_in__fields(s, object_fields, object_fields_len, &o, &before) : -ENOMEM;

	if (!r && o.kind >= OBJECT_KIND_CNT)
		return -EOPNOTSUPP;
	if (!r)
		r = decode_string(d, s, OBJECTS_NAME, &o.name);
	if (!r)
		r = decode_string(d, s, OBJECTS_PEER, &o.peer);
	if (!r)
		r = decode_string(d, s, OBJECTS_FILE, &o.file);
	return r ? r : builder__object(d->b, &o, id);
}

int decode_objects(struct decoding *d, struct section_in *s)
{
	int r = 0;
	u32 i;

	for (i = 0; i < s->rows && !r; i++)
		r = decode_object(d, s);
	return r;
}

/* What a recording of an older version has none of is 0. */
static int decode_wait_object(struct decoding *d, struct section_in *s, struct profile_wait *w)
{
	u64 object = section_in__uleb(s, WAITS_OBJECT), owner = section_in__uleb(s, WAITS_OWNER);
	u64 owner_tid = section_in__uleb(s, WAITS_OWNER_TID);

	w->owner = (u32)owner;
	w->owner_tid = (u32)owner_tid;
	if (object >= d->objects.len || w->owner != owner || w->owner_tid != owner_tid)
		return -EBADMSG;
	w->object = *(u32 *)vec__at(&d->objects, object);
	return 0;
}

static int decode_hist(struct profile_wait *w, struct section_in *s)
{
	u64 mask = section_in__uleb(s, WAITS_HIST_MASK), value;
	u32 i;

	if (mask >> PROFILE_HIST_LEN)
		return -EBADMSG;
	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		value = mask >> i & 1 ? section_in__uleb(s, WAITS_HIST) : 0;
		w->hist[i] = (u32)value;
		if (w->hist[i] != value)
			return -EBADMSG;
		w->count += value;
	}
	return 0;
}

static int decode_wait(struct section_in *s, const struct profile_wait *before,
		       struct profile_wait *w)
{
	u64 task = before->task + (u64)section_in__zigzag(s, WAITS_TASK);
	u64 ustack = before->ustack + (u64)section_in__zigzag(s, WAITS_USTACK);
	u64 kstack = section_in__uleb(s, WAITS_KSTACK), sysno = section_in__uleb(s, WAITS_SYSNO);
	u64 state = section_in__uleb(s, WAITS_STATE), flags = section_in__uleb(s, WAITS_FLAGS);
	int r;

	*w = (struct profile_wait){ .task = (u32)task,
				    .ustack = (u32)ustack,
				    .kstack = (u32)kstack,
				    .sysno = (s32)(u32)sysno - 1,
				    .state = (u32)state,
				    .flags = (u32)flags };
	if (w->task != task || w->ustack != ustack || w->kstack != kstack || sysno > INT32_MAX ||
	    w->flags != flags)
		return -EBADMSG;
	if (state >= PROFILE_STATES)
		return -EOPNOTSUPP;
	w->blocked_ns = section_in__uleb(s, WAITS_BLOCKED);
	w->runq_ns = section_in__uleb(s, WAITS_RUNQ);
	w->max_ns = w->blocked_ns + w->runq_ns - section_in__uleb(s, WAITS_BELOW_SUM);
	r = decode_hist(w, s);
	w->samples = w->count - section_in__uleb(s, WAITS_SAMPLES);
	w->var_us2 = section_in__uleb(s, WAITS_VAR);
	return r;
}

int decode_waits(struct decoding *d, struct section_in *s)
{
	struct profile_wait before = { 0 }, w;
	u32 i, *id;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		r = decode_wait(s, &before, &w);
		if (!r)
			r = decode_wait_object(d, s, &w);
		before = w;
		if (!r && !d->has_code && (w.ustack || w.kstack)) {
			w.ustack = w.kstack = 0;
			r = builder__loss(d->b, LOSS_DAMAGED, w.count, w.blocked_ns + w.runq_ns);
		}
		if (!r)
			r = builder__wait(d->b, &w);
		id = decode_id(&d->wait_ids);
		if (!id)
			return -ENOMEM;
		*id = builder__last_wait(d->b);
	}
	return r;
}

int decode_intervals(struct decoding *d, struct section_in *s)
{
	struct profile_interval iv = { 0 };
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		iv.length_ns = section_in__uleb(s, INTERVALS_LENGTH);
		if (__builtin_add_overflow(iv.begin_ns, section_in__uleb(s, INTERVALS_BEGIN),
					   &iv.begin_ns))
			return -EBADMSG;
		r = builder__interval(d->b, &iv);
	}
	return r;
}

int decode_replicates(struct decoding *d, struct section_in *s)
{
	u64 wait = 0, interval = 0;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		u64 step = section_in__uleb(s, REPLICATES_WAIT);
		u64 at = section_in__uleb(s, REPLICATES_INTERVAL);
		struct profile_replicate rep = { .ns = section_in__uleb(s, REPLICATES_NS) };

		interval = step ? at : interval + at;
		if (step > d->wait_ids.len || at > UINT32_MAX || interval > UINT32_MAX)
			return -EBADMSG;
		wait += step;
		if (!wait || wait > d->wait_ids.len)
			return -EBADMSG;
		rep.wait = *(u32 *)vec__at(&d->wait_ids, wait - 1);
		rep.interval = (u32)interval;
		r = builder__replicate(d->b, &rep);
	}
	return r;
}

static int decode_hot(struct section_in *s, const struct profile_hot *before, struct profile_hot *h)
{
	u64 task = before->task + (u64)section_in__zigzag(s, HOTS_TASK);
	u64 ustack = before->ustack + (u64)section_in__zigzag(s, HOTS_USTACK);
	u64 kstack = section_in__uleb(s, HOTS_KSTACK), sysno = section_in__uleb(s, HOTS_SYSNO);
	u64 flags = section_in__uleb(s, HOTS_FLAGS);

	*h = (struct profile_hot){ .task = (u32)task,
				   .ustack = (u32)ustack,
				   .kstack = (u32)kstack,
				   .sysno = (s32)(u32)sysno - 1,
				   .flags = (u32)flags };
	if (h->task != task || h->ustack != ustack || h->kstack != kstack || sysno > INT32_MAX)
		return -EBADMSG;
	if (flags & ~(u64)HOT_NOT_SAMPLED)
		return -EOPNOTSUPP;
	h->on_ns = section_in__uleb(s, HOTS_ON);
	h->samples = section_in__uleb(s, HOTS_SAMPLES);
	h->var_us2 = section_in__uleb(s, HOTS_VAR);
	return 0;
}

int decode_hots(struct decoding *d, struct section_in *s)
{
	struct profile_hot before = { 0 }, h;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		r = decode_hot(s, &before, &h);
		before = h;
		if (!r && !d->has_code && (h.ustack || h.kstack)) {
			h.ustack = h.kstack = 0;
			r = builder__loss(d->b, LOSS_SAMPLES_BARE, h.samples, h.on_ns);
		}
		if (!r)
			r = builder__hot(d->b, &h);
	}
	return r;
}
