/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens the directory of a perf map, even if the map does not exist yet: it can be found there
 * later, even after the process has exited. A jitdump can only be found while the process exists,
 * by its mapping; writers create it before the first code.
 */
#include "capture/mapping/code_places.h"

#include <errno.h>

#include "base/log.h"

void code_places__init(struct code_places *cp)
{
	vec__init(&cp->list, sizeof(struct code_place));
}

void code_places__done(struct code_places *cp)
{
	if (!cp)
		return;
	for (size_t i = 0; i < cp->list.len; i++)
		code_place__done(vec__at(&cp->list, i));
	vec__done(&cp->list);
}

static struct code_place *place_of(struct code_places *cp, u32 tgid)
{
	struct code_place *place;

	for (size_t i = 0; i < cp->list.len; i++) {
		place = vec__at(&cp->list, i);
		if (place->tgid == tgid)
			return place;
	}
	place = vec__push(&cp->list);
	if (place)
		code_place__init(place, tgid);
	return place;
}

int code_places__see(struct code_places *cp, u32 tgid)
{
	struct code_place *place = place_of(cp, tgid);
	struct err err = { 0 };
	struct maps maps;
	bool live;

	if (!place)
		return -ENOMEM;
	live = !maps__read(&maps, tgid, NULL);
	if (code_place__look(place, live ? &maps : NULL, &err))
		log_debug("%s", err.msg);
	maps__done(&maps);
	return 0;
}

int code_places__give(struct code_places *cp, int (*give)(void *arg, struct code_place *place),
		      void *arg)
{
	int r = 0;

	for (size_t i = 0; !r && i < cp->list.len; i++)
		r = give(arg, vec__at(&cp->list, i));
	if (!r)
		cp->list.len = 0;
	return r;
}
