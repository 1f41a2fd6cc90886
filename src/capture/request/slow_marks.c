/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/request/slow_marks.h"

#include <stddef.h>

#include "profile/request/mark_pair.h"

/* So many that were begun are watched; then those that ended are forgotten, and then all. */
#define WATCHED_MAX 65536

struct open_mark {
	u32 task; /* 0 of a connection */
	u32 probe; /* without the bit of an end */
	u32 connection;
	u32 pad;
	struct mark_pair pair; /* not part of the key from here on */
	bool is_noticed;
	bool is_anew;
};

int slow_marks__init(struct slow_marks *s, u64 least_ns)
{
	*s = (struct slow_marks){ .least_ns = least_ns };
	return intern__init(&s->open, sizeof(struct open_mark), offsetof(struct open_mark, pair));
}

void slow_marks__done(struct slow_marks *s)
{
	intern__done(&s->open);
}

static bool goes_on(void *arg, void *item)
{
	const struct open_mark *o = item;

	(void)arg;
	return o->pair.depth && !o->pair.answered_ns;
}

static bool none(void *arg, void *item)
{
	(void)arg;
	(void)item;
	return false;
}

/* At the end of a call, or a write. */
static void end(struct slow_marks *s, struct open_mark *o, u64 at_ns)
{
	if (at_ns - o->pair.begin_ns <= s->least_ns || o->is_noticed)
		return;
	s->noticed = true;
	o->is_noticed = true;
}

void slow_marks__see(struct slow_marks *s, const struct cs_mark *m, bool anew)
{
	struct open_mark key = { .task = m->connection ? 0 : m->task,
				 .probe = m->probe & ~1U,
				 .connection = m->connection },
			 *o;
	enum mark_kind kind = m->probe & 1 ? MARK_END : anew ? MARK_BEGIN_ANEW : MARK_BEGIN;
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
	switch (mark_pair__take(&o->pair, kind, m->connection != 0, m->at_ns)) {
	case MARK_BEGAN:
		o->is_noticed = false;
		o->is_anew = anew;
		break;
	case MARK_WROTE:
	case MARK_ENDED:
		end(s, o, m->at_ns);
		break;
	default:
		break;
	}
}

bool slow_marks__take(struct slow_marks *s, u64 now_ns)
{
	bool noticed = s->noticed;

	s->noticed = false;
	if (!s->least_ns)
		return false;
	for (u32 i = 1; i < intern__len(&s->open); i++) {
		struct open_mark *o = intern__at(&s->open, i);

		if (o->connection || o->is_anew || !o->pair.depth || o->is_noticed ||
		    now_ns <= o->pair.begin_ns || now_ns - o->pair.begin_ns <= s->least_ns)
			continue;
		noticed = true;
		o->is_noticed = true;
	}
	return noticed;
}
