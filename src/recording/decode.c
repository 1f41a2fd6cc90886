/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes the sections of a window to a profile, through a builder, which checks every id. The
 * bytes passed a checksum, but are not trusted: anyone can compute a checksum.
 *
 * A number that is meaningless to this version (a kind of loss, a flag, a reason) is from a newer
 * version. Skipping it would silently make numbers wrong, so the window is refused.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "profile/builder.h"
#include "recording/decode_priv.h"
#include "recording/block/sections.h"
#include "recording/window.h"

int decode_section(struct section_in *s, struct view *sections)
{
	return section_in__next(s, sections, section_columns, SECTION_TAG_CNT);
}

/* Before visits had a source, those of /proc were counted as switches. */
static void name_visit_source(struct profile_header *h)
{
	if (!h->visit_hz || h->visit_sources)
		return;
	h->visited_ns = h->window_ns;
	if (h->visits) {
		h->visit_sources = VISITS_OF_BPF;
		return;
	}
	h->visit_sources = VISITS_OF_PROC;
	h->visits = h->switches_seen;
	h->visits_changed = h->waits_chosen;
	h->switches_seen = h->waits_chosen = 0;
}

static int decode_header(struct section_in *s, struct arena *arena, struct window_head *head)
{
	static const struct profile_header before = { 0 };
	int r;
	u32 i;

	if (s->rows != 1)
		return -EBADMSG;
	r = section_in__fields(s, header_fields, header_fields_len, &head->hdr, &before);
	for (i = 0; i < HEAD_STRINGS && !r; i++) {
		struct view *col = &s->cols[head_string_column(i)];
		size_t sz = s->has[head_string_column(i)] ? view__left(col) : 0;
		char *copy = arena__alloc(arena, sz + 1);

		if (!copy)
			return -ENOMEM;
		if (sz)
			memcpy(copy, view__bytes(col, sz), sz);
		head->strings[i] = copy;
	}
	if (head->hdr.unknown & ~(u32)UNKNOWN_ALL ||
	    head->hdr.visit_sources & ~(u32)VISIT_SOURCES_ALL)
		return -EOPNOTSUPP;
	name_visit_source(&head->hdr);
	head->listed_waits = section_in__uleb(s, HEADER_LISTED_WAITS);
	head->listed_blocked_ns = section_in__uleb(s, HEADER_LISTED_BLOCKED);
	head->listed_runq_ns = section_in__uleb(s, HEADER_LISTED_RUNQ);
	head->listed_samples = section_in__uleb(s, HEADER_LISTED_SAMPLES);
	head->listed_on_ns = section_in__uleb(s, HEADER_LISTED_ON);
	return r;
}

static int decode_losses(struct section_in *s, struct window_head *head)
{
	u32 i;

	for (i = 0; i < s->rows; i++) {
		u64 kind = section_in__uleb(s, LOSSES_KIND);

		if (kind >= LOSS_CNT)
			return -EOPNOTSUPP;
		head->losses[kind].events = section_in__uleb(s, LOSSES_EVENTS);
		head->losses[kind].ns = section_in__uleb(s, LOSSES_NS);
	}
	return 0;
}

/* Skips those of blocks and tables that this version does not know. */
static int decode_seals(struct section_in *s, struct seal *seals, u32 len)
{
	u32 i;

	for (i = 0; i < s->rows; i++) {
		u64 number = section_in__uleb(s, BLOCKS_KIND);
		u64 rows = section_in__uleb(s, BLOCKS_SZ), crc = section_in__uleb(s, BLOCKS_CRC);

		if ((u32)rows != rows || (u32)crc != crc)
			return -EBADMSG;
		if (number < len)
			seals[number] = (struct seal){ (u32)rows, (u32)crc, true };
	}
	return 0;
}

static int decode_head_section(struct section_in *s, struct arena *arena, struct window_head *head)
{
	switch (s->tag) {
	case SECTION_HEADER:
		return decode_header(s, arena, head);
	case SECTION_LOSSES:
		return decode_losses(s, head);
	case SECTION_BLOCKS:
		return decode_seals(s, head->blocks, BLOCK_KIND_CNT);
	case SECTION_TABLES:
		return decode_seals(s, head->tables, SEALED_CNT);
	default:
		return -EBADMSG;
	}
}

