/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the block of waits, which refer to threads and stacks decoded before. */
#include "recording/decode_priv.h"

#include <errno.h>
#include <stdint.h>

#include "profile/builder.h"
#include "recording/row_columns.h"
#include "recording/block/sections.h"
#include "recording/single.h"

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

/* *ret_count: what the buckets add up to. */
static int decode_hist(struct section_in *s, u32 mask_column, u32 column,
		       u32 hist[PROFILE_HIST_LEN], u64 *ret_count)
{
	u64 mask = section_in__uleb(s, mask_column), value;
	u32 i;

	*ret_count = 0;
	if (mask >> PROFILE_HIST_LEN)
		return -EBADMSG;
	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		value = mask >> i & 1 ? section_in__uleb(s, column) : 0;
		hist[i] = (u32)value;
		if (hist[i] != value)
			return -EBADMSG;
		*ret_count += value;
	}
	return 0;
}

/* A count that exceeds what a histogram can contain is invalid. */
#define COUNT_MAX ((u64)PROFILE_HIST_LEN << 32)

static int decode_single(struct section_in *s, u64 kind, struct single_weights *weights,
			 struct profile_wait *w)
{
	struct single one = { .blocked_ns = w->blocked_ns, .runq_ns = w->runq_ns };
	u64 round_up = section_in__uleb(s, WAITS_SAMPLES);

	if (kind > 1) {
		kind -= 2;
		if (kind > weights->len || kind >= SINGLE_WEIGHTS)
			return -EBADMSG;
		if (kind == weights->len)
			weights->at[weights->len++] = section_in__uleb(s, WAITS_WEIGHT);
		one.weight_ns = weights->at[kind];
		if (!one.weight_ns)
			return -EBADMSG;
	}
	one.round_up = round_up;
	return round_up <= 1 && single__expand(&one, w) ? 0 : -EBADMSG;
}

static int decode_wait(struct section_in *s, const struct profile_wait *before,
		       struct single_weights *weights, struct profile_wait *w)
{
	u64 rest, kind;
	int r;

	*w = (struct profile_wait){ 0 };
	r = section_in__row(s, &wait_row_type, w, before);
	if (r)
		return r;
	w->blocked_ns = section_in__uleb(s, WAITS_BLOCKED);
	w->runq_ns = section_in__uleb(s, WAITS_RUNQ);
	kind = section_in__uleb(s, WAITS_SINGLE);
	if (kind)
		return decode_single(s, kind, weights, w);
	w->var_us2 = section_in__uleb(s, WAITS_VAR);
	w->max_ns = w->blocked_ns + w->runq_ns - section_in__uleb(s, WAITS_BELOW_SUM);
	r = decode_hist(s, WAITS_HIST_MASK, WAITS_HIST, w->hist, &w->count);
	w->samples = section_in__uleb(s, WAITS_SAMPLES);
	if (!(w->flags & WAIT_VISITED))
		w->samples = w->count - w->samples;
	rest = section_in__uleb(s, WAITS_REST);
	if (rest > COUNT_MAX)
		return -EBADMSG;
	w->count += rest;
	return r;
}

static int map_id(const struct vec *ids, const struct row_column *c, void *row)
{
	u64 id = row_column__get(c, row);

	if (id >= ids->len)
		return -EBADMSG;
	row_column__set(c, row, *(u32 *)vec__at(ids, id));
	return 0;
}

int decode_row_ids(const struct decoding *d, const struct row_type *type, void *row)
{
	u32 i;
	int r = 0;

	for (i = 0; i < type->columns_len && !r; i++) {
		const struct row_column *c = &type->columns[i];

		if (c->kind == ROW_OBJECT)
			r = map_id(&d->objects, c, row);
		else if (c->kind == ROW_WAKER)
			r = map_id(&d->wakers, c, row);
	}
	return r;
}

bool decode_drop_stacks(const struct decoding *d, const struct row_type *type, void *row)
{
	bool had = false;
	u32 i;

	for (i = 0; i < type->columns_len && !d->has_code; i++) {
		if (type->columns[i].kind != ROW_STACK)
			continue;
		had |= row_column__get(&type->columns[i], row) != 0;
		row_column__set(&type->columns[i], row, 0);
	}
	return had;
}

