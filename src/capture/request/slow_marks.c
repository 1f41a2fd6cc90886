/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/request/slow_marks.h"

#include <stddef.h>

/* So many that were begun are watched; then those that ended are forgotten, and then all. */
#define WATCHED_MAX 65536

struct open_mark {
	u32 task; /* 0 of a connection */
	u32 probe; /* without the bit of an end */
	u32 connection;
	u32 depth; /* not part of the key from here on: calls; 1 since the first read; 0: none */
	u64 begin_ns;
	bool answered; /* something was written since the read */
	bool told;
	bool is_anew;
};

int slow_marks__init(struct slow_marks *s, u64 least_ns)
{
	*s = (struct slow_marks){ .least_ns = least_ns };
	return intern__init(&s->open, sizeof(struct open_mark), offsetof(struct open_mark, depth));
}

void slow_marks__done(struct slow_marks *s)
{
	intern__done(&s->open);
}

static bool goes_on(void *arg, void *item)
{
	const struct open_mark *o = item;

	(void)arg;
	return o->depth && !o->answered;
}

static bool none(void *arg, void *item)
{
	(void)arg;
	(void)item;
	return false;
}

static void begin(struct open_mark *o, const struct cs_mark *m)
{
	if (!m->connection && o->depth++)
		return;
	if (m->connection && o->depth && !o->answered)
		return;
	o->depth = 1;
	o->begin_ns = m->at_ns;
	o->answered = false;
	o->told = false;
}

static void end(struct slow_marks *s, struct open_mark *o, const struct cs_mark *m)
{
	if (!o->depth)
		return;
	if (!m->connection && --o->depth)
		return;
	o->answered = true;
	if (m->at_ns - o->begin_ns <= s->least_ns || o->told)
		return;
	s->noticed = true;
	o->told = true;
}

void slow_marks__see(struct slow_marks *s, const struct cs_mark *m, bool anew)
{
	struct open_mark key = { .task = m->connection ? 0 : m->task,
				 .probe = m->probe & ~1U,
				 .connection = m->connection },
			 *o;
	u32 id;

	if (!s->least_ns)
		return;
	if (intern__len(&s->open) >= WATCHED_MAX)
		intern__retain(&s->open, goes_on, NULL);
	if (intern__len(&s->open) >= WATCHED_MAX)
		intern__retain(&s->open, none, NULL);
	if (intern__add(&s->open, &key, &id))
		return;
	o = intern__at(&s->open, id);
	if (!(m->probe & 1)) {
		o->is_anew = anew;
		o->depth = anew ? 0 : o->depth;
	}
	if (m->probe & 1)
		end(s, o, m);
	else
		begin(o, m);
}

bool slow_marks__take(struct slow_marks *s, u64 now_ns)
{
	bool noticed = s->noticed;

	s->noticed = false;
	if (!s->least_ns)
		return false;
	for (u32 i = 1; i < intern__len(&s->open); i++) {
		struct open_mark *o = intern__at(&s->open, i);

		if (o->connection || o->is_anew || !o->depth || o->told || now_ns <= o->begin_ns ||
		    now_ns - o->begin_ns <= s->least_ns)
			continue;
		noticed = true;
		o->told = true;
	}
	return noticed;
}