int decode_head(struct view sections, struct arena *arena, struct window_head *ret)
{
	struct section_in s;
	int r;

	*ret = (struct window_head){ 0 };
	while ((r = decode_section(&s, &sections)) > 0) {
		r = decode_head_section(&s, arena, ret);
		if (!r)
			r = section_in__finish(&s);
		if (r)
			return r;
	}
	return r || ret->strings[0] ? r : -EBADMSG;
}

u32 *decode_id(struct vec *ids)
{
	return vec__push(ids);
}

static int decode_strings(struct decoding *d, struct section_in *s)
{
	u32 i;

	vec__reset(&d->strings);
	d->refs = (struct string_refs){ .next = 1, .len = s->rows + 1 };
	if (!decode_id(&d->strings))
		return -ENOMEM;
	for (i = 0; i < s->rows; i++) {
		u64 sz = section_in__uleb(s, STRINGS_SZ);
		const char *text = section_in__bytes(s, STRINGS_BYTES, sz);
		u32 *id = decode_id(&d->strings);
		char *copy;
		int r;

		if (!text || !sz)
			return -EBADMSG;
		copy = id ? mem_strndup(text, sz) : NULL;
		if (!copy)
			return -ENOMEM;
		r = builder__str(d->b, copy, id);
		mem_free(copy);
		if (r)
			return r;
	}
	return 0;
}

/* The string that the next value of a column refers to. */
int decode_string(struct decoding *d, struct section_in *s, u32 col, u32 *ret_id)
{
	u32 number;
	int r = string_refs__take(&d->refs, s, col, &number);

	*ret_id = r ? 0 : *(u32 *)vec__at(&d->strings, number);
	return r;
}

/* False if the parts add up to more than a u64. */
static bool add_wall(struct profile_task *t)
{
	const u64 parts[] = { t->on_ns, t->preempted_ns, t->runq_ns, t->unaccounted_ns };
	bool wrapped = false;
	size_t i;

	t->wall_ns = 0;
	for (i = 0; i < ARRAY_LEN(parts); i++)
		wrapped |= __builtin_add_overflow(t->wall_ns, parts[i], &t->wall_ns);
	for (i = 0; i < PROFILE_STATES; i++)
		wrapped |= __builtin_add_overflow(t->wall_ns, t->blocked_ns[i], &t->wall_ns);
	return !wrapped;
}

static int decode_tasks(struct decoding *d, struct section_in *s)
{
	struct profile_task before = { 0 };
	u32 i, id;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		struct profile_task t = { 0 };

		r = section_in__fields(s, task_fields, task_fields_len, &t, &before);
		if (!r)
			r = decode_string(d, s, TASKS_COMM, &t.comm);
		if (!r)
			r = decode_string(d, s, TASKS_GROUP_COMM, &t.group_comm);
		if (!r && !add_wall(&t))
			r = -EBADMSG;
		if (!r)
			r = builder__task(d->b, &t, &id);
		before = t;
	}
	/* after all others, as they were written */
	for (i = 1; i <= s->rows && !r; i++) {
		r = decode_string(d, s, TASKS_CGROUP_PATH, &id);
		if (!r)
			r = builder__task_cgroup(d->b, i, id);
	}
	for (i = 1; i <= s->rows && !r; i++) {
		r = decode_string(d, s, TASKS_CONTAINER_NAME, &id);
		if (!r)
			r = builder__task_container(d->b, i, id);
	}
	return r;
}

static int decode_bins(struct decoding *d, struct section_in *s)
{
	u64 task = 0;
	u32 i;
	int r = 0;

	for (i = 0; i < s->rows && !r; i++) {
		u64 kind, bucket;

		task += (u64)section_in__zigzag(s, BINS_TASK);
		kind = section_in__uleb(s, BINS_KIND);
		bucket = section_in__uleb(s, BINS_BUCKET);
		if ((u32)task != task)
			return -EBADMSG;
		if (kind >= HIST_KINDS || bucket >= HIST_BINS)
			return -EOPNOTSUPP;
		r = builder__bin(d->b, &(struct profile_bin){
					       .task = (u32)task,
					       .kind = (u16)kind,
					       .bucket = (u16)bucket,
					       .count = section_in__uleb(s, BINS_COUNT),
				       });
	}
	return r;
}

