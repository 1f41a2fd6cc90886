/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row is a task, a place and a word, as a person asks for it; stacks below one place differ in
 * what the runtime does, and are put together. The list is built in two turns: parts by waker,
 * which are sorted so that those of a row follow each other, then rows.
 */
#include "analysis/view/measured_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/label.h"
#include "analysis/name/place.h"
#include "base/intern.h"
#include "base/mem.h"

struct part {
	u32 comm; /* string of the profile */
	u32 place; /* text of places, and the next two */
	u32 word; /* string of a note; 0: none */
	u32 is_idle;
	u32 waker;
	/* behind the key: */
	u64 count;
	u64 total_ns;
	u64 max_ns;
	u64 hist[PROFILE_HIST_LEN];
	u64 row_ns; /* of all parts of its row */
};

/* The key of a row. */
#define ROW_KEY_SZ offsetof(struct part, waker)

struct build {
	const struct profile *p;
	struct arena *a;
	struct labels labels;
	struct places places;
	struct intern parts; /* struct part */
	struct causes causes; /* by index of a measured wait */
};

/* The name of the note at the inner end of a stack, as a string of the profile; 0: none. */
static u32 note_of(const struct profile *p, u32 stack)
{
	const struct profile_frame *leaf = &p->frames[p->stacks[stack].frame];

	return stack && p->modules[leaf->module].kind == MODULE_NOTE ? leaf->name : 0;
}

/* Rules look at waits. */
static int find_causes(struct build *b, const struct ruleset *rules)
{
	struct profile as_waits = *b->p;
	int r;

	as_waits.waits_len = b->p->measured_len;
	as_waits.waits = mem_array(as_waits.waits_len, sizeof(*as_waits.waits));
	if (!as_waits.waits)
		return -ENOMEM;
	for (u32 i = 1; i < as_waits.waits_len; i++)
		as_waits.waits[i] = (struct profile_wait){ .task = b->p->measured[i].task,
							   .ustack = b->p->measured[i].ustack,
							   .sysno = -1,
							   .state = 1, /* of "RSDTtXZPI": S */
							   .flags = WAIT_VISITED };
	r = causes__init(&b->causes, &as_waits, rules, NULL);
	mem_free(as_waits.waits);
	return r;
}

static int add_one(struct build *b, u32 measured)
{
	const struct profile_measured *m = &b->p->measured[measured];
	struct part part = {
		.comm = b->p->tasks[m->task].comm,
		.word = note_of(b->p, m->ustack),
		.is_idle = causes__class(&b->causes, measured) == CLASS_IDLE,
	};
	struct part *sum;
	int r = places__user(&b->places, m->ustack, &part.place);
	u32 id;

	if (!r)
		r = places__user(&b->places, m->waker_ustack, &part.waker);
	if (!r)
		r = intern__add(&b->parts, &part, &id);
	if (r)
		return r;
	sum = intern__at(&b->parts, id);
	sum->count += m->count;
	sum->total_ns += m->total_ns;
	sum->max_ns = sum->max_ns > m->max_ns ? sum->max_ns : m->max_ns;
	for (u32 i = 0; i < PROFILE_HIST_LEN; i++)
		sum->hist[i] += m->hist[i];
	return 0;
}

static int by_row(const void *a, const void *b)
{
	int c = memcmp(a, b, ROW_KEY_SZ);

	return c ? c : memcmp(a, b, offsetof(struct part, count));
}

/* Longest row first, waits for work last; in a row, longest waker first. */
static int by_time(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int c;

	if (x->is_idle != y->is_idle)
		return x->is_idle ? 1 : -1;
	if (x->row_ns != y->row_ns)
		return x->row_ns > y->row_ns ? -1 : 1;
	c = memcmp(x, y, ROW_KEY_SZ);
	if (c)
		return c;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return by_row(a, b);
}

static bool same_row(const struct part *x, const struct part *y)
{
	return !memcmp(x, y, ROW_KEY_SZ);
}

static void sum_rows(struct part *parts, size_t len)
{
	for (size_t i = 0, end; i < len; i = end) {
		u64 ns = 0;

		for (end = i; end < len && same_row(&parts[i], &parts[end]); end++)
			ns += parts[end].total_ns;
		for (size_t k = i; k < end; k++)
			parts[k].row_ns = ns;
	}
}

/* Texts of places live as long as these. */
static const char *keep(struct build *b, u32 text)
{
	return arena__strdup(b->a, places__text(&b->places, text));
}

static int add_row(struct build *b, const struct part *parts, u32 len, struct measured_row *row,
		   struct measured_waker *wakers)
{
	*row = (struct measured_row){ .comm = profile__str(b->p, parts->comm),
				      .place = keep(b, parts->place),
				      .word = profile__str(b->p, parts->word),
				      .is_idle = parts->is_idle,
				      .wakers = wakers,
				      .wakers_len = len };
	for (u32 i = 0; i < len; i++) {
		wakers[i] = (struct measured_waker){ keep(b, parts[i].waker), parts[i].count,
						     parts[i].total_ns };
		if (!wakers[i].place)
			return -ENOMEM;
		row->count += parts[i].count;
		row->total_ns += parts[i].total_ns;
		row->max_ns = row->max_ns > parts[i].max_ns ? row->max_ns : parts[i].max_ns;
		for (u32 k = 0; k < PROFILE_HIST_LEN; k++)
			row->hist[k] += parts[i].hist[k];
	}
	return row->place ? 0 : -ENOMEM;
}

static int make_rows(struct build *b, struct measured_rows *ret)
{
	u32 len = intern__len(&b->parts) - 1;
	struct part *parts = len ? intern__at(&b->parts, 1) : NULL;
	struct measured_row *rows = arena__alloc(b->a, (len + 1) * sizeof(*rows));
	struct measured_waker *wakers = arena__alloc(b->a, (len + 1) * sizeof(*wakers));
	int r = 0;

	if (!rows || !wakers)
		return -ENOMEM;
	if (len)
		qsort(parts, len, sizeof(*parts), by_row);
	sum_rows(parts, len);
	if (len)
		qsort(parts, len, sizeof(*parts), by_time);
	for (u32 i = 0, end; !r && i < len; i = end) {
		for (end = i; end < len && same_row(&parts[i], &parts[end]);)
			end++;
		r = add_row(b, &parts[i], end - i, &rows[ret->len], &wakers[i]);
		ret->count += rows[ret->len++].count;
	}
	ret->rows = rows;
	return r;
}

static int build(struct build *b, const struct ruleset *rules, struct measured_rows *ret)
{
	int r = labels__init(&b->labels, b->p, NULL);

	if (!r)
		r = places__init(&b->places, b->p, &b->labels, NULL);
	if (!r)
		r = intern__init(&b->parts, sizeof(struct part), offsetof(struct part, count));
	if (!r)
		r = find_causes(b, rules);
	for (u32 i = 1; !r && i < b->p->measured_len; i++)
		r = add_one(b, i);
	if (!r)
		r = make_rows(b, ret);
	if (b->parts.items.elem_sz)
		intern__done(&b->parts);
	causes__done(&b->causes);
	places__done(&b->places);
	labels__done(&b->labels);
	return r;
}

int measured_rows__build(const struct profile *p, const struct cause_memo *memo, struct arena *a,
			 struct measured_rows *ret)
{
	struct build b = { .p = p, .a = a };

	*ret = (struct measured_rows){ 0 };
	return build(&b, memo ? memo->rules : NULL, ret);
}