int decode_waits(struct decoding *d, struct section_in *s)
{
	struct profile_wait before = { 0 }, w;
	struct single_weights weights = { 0 };
	struct decoded_wait *row;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		r = decode_wait(s, &before, &weights, &w);
		before = w;
		if (!r)
			r = decode_row_ids(d, &wait_row_type, &w);
		if (!r && decode_drop_stacks(d, &wait_row_type, &w))
			r = builder__loss(d->b, LOSS_DAMAGED, w.count, w.blocked_ns + w.runq_ns);
		if (!r)
			r = builder__wait(d->b, &w);
		row = vec__push(&d->waits);
		if (!row)
			return -ENOMEM;
		row->id = builder__last_wait(d->b);
		row->ns = w.blocked_ns + w.runq_ns;
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
	u64 wait = 0, interval = 0, before_ns = 0;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		u64 step = section_in__uleb(s, REPLICATES_WAIT);
		u64 at = section_in__uleb(s, REPLICATES_INTERVAL);
		struct profile_replicate rep = { 0 };
		const struct decoded_wait *row;

		interval = step ? at : interval + at;
		before_ns = step ? 0 : before_ns;
		if (step > d->waits.len || at > UINT32_MAX || interval > UINT32_MAX)
			return -EBADMSG;
		wait += step;
		if (!wait || wait > d->waits.len)
			return -EBADMSG;
		row = vec__at(&d->waits, wait - 1);
		rep.wait = row->id;
		rep.interval = (u32)interval;
		if (section_in__uleb(s, REPLICATES_REST))
			rep.ns = row->ns - before_ns;
		else
			rep.ns = section_in__uleb(s, REPLICATES_NS);
		/* also in a file of an older version, whose parts were checked against the sums */
		if (before_ns > row->ns || rep.ns > row->ns - before_ns)
			return -EBADMSG;
		before_ns += rep.ns;
		r = builder__replicate(d->b, &rep);
	}
	return r;
}

int decode_moments(struct decoding *d, struct section_in *s)
{
	u64 end_ns = 0;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		u64 step = section_in__uleb(s, MOMENTS_END);
		u64 wait = section_in__uleb(s, MOMENTS_WAIT);
		struct profile_moment m = { .blocked_ns = section_in__uleb(s, MOMENTS_BLOCKED),
					    .runq_ns = section_in__uleb(s, MOMENTS_RUNQ) };
		u64 waker = section_in__uleb(s, MOMENTS_WAKER);

		if (__builtin_add_overflow(end_ns, step, &end_ns) || !wait || wait > d->waits.len ||
		    waker >= d->wakers.len)
			return -EBADMSG;
		m.end_ns = end_ns;
		m.wait = ((const struct decoded_wait *)vec__at(&d->waits, wait - 1))->id;
		m.waker = *(u32 *)vec__at(&d->wakers, waker);
		r = builder__moment(d->b, &m);
	}
	return r;
}

static int decode_trace(struct decoding *d, struct section_in *s, u32 *ret)
{
	const u8 *bytes = section_in__bytes(s, MARKS_TRACE, MARK_TRACE_BYTES);
	char text[2 * MARK_TRACE_BYTES + 1];

	if (!bytes)
		return -EBADMSG;
	mark_trace_text(bytes, text);
	return builder__str(d->b, text, ret);
}

int decode_marks(struct decoding *d, struct section_in *s)
{
	struct profile_mark m = { 0 };
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		u64 step = section_in__uleb(s, MARKS_AT);
		u64 task = section_in__uleb(s, MARKS_TASK);
		u64 kind = section_in__uleb(s, MARKS_KIND);
		u64 connection = section_in__uleb(s, MARKS_CONNECTION);
		u64 has_trace = section_in__uleb(s, MARKS_HAS_TRACE);

		m.trace = 0;
		if (kind >= MARK_KINDS)
			return -EOPNOTSUPP;
		if (__builtin_add_overflow(m.at_ns, step, &m.at_ns) || task > UINT32_MAX ||
		    connection > UINT32_MAX)
			return -EBADMSG;
		m.task = (u32)task;
		m.connection = (u32)connection;
		m.kind = (u32)kind;
		r = decode_string(d, s, MARKS_CLASS, &m.class);
		if (!r && has_trace)
			r = decode_trace(d, s, &m.trace);
		if (!r)
			r = builder__mark(d->b, &m);
	}
	return r;
}

int decode_hots(struct decoding *d, struct section_in *s)
{
	struct profile_hot before = { 0 }, h;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		h = (struct profile_hot){ 0 };
		r = section_in__row(s, &hot_row_type, &h, &before);
		before = h;
		if (!r && h.flags & ~hot_row_type.flags)
			r = -EOPNOTSUPP;
		if (!r && decode_drop_stacks(d, &hot_row_type, &h))
			r = builder__loss(d->b, LOSS_SAMPLES_BARE, h.samples, h.on_ns);
		if (!r)
			r = builder__hot(d->b, &h);
	}
	return r;
}

/* Without its stacks, a measured wait is still of its task. */
int decode_measured(struct decoding *d, struct section_in *s)
{
	struct profile_measured before = { 0 }, m;
	int r = 0;

	for (u32 i = 0; i < s->rows && !r; i++) {
		m = (struct profile_measured){ 0 };
		r = section_in__row(s, &measured_row_type, &m, &before);
		before = m;
		if (!r)
			r = decode_hist(s, MEASURED_HIST_MASK, MEASURED_HIST, m.hist, &m.count);
		if (!r && (m.max_ns > m.total_ns || !m.count))
			return -EBADMSG;
		if (!r && decode_drop_stacks(d, &measured_row_type, &m))
			r = builder__loss(d->b, LOSS_MEASURED_BARE, m.count, m.total_ns);
		if (!r)
			r = builder__measured(d->b, &m);
	}
	return r;
}