static int decode_block(struct decoding *d, struct view sections)
{
	struct section_in s;
	u32 modules_len = 0;
	int r;

	while ((r = decode_section(&s, &sections)) > 0) {
		r = -EBADMSG; /* of a head */
		if (s.tag == SECTION_STRINGS)
			r = decode_strings(d, &s);
		else if (s.tag == SECTION_TASKS)
			r = decode_tasks(d, &s);
		else if (s.tag == SECTION_MODULES)
			r = decode_modules(d, &s);
		else if (s.tag == SECTION_FRAMES)
			r = decode_frames(d, &s, modules_len);
		else if (s.tag == SECTION_STACKS)
			r = decode_stacks(d, &s);
		else if (s.tag == SECTION_OBJECTS)
			r = decode_objects(d, &s);
		else if (s.tag == SECTION_WAITS)
			r = decode_waits(d, &s);
		else if (s.tag == SECTION_INTERVALS)
			r = decode_intervals(d, &s);
		else if (s.tag == SECTION_REPLICATES)
			r = decode_replicates(d, &s);
		else if (s.tag == SECTION_HOTS)
			r = decode_hots(d, &s);
		else if (s.tag == SECTION_WAKERS)
			r = decode_wakers(d, &s);
		else if (s.tag == SECTION_WAKES)
			r = decode_wakes(d, &s);
		else if (s.tag == SECTION_MOMENTS)
			r = decode_moments(d, &s);
		else if (s.tag == SECTION_MARKS)
			r = decode_marks(d, &s);
		else if (s.tag == SECTION_MEASURED)
			r = decode_measured(d, &s);
		else if (s.tag == SECTION_BINS)
			r = decode_bins(d, &s);
		if (s.tag == SECTION_MODULES)
			modules_len = s.rows;
		if (!r)
			r = section_in__finish(&s);
		if (r)
			return r;
	}
	return r;
}

static int fill_header(struct decoding *d)
{
	const struct window_head *head = d->head;
	struct profile_header *h = builder__header(d->b);
	u32 ids[HEAD_STRINGS], i;
	int r = 0;

	*h = head->hdr;
	for (i = 0; i < HEAD_STRINGS && !r; i++)
		r = builder__str(d->b, head->strings[i], &ids[i]);
	if (r)
		return r;
	h->host = ids[HEAD_HOST];
	h->kernel = ids[HEAD_KERNEL];
	h->arch = ids[HEAD_ARCH];
	h->version = ids[HEAD_VERSION];
	h->command = ids[HEAD_COMMAND];
	h->target = ids[HEAD_TARGET];
	h->hooks = ids[HEAD_HOOKS];
	h->boot = ids[HEAD_BOOT];
	h->selection = ids[HEAD_SELECTION];
	h->source = ids[HEAD_SOURCE];
	h->trigger = ids[HEAD_TRIGGER];
	for (i = 0; i < LOSS_CNT && !r; i++)
		r = builder__loss(d->b, i, head->losses[i].events, head->losses[i].ns);
	return r;
}

/* The head has the sums of what is lost. */
static int lose_waits(struct decoding *d)
{
	const struct window_head *head = d->head;
	int r = builder__loss(d->b, LOSS_DAMAGED, head->listed_waits, head->listed_blocked_ns);

	if (!r)
		r = builder__loss(d->b, LOSS_DAMAGED, 0, head->listed_runq_ns);
	return r ? r :
		   builder__loss(d->b, LOSS_SAMPLES_LOST, head->listed_samples, head->listed_on_ns);
}

