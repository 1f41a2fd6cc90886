/* SPDX-License-Identifier: Apache-2.0 */
/* Days are read from the oldest on: tests of windows need them in the order of time. */
#include "app/past/regressions.h"

#include <errno.h>

#include "app/store_hours.h"
#include "app/store_windows.h"
#include "base/clock.h"

#define HOUR_NS (3600 * NSEC_PER_SEC)
#define DAY_NS (24 * HOUR_NS)

struct reading {
	const struct regressions_question *q;
	struct regress_rows *rows;
	struct store *store;
	struct notices *notices;
	u32 day; /* at hand */
	u32 windows; /* of it so far */
	bool by_visits; /* some windows, and */
	bool by_hooks;
};

static bool is_given(const struct time_range *range)
{
	return range->from.kind || range->to.kind || range->at.kind;
}

/* What the user means, in a store that ends at `last_ns`. */
static int find_span(const struct reading *rd, u64 first_ns, u64 last_ns, struct time_span *ret,
		     struct err *err)
{
	const struct time_range *range = &rd->q->range;
	int r;

	if (!is_given(range)) {
		ret->to_ns = last_ns / HOUR_NS * HOUR_NS;
		if (ret->to_ns < first_ns + HOUR_NS)
			return err__set(err, -ENOENT, "the store has no full hour yet");
		ret->from_ns = ret->to_ns - HOUR_NS;
		return 0;
	}
	r = time_range__span(range, first_ns, last_ns, ret, err);
	if (r)
		return r;
	if (range->at.kind) {
		ret->from_ns = ret->from_ns / HOUR_NS * HOUR_NS;
		ret->to_ns = ret->from_ns + HOUR_NS;
	}
	ret->from_ns = range->from.kind || range->at.kind ? ret->from_ns : first_ns;
	ret->to_ns = ret->to_ns > last_ns && !range->at.kind ? last_ns : ret->to_ns;
	if (ret->from_ns >= ret->to_ns)
		return err__set(err, -ENOENT, "the store has no windows in that time");
	if (ret->to_ns - ret->from_ns > DAY_NS)
		return err__set(err, -EINVAL,
				"a range of more than a day overlaps the day before: give --since "
				"and --until of one day");
	return 0;
}

static bool is_sum(const struct profile *p)
{
	return p->hdr.windows > 1 || p->hdr.unknown & UNKNOWN_FOLDED;
}

static int add(void *arg, struct profile *p, struct err *err)
{
	struct reading *rd = arg;
	int r = regress_rows__add(rd->rows, p, rd->q->rules, rd->day, is_sum(p), err);

	rd->windows++;
	rd->by_visits |= p->hdr.visit_hz > 0;
	rd->by_hooks |= p->hdr.visit_hz == 0;
	profile__free(p);
	return r;
}

static int read_windows(struct reading *rd, struct store *store, const struct time_span *span,
			struct err *err)
{
	const struct store_search search = {
		.store = store,
		.span = *span,
		.by_middle = true,
		.notices = rd->notices,
		.each = add,
		.arg = rd,
	};

	return store_search__run(&search, err);
}

/* Whole hours, if their windows are gone. */
static int read_sums(struct reading *rd, const struct time_span *span, struct err *err)
{
	struct store *hours;
	u64 until_ns;
	int r;

	if (span->from_ns % HOUR_NS || span->to_ns % HOUR_NS)
		return 0;
	r = store_hours__open(rd->store, rd->q->store, span, &hours, &until_ns, err);
	if (!r && hours)
		r = read_windows(rd, hours, span, err);
	store__close(hours);
	return r;
}

static int read_day(struct reading *rd, const struct time_span *span, struct err *err)
{
	u64 back_ns = rd->day * DAY_NS;
	const struct time_span day = { span->from_ns - back_ns, span->to_ns - back_ns };
	int r;

	if (back_ns > span->from_ns)
		return 0;
	rd->windows = 0;
	r = read_windows(rd, rd->store, &day, err);
	return r || rd->windows ? r : read_sums(rd, &day, err);
}

static int say(struct reading *rd, const char *text, struct err *err)
{
	return notices__add(rd->notices, text) ? err__nomem(err) : 0;
}

static int read_all(struct reading *rd, struct time_span *span, struct err *err)
{
	u64 first_ns, last_ns;
	int r = store__span(rd->store, &first_ns, &last_ns, err);

	if (!r)
		r = find_span(rd, first_ns, last_ns, span, err);
	for (u64 day = rd->q->days + 1; day-- > 0 && !r;) {
		rd->day = (u32)day;
		r = read_day(rd, span, err);
	}
	for (size_t i = 0; !r && store__damage(rd->store, i); i++)
		r = say(rd, store__damage(rd->store, i), err);
	if (!r && rd->by_visits && rd->by_hooks)
		r = say(rd,
			"some windows are of visits, which cannot tell all causes: a change of "
			"cause may be that alone",
			err);
	return r;
}

int regressions_read(const struct regressions_question *q, struct regress_rows *rows,
		     struct time_span *ret_span, struct notices *notices, struct err *err)
{
	struct reading rd = { .q = q, .rows = rows, .notices = notices };
	int r = store__open(q->store, &rd.store, err);

	if (!r)
		r = read_all(&rd, ret_span, err);
	store__close(rd.store);
	return r;
}
