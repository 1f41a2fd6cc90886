/* SPDX-License-Identifier: Apache-2.0 */
#include "render/timeline_names.h"

#include <string.h>

int timeline_names__init(struct timeline_names *n, const struct profile *p, struct cause_memo *memo,
			 struct err *err)
{
	int r;

	memset(n, 0, sizeof(*n));
	if (timeline__init(&n->timeline, p))
		return err__nomem(err);
	r = causes__recall(&n->causes, p, memo, err);
	if (!r && labels__init(&n->labels, p, NULL))
		r = err__nomem(err);
	return r ? r : places__init(&n->places, p, &n->labels, err);
}

void timeline_names__done(struct timeline_names *n)
{
	places__done(&n->places);
	labels__done(&n->labels);
	causes__done(&n->causes);
	timeline__done(&n->timeline);
}
