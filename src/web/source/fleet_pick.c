/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/fleet_pick.h"

#include "analysis/cause/syscall_name.h"
#include "app/past/past.h"

#define MOST_MS (~0ULL / NSEC_PER_MSEC - 1)

static const struct time_range last_hour = {
	.from = { .kind = TIME_POINT_BEFORE_END, .ns = PAST_DEFAULT_NS },
	.to = { .kind = TIME_POINT_BEFORE_END },
};

static struct time_point wall(u64 ms)
{
	return (struct time_point){ .kind = TIME_POINT_WALL, .ns = ms * NSEC_PER_MSEC };
}

/* `own` may be used. */
static const struct time_range *time_of(const struct web *w, const struct fleet_pick *pick,
					struct time_range *own)
{
	if (pick->time && !past_range_is_empty(pick->time))
		return pick->time;
	*own = (struct time_range){ 0 };
	if (pick->range.from > 1)
		own->from = wall(pick->range.from < MOST_MS ? pick->range.from : MOST_MS);
	if (pick->range.to < MOST_MS)
		own->to = wall(pick->range.to);
	if (!past_range_is_empty(own))
		return own;
	return past_range_is_empty(&w->opt.range) ? &last_hour : &w->opt.range;
}

static struct fleet_options options_of(const struct web *w, const struct fleet_pick *pick,
				       struct time_range *own)
{
	return (struct fleet_options){
		.url = w->opt.url,
		.range = time_of(w, pick, own),
		.hosts = pick->hosts && pick->hosts->len ? pick->hosts : w->opt.hosts,
		.services =
			pick->services && pick->services->len ? pick->services : w->opt.services,
		.import = {
			.version = w->opt.version,
			.arch = syscall_arch(),
			.syscall_number = syscall_number,
		},
		.stop = w->opt.is_over,
	};
}

int fleet_pick__load(const struct web *w, const struct fleet_pick *pick, struct profile **ret,
		     struct err *err)
{
	struct time_range own;
	const struct fleet_options opt = options_of(w, pick, &own);
	struct fleet_found found;
	struct notices notices;
	int r;

	*ret = NULL;
	notices__init(&notices);
	/* viewers get the same sentences with the hosts of that time */
	r = fleet_load(&opt, &notices, ret, &found, err);
	notices__done(&notices);
	return r;
}

int fleet_pick__hosts(const struct web *w, const struct fleet_pick *pick, struct fleet_hosts *hosts,
		      struct notices *notices, struct fleet_found *found, struct err *err)
{
	struct time_range own;
	const struct fleet_options opt = options_of(w, pick, &own);

	return fleet_hosts__load(hosts, &opt, notices, found, err);
}
