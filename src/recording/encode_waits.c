/* SPDX-License-Identifier: Apache-2.0 */
/* The sections of the block of waits, which refer to threads and stacks of the blocks before. */
#include "profile/row_type.h"
#include "recording/row_columns.h"
#include "recording/block/sections.h"
#include "recording/single.h"
#include "recording/block/string_set.h"
#include "recording/window.h"

static void encode_hist(const u32 hist[PROFILE_HIST_LEN], u32 mask_column, u32 column,
			struct section_out *s)
{
	u32 mask = 0, i;

	for (i = 0; i < PROFILE_HIST_LEN; i++) {
		if (!hist[i])
			continue;
		mask |= 1U << i;
		section_out__uleb(s, column, hist[i]);
	}
	section_out__uleb(s, mask_column, mask);
}

static int encode_intervals(const struct profile *p, struct vec *sections)
{
	struct section_out s;
	u64 before_ns = 0;
	u32 i;
	int r;

	section_out__init(&s, SECTION_INTERVALS, INTERVALS_COLUMNS, 0);
	s.rows = p->intervals_len;
	for (i = 0; i < p->intervals_len; i++) {
		section_out__uleb(&s, INTERVALS_LENGTH, p->intervals[i].length_ns);
		section_out__uleb(&s, INTERVALS_BEGIN, p->intervals[i].begin_ns - before_ns);
		before_ns = p->intervals[i].begin_ns;
	}
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

/* Usually the last row of a wait, and most waits have one. */
static void encode_part(const struct profile *p, const struct profile_replicate *rep, u64 before_ns,
			struct section_out *s)
{
	const struct profile_wait *w = &p->waits[rep->wait];
	bool rest = rep->ns == w->blocked_ns + w->runq_ns - before_ns;

	section_out__uleb(s, REPLICATES_REST, rest);
	if (rest)
		s->needed[REPLICATES_REST] = true;
	else
		section_out__uleb(s, REPLICATES_NS, rep->ns);
}

static int encode_replicates(const struct profile *p, struct vec *sections)
{
	struct section_out s;
	u32 wait = 0, interval = 0, i;
	u64 before_ns = 0;
	int r;

	section_out__init(&s, SECTION_REPLICATES, REPLICATES_COLUMNS, 0);
	s.rows = p->replicates_len;
	for (i = 0; i < p->replicates_len; i++) {
		const struct profile_replicate *rep = &p->replicates[i];

		interval = rep->wait == wait ? interval : 0;
		before_ns = rep->wait == wait ? before_ns : 0;
		section_out__uleb(&s, REPLICATES_WAIT, rep->wait - wait);
		section_out__uleb(&s, REPLICATES_INTERVAL, rep->interval - interval);
		encode_part(p, rep, before_ns, &s);
		before_ns += rep->ns;
		wait = rep->wait;
		interval = rep->interval;
	}
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

/* Not needed: who does not know it still has the totals, and all that waited. */
static int encode_hots(const struct profile *p, struct vec *sections)
{
	struct section_out s;
	u32 i;
	int r;

	section_out__init(&s, SECTION_HOTS, HOTS_COLUMNS, 0);
	s.rows = p->hots_len - 1;
	for (i = 1; i < p->hots_len; i++)
		section_out__row(&s, &hot_row_type, &p->hots[i], &p->hots[i - 1]);
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

/* Not needed: it is beside what the rest of the window says. */
static int encode_measured(const struct profile *p, struct vec *sections)
{
	struct section_out s;
	int r;

	section_out__init(&s, SECTION_MEASURED, MEASURED_COLUMNS, 0);
	s.rows = p->measured_len - 1;
	for (u32 i = 1; i < p->measured_len; i++) {
		const struct profile_measured *m = &p->measured[i];

		section_out__row(&s, &measured_row_type, m, m - 1);
		encode_hist(m->hist, MEASURED_HIST_MASK, MEASURED_HIST, &s);
	}
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

static void encode_objects(const struct profile *p, struct string_set *strings,
			   struct section_out *s)
{
	static const struct profile_object before = { 0 };
	u32 i;

	s->rows = p->objects_len - 1;
	for (i = 1; i < p->objects_len; i++) {
		const struct profile_object *o = &p->objects[i];

		section_out__fields(s, object_fields, object_fields_len, o, &before);
		section_out__uleb(s, OBJECTS_NAME, string_set__ref(strings, o->name));
		section_out__uleb(s, OBJECTS_PEER, string_set__ref(strings, o->peer));
		section_out__uleb(s, OBJECTS_FILE, string_set__ref(strings, o->file));
	}
}

static void encode_lengths(u64 blocked_ns, u64 runq_ns, struct section_out *s)
{
	section_out__uleb(s, WAITS_BLOCKED, blocked_ns);
	section_out__uleb(s, WAITS_RUNQ, runq_ns);
}

/* False: it is not a row of one sample, or the list of weights is full. */
static bool encode_single(const struct profile_wait *w, struct single_weights *weights,
			  struct section_out *s)
{
	struct single one;
	u32 known = weights->len, number = 0;

	if (!single__of(w, &one))
		return false;
	if (one.weight_ns) {
		number = single_weights__find(weights, one.weight_ns);
		if (number == SINGLE_WEIGHTS)
			return false;
		if (number == known)
			section_out__uleb(s, WAITS_WEIGHT, one.weight_ns);
	}
	s->needed[WAITS_SINGLE] = true;
	section_out__uleb(s, WAITS_SINGLE, one.weight_ns ? 2 + number : 1);
	encode_lengths(one.blocked_ns, one.runq_ns, s);
	section_out__uleb(s, WAITS_SAMPLES, one.round_up);
	return true;
}

/* With what is stored as what it lacks to another number, which is small or 0. */
static void encode_wait(const struct profile_wait *w, struct single_weights *weights,
			struct section_out *s)
{
	section_out__row(s, &wait_row_type, w, w - 1);
	if (encode_single(w, weights, s))
		return;
	section_out__uleb(s, WAITS_SINGLE, 0);
	encode_lengths(w->blocked_ns, w->runq_ns, s);
	section_out__uleb(s, WAITS_VAR, w->var_us2);
	section_out__uleb(s, WAITS_BELOW_SUM, w->blocked_ns + w->runq_ns - w->max_ns);
	section_out__uleb(s, WAITS_SAMPLES,
			  w->flags & WAIT_NO_LENGTHS ? 0 :
			  w->flags & WAIT_VISITED    ? w->samples :
						       w->count - w->samples);
	section_out__uleb(s, WAITS_REST, w->flags & WAIT_NO_LENGTHS ? w->count : 0);
	encode_hist(w->hist, WAITS_HIST_MASK, WAITS_HIST, s);
}

static void encode_wakers(const struct profile *p, struct string_set *strings,
			  struct section_out *s)
{
	u32 i;

	s->rows = p->wakers_len - 1;
	for (i = 1; i < p->wakers_len; i++) {
		const struct profile_waker *w = &p->wakers[i];

		section_out__fields(s, waker_fields, waker_fields_len, w, w - 1);
		section_out__uleb(s, WAKERS_NEXT, w->next ? i - w->next : 0);
		section_out__uleb(s, WAKERS_COMM, string_set__ref(strings, w->comm));
		section_out__uleb(s, WAKERS_GROUP_COMM, string_set__ref(strings, w->group_comm));
	}
}

static void encode_wakes(const struct profile *p, struct section_out *s)
{
	u32 i;

	s->rows = p->wakes_len - 1;
	for (i = 1; i < p->wakes_len; i++)
		section_out__row(s, &wake_row_type, &p->wakes[i], &p->wakes[i - 1]);
}

static int encode_moments(const struct profile *p, struct vec *sections)
{
	struct section_out s;
	u64 end_ns = 0;
	u32 i;
	int r;

	section_out__init(&s, SECTION_MOMENTS, MOMENTS_COLUMNS, 0);
	s.rows = p->moments_len;
	for (i = 0; i < p->moments_len; i++) {
		const struct profile_moment *m = &p->moments[i];

		section_out__uleb(&s, MOMENTS_END, m->end_ns - end_ns);
		section_out__uleb(&s, MOMENTS_WAIT, m->wait);
		section_out__uleb(&s, MOMENTS_BLOCKED, m->blocked_ns);
		section_out__uleb(&s, MOMENTS_RUNQ, m->runq_ns);
		section_out__uleb(&s, MOMENTS_WAKER, m->waker);
		end_ns = m->end_ns;
	}
	r = section_out__append(&s, sections);
	section_out__done(&s);
	return r;
}

static void encode_marks(const struct profile *p, struct string_set *strings, struct section_out *s)
{
	u8 trace[MARK_TRACE_BYTES];
	u64 at_ns = 0;
	u32 i;

	s->rows = p->marks_len;
	for (i = 0; i < p->marks_len; i++) {
		const struct profile_mark *m = &p->marks[i];

		section_out__uleb(s, MARKS_AT, m->at_ns - at_ns);
		section_out__uleb(s, MARKS_TASK, m->task);
		section_out__uleb(s, MARKS_KIND, m->kind);
		section_out__uleb(s, MARKS_CLASS, string_set__ref(strings, m->class));
		section_out__uleb(s, MARKS_CONNECTION, m->connection);
		section_out__uleb(s, MARKS_HAS_TRACE, m->trace != 0);
		if (m->trace && mark_trace_bytes(profile__str(p, m->trace), trace))
			section_out__bytes(s, MARKS_TRACE, trace, sizeof(trace));
		at_ns = m->at_ns;
	}
}

int encode_waits(const struct profile *p, struct vec *sections)
{
	struct single_weights weights = { 0 };
	struct string_set strings;
	struct section_out s[5];
	u32 len = p->hdr.wakers ? 4 : 2, i;
	int r = string_set__init(&strings, p);

	section_out__init(&s[0], SECTION_OBJECTS, OBJECTS_COLUMNS, 0);
	section_out__init(&s[1], SECTION_WAITS, WAITS_COLUMNS, SECTION_NEEDED);
	if (p->hdr.wakers) {
		section_out__init(&s[2], SECTION_WAKERS, WAKERS_COLUMNS, 0);
		section_out__init(&s[3], SECTION_WAKES, WAKES_COLUMNS, 0);
	}
	if (p->marks_len)
		section_out__init(&s[len++], SECTION_MARKS, MARKS_COLUMNS, 0);
	if (!r) {
		encode_objects(p, &strings, &s[0]);
		s[1].rows = p->waits_len - 1;
		for (i = 1; i < p->waits_len; i++)
			encode_wait(&p->waits[i], &weights, &s[1]);
		/* last: readers that do not know them must number the strings alike */
		if (p->hdr.wakers) {
			encode_wakers(p, &strings, &s[2]);
			encode_wakes(p, &s[3]);
		}
		if (p->marks_len)
			encode_marks(p, &strings, &s[len - 1]);
	}
	r = string_set__finish(&strings, s, len, r, sections);
	if (!r && p->intervals_len)
		r = encode_intervals(p, sections);
	if (!r && p->intervals_len)
		r = encode_replicates(p, sections);
	if (!r && p->hots_len > 1)
		r = encode_hots(p, sections);
	if (!r && p->measured_len > 1)
		r = encode_measured(p, sections);
	return r || !p->moments_len ? r : encode_moments(p, sections);
}