static int decode_blocks(struct decoding *d, const struct window_sections *in)
{
	int r = fill_header(d);

	d->has_code = in->has[BLOCK_CODE];
	/* rows of a block without strings refer to none */
	if (!r && !decode_id(&d->strings))
		r = -ENOMEM;
	d->refs = (struct string_refs){ .next = 1, .len = 1 };
	if (!r)
		r = in->has[BLOCK_TASKS] ? decode_block(d, in->at[BLOCK_TASKS]) : -EBADMSG;
	if (!r && in->has[BLOCK_CODE])
		r = in->code ? decode_used(d, in->code, in->at[BLOCK_CODE]) :
			       decode_block(d, in->at[BLOCK_CODE]);
	if (!r)
		r = in->has[BLOCK_WAITS] ? decode_block(d, in->at[BLOCK_WAITS]) : lose_waits(d);
	return r;
}

/* The strings are already in the profile, so this needs no memory. */
static int name_frames(const struct decoding *d, struct profile *p)
{
	u32 i;
	int r = 0;

	for (i = 1; i < d->frames.len && !r; i++) {
		const struct profile_frame *f = vec__at(&d->frames, i);
		u32 id = *(u32 *)vec__at(&d->frame_ids, i);

		if (f->flags & (FRAME_TRUNCATED | FRAME_INLINED))
			continue;
		r = profile__name_frame(p, id, f->name ? profile__str(p, f->name) : NULL,
					f->name_off, f->reason);
		if (!r && f->file)
			r = profile__place_frame(p, id, profile__str(p, f->file), f->line);
	}
	return r;
}

/* Whether the list has the sums that the head states. */
static bool is_whole(const struct window_head *head, const struct window_sections *in,
		     const struct profile *p)
{
	struct window_head seen;

	if (!in->has[BLOCK_WAITS])
		return true;
	window_head__of(&seen, p);
	return seen.listed_waits == head->listed_waits &&
	       seen.listed_blocked_ns == head->listed_blocked_ns &&
	       seen.listed_runq_ns == head->listed_runq_ns &&
	       seen.listed_samples == head->listed_samples &&
	       seen.listed_on_ns == head->listed_on_ns;
}

static int freeze(struct decoding *d, const struct window_sections *in, struct profile **ret)
{
	bool whole = in->has[BLOCK_CODE] && in->has[BLOCK_WAITS];
	struct profile *p;
	int r = builder__freeze(d->b, &p, d->err);

	if (r)
		return r;
	r = name_frames(d, p);
	if (!r && !whole)
		profile__count_unnamed(p);
	if (!r)
		r = profile__check(p, d->err);
	if (!r && !is_whole(d->head, in, p))
		r = err__set(d->err, -EBADMSG, "its waits do not add up to what its head says");
	if (r)
		profile__free(p);
	else
		*ret = p;
	return r;
}

int decode_profile(const struct window_head *head, const struct window_sections *in,
		   struct profile **ret, struct err *err)
{
	struct decoding d = { .head = head, .err = err, .b = builder__new() };
	struct err fault = { 0 };
	int r;

	vec__init(&d.strings, sizeof(u32));
	vec__init(&d.frames, sizeof(struct profile_frame));
	vec__init(&d.frame_ids, sizeof(u32));
	vec__init(&d.waits, sizeof(struct decoded_wait));
	vec__init(&d.objects, sizeof(u32));
	vec__init(&d.wakers, sizeof(u32));
	d.err = &fault;
	r = d.b && decode_id(&d.objects) && decode_id(&d.wakers) ? decode_blocks(&d, in) : -ENOMEM;
	if (!r || r == -EINVAL)
		r = freeze(&d, in, ret);
	builder__free(d.b);
	vec__done(&d.strings);
	vec__done(&d.frames);
	vec__done(&d.frame_ids);
	vec__done(&d.waits);
	vec__done(&d.objects);
	vec__done(&d.wakers);
	if (r == -ENOMEM)
		return err__nomem(err);
	/* a checksum passed, so what a builder or a check refuses was valid for a newer version */
	if (r == -EINVAL)
		r = -EOPNOTSUPP;
	if (r == -EOPNOTSUPP && !*fault.msg)
		return err__set(err, r, "it holds what this version does not know");
	if (r && !*fault.msg)
		return err__set(err, r, "its blocks are not of the form they should have");
	return r ? err__set(err, r, "%s", fault.msg) : 0;
}
