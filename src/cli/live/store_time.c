/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/store_time.h"

#include <stdio.h>

#include "base/clock.h"

/* On both sides of an instant. */
#define AROUND_NS (PAST_DEFAULT_NS / 2)

/* An instant alone says nothing of what was usual: it is shown in the hour around it. */
static void widen(struct store_time *st)
{
	u64 at_ns = st->span.from_ns;

	st->at_ns = at_ns;
	st->range = (struct time_range){
		.from = { .kind = TIME_POINT_WALL,
			  .ns = at_ns > AROUND_NS ? at_ns - AROUND_NS : 0 },
		.to = { .kind = TIME_POINT_WALL, .ns = at_ns + AROUND_NS },
	};
	st->span = (struct time_span){ st->range.from.ns, st->range.to.ns };
}

static int find(struct store_time *st, struct past *past, const struct time_range *range,
		struct err *err)
{
	struct past_choice choice;
	int r = past__span(past, range, &st->span, err);

	if (r)
		return r;
	choice = PAST_ALL(st->span);
	r = past__choose(past, &choice, err);
	if (!r && !past__len(past))
		r = past__nothing(past, &st->span, err);
	return r;
}

static void say(const struct past *past, const struct time_range *range)
{
	char from[40], to[40];
	size_t i, len = past__len(past);
	const struct past_window *last = past__at(past, len - 1);

	for (i = 0; i < notices__len(&past->notices); i++)
		fprintf(stderr, "coldspot: %s\n", notices__at(&past->notices, i));
	if (!past_range_is_empty(range))
		return;
	clock_format_wall(past__at(past, 0)->begin_ns, from, sizeof(from));
	clock_format_wall(last->begin_ns + last->window_ns, to, sizeof(to));
	fprintf(stderr,
		"coldspot: showing the last hour of the store, %s to %s; --since, --until and --at "
		"choose another time\n",
		from, to);
}

int store_time__init(struct store_time *st, const char *dir, const struct time_range *range,
		     struct err *err)
{
	struct past past;
	int r = past__init(&past, dir, err);

	*st = (struct store_time){ .range = *range };
	if (!r)
		r = find(st, &past, range, err);
	if (!r)
		say(&past, range);
	if (!r && range->at.kind)
		widen(st);
	past__done(&past);
	return r;
}
