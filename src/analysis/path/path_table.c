/* SPDX-License-Identifier: Apache-2.0 */
/* A path has as many parts as there were waits; a person reads the few rows that they amount to. */
#include "analysis/path/path_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/name/object_label.h"
#include "analysis/name/place.h"
#include "analysis/name/waker_label.h"
#include "base/intern.h"
#include "base/mem.h"

/* Of more threads on a path, those with one name are put together. */
#define THREADS_APART 12

/* Strings are ids: of the profile, of the places, of texts. */
struct row_key {
	u32 comm;
	u32 thread; /* 1 + lane; 0: threads of one name are one row */
	u32 kind;
	u32 cause;
	u32 place; /* of `texts`, like object and waker */
	u32 object;
	u32 waker;
};

struct row {
	struct row_key key;
	u32 task;
	u32 threads;
	u32 parts;
	u64 ns;
	u64 longest_ns;
};

struct member {
	u32 row;
	u32 lane;
	u32 one; /* so that no record is all zero */
};

struct tabling {
	const struct critical_path *path;
	const struct profile *p;
	struct labels labels;
	struct places places;
	struct causes causes;
	struct strtab texts;
	struct intern rows; /* struct row */
	struct intern members; /* struct member: threads of rows */
	bool apart; /* threads of one name are several rows */
};

static int find_place(struct tabling *t, const struct profile_wait *w, u32 *ret)
{
	u32 text;
	int r = places__wait(&t->places, w, &text);

	return r ? r : strtab__add(&t->texts, places__text(&t->places, text), ret);
}

static int key_of_wait(struct tabling *t, const struct path_part *part, struct row_key *key)
{
	u32 wait = t->p->moments[part->moment - 1].wait;
	const struct profile_wait *w = &t->p->waits[wait];
	char text[OBJECT_LABEL_SZ];
	int r = 0;

	/* after the wakeup it does not matter what it had waited for */
	if (part->kind == PATH_RUNQ)
		return 0;
	key->cause = causes__of(&t->causes, wait);
	r = find_place(t, w, &key->place);
	if (!r && object_says_something(t->p, w->object))
		r = strtab__add(&t->texts,
				object_label_without_device(t->p, w->object, text, sizeof(text)),
				&key->object);
	if (!r && part->waker)
		r = strtab__add(&t->texts,
				waker_label_shared(t->p, part->waker, text, WAKER_LABEL_SZ),
				&key->waker);
	return r;
}

static int count_thread(struct tabling *t, struct row *row, u32 row_id, u32 lane)
{
	const struct member m = { row_id, lane, 1 };
	u32 before = intern__len(&t->members), id;
	int r = intern__add(&t->members, &m, &id);

	row->threads += intern__len(&t->members) > before;
	return r;
}

static int add_part(struct tabling *t, const struct path_part *part, u32 *ret_row)
{
	struct row fresh = {
		.key = { .comm = t->p->tasks[part->task].comm, .kind = part->kind },
		.task = part->task,
	};
	struct row *row;
	int r = 0;

	if (t->apart)
		fresh.key.thread = t->path->lanes->of_task[part->task] + 1;
	if (part->kind == PATH_RUNNING)
		fresh.key.cause = CAUSE_ON_CPU;
	if (part->moment)
		r = key_of_wait(t, part, &fresh.key);
	if (!r)
		r = intern__add(&t->rows, &fresh, ret_row);
	if (r)
		return r;
	row = intern__at(&t->rows, *ret_row);
	row->ns += part->ns;
	row->parts++;
	if (part->ns > row->longest_ns)
		row->longest_ns = part->ns;
	return count_thread(t, row, *ret_row, t->path->lanes->of_task[part->task]);
}

static int longest_first(const void *a, const void *b, void *arg)
{
	const struct intern *rows = arg;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	u64 x_ns = ((const struct row *)intern__at(rows, x))->ns;
	u64 y_ns = ((const struct row *)intern__at(rows, y))->ns;

	if (x_ns != y_ns)
		return x_ns > y_ns ? -1 : 1;
	return x < y ? -1 : x > y;
}

static const char *copy(const struct tabling *t, struct arena *a, u32 text)
{
	return arena__strdup(a, strtab__get(&t->texts, text));
}

static int fill_row(const struct tabling *t, const struct row *from, struct arena *a,
		    struct path_row *to)
{
	*to = (struct path_row){
		.comm = arena__strdup(a, profile__str(t->p, from->key.comm)),
		.task = from->task,
		.threads = from->threads,
		.kind = from->key.kind,
		.cause = from->key.cause,
		.place = copy(t, a, from->key.place),
		.object = copy(t, a, from->key.object),
		.waker = copy(t, a, from->key.waker),
		.ns = from->ns,
		.longest_ns = from->longest_ns,
		.parts = from->parts,
	};
	return to->comm && to->place && to->object && to->waker ? 0 : -ENOMEM;
}

static int sort(struct tabling *t, struct arena *a, struct path_table *ret)
{
	u32 len = intern__len(&t->rows) - 1, i;
	u32 *ids = mem_array((size_t)len + 1, sizeof(*ids));
	u32 *place = mem_array((size_t)len + 1, sizeof(*place));
	int r = 0;

	ret->rows = arena__array(a, (size_t)len + 1, sizeof(*ret->rows));
	if (!ids || !place || !ret->rows)
		r = -ENOMEM;
	for (i = 0; i < len && !r; i++)
		ids[i] = i + 1;
	if (!r)
		qsort_r(ids, len, sizeof(*ids), longest_first, &t->rows);
	for (i = 0; i < len && !r; i++) {
		place[ids[i]] = i;
		r = fill_row(t, intern__at(&t->rows, ids[i]), a, &ret->rows[i]);
		ret->ns += ret->rows[i].ns;
		if (path_kind_is_known((enum path_kind)ret->rows[i].kind))
			ret->known_ns += ret->rows[i].ns;
	}
	for (i = 0; i < t->path->parts.len && !r; i++)
		ret->row_of_part[i] = place[ret->row_of_part[i]];
	ret->len = len;
	mem_free(ids);
	mem_free(place);
	return r;
}

/* Whether each of the threads may have rows of its own. -ENOMEM or 0. */
static int count_threads(struct tabling *t)
{
	const struct lanes *lanes = t->path->lanes;
	bool *seen = mem_array((size_t)lanes->len + 1, sizeof(*seen));
	u32 count = 0, i;

	for (i = 0; seen && i < t->path->parts.len; i++) {
		const struct path_part *part = vec__at(&t->path->parts, i);
		u32 lane = lanes->of_task[part->task];

		count += !seen[lane];
		seen[lane] = true;
	}
	t->apart = count <= THREADS_APART;
	mem_free(seen);
	return seen ? 0 : -ENOMEM;
}

static int begin(struct tabling *t, struct cause_memo *memo)
{
	int r = causes__recall(&t->causes, t->p, memo, NULL);

	if (!r)
		r = labels__init(&t->labels, t->p, NULL);
	if (!r)
		r = places__init(&t->places, t->p, &t->labels, NULL);
	if (!r)
		r = strtab__init(&t->texts);
	if (!r)
		r = intern__init(&t->rows, sizeof(struct row), sizeof(struct row_key));
	if (!r)
		r = count_threads(t);
	if (!r)
		r = intern__init(&t->members, sizeof(struct member), sizeof(struct member));
	return r;
}

int path_table__build(const struct critical_path *path, struct cause_memo *memo, struct arena *a,
		      struct path_table *ret, struct err *err)
{
	struct tabling t = { .path = path, .p = path->lanes->p };
	u32 i;
	int r = begin(&t, memo);

	memset(ret, 0, sizeof(*ret));
	ret->row_of_part = arena__array(a, path->parts.len + 1, sizeof(*ret->row_of_part));
	if (!ret->row_of_part)
		r = -ENOMEM;
	for (i = 0; i < path->parts.len && !r; i++)
		r = add_part(&t, vec__at(&path->parts, i), &ret->row_of_part[i]);
	if (!r)
		r = sort(&t, a, ret);
	intern__done(&t.members);
	intern__done(&t.rows);
	strtab__done(&t.texts);
	places__done(&t.places);
	labels__done(&t.labels);
	causes__done(&t.causes);
	return r ? err__nomem(err) : 0;
}
