/* SPDX-License-Identifier: Apache-2.0 */
/* Three statements: which windows, their sums, and the stacks of these. */
#include "fleet/fleet.h"

#include <errno.h>
#include <stdio.h>

#include "fleet/fleet_head.h"
#include "fleet/loading.h"

static int take_sums(struct loading *l, struct view body, struct err *err)
{
	return fleet_sums__take_sums(&l->sums, body, err);
}

static int take_stacks(struct loading *l, struct view body, struct err *err)
{
	return fleet_sums__take_stacks(&l->sums, body, err);
}

static int take_threads(struct loading *l, struct view body, struct err *err)
{
	return loading__take_numbers(body, &l->threads, 1, err);
}

static int say_stacks(struct loading *l, struct err *err)
{
	char text[128];

	if (!l->sums.unknown_stacks)
		return 0;
	snprintf(text, sizeof(text), "the server no longer has the stacks of %llu waits",
		 l->sums.unknown_stacks);
	return notices__add(l->notices, text) ? err__nomem(err) : 0;
}

static int build(struct loading *l, struct profile **ret, struct err *err)
{
	struct import_options import = l->opt->import;
	const struct fleet_head head = {
		.sums = &l->sums,
		.services = l->opt->services,
		.name = l->url.name,
		.threads = l->threads,
	};
	struct gather g;
	int r;

	import.name = l->url.name;
	r = gather__init(&g, &import);
	if (!r)
		r = fleet_sums__gather(&l->sums, &g);
	if (r == -ENOMEM)
		err__nomem(err);
	else if (r)
		err__set(err, r, "'%s': times add up to more than a number can hold", l->url.name);
	if (!r)
		r = say_stacks(l, err);
	if (!r)
		r = fleet_head__finish(&head, &g, ret, err);
	gather__done(&g);
	return r;
}

static int load(struct loading *l, struct profile **ret, struct err *err)
{
	int r = loading__find(l, question__sums, take_sums, &l->sums.ns, err);

	if (!r && !l->sums.sums.len)
		r = err__set(err, -ENOENT,
			     "nothing selected: --service matches no wait of %zu windows",
			     l->sums.windows.len);
	if (!r)
		r = loading__ask(l, question__stacks, take_stacks, err);
	if (!r && l->opt->services->len)
		r = loading__ask(l, question__threads, take_threads, err);
	if (!r)
		r = loading__say(l, err);
	return r ? r : build(l, ret, err);
}

int fleet_load(const struct fleet_options *opt, struct notices *notices, struct profile **ret,
	       struct fleet_found *found, struct err *err)
{
	struct loading l;
	int r = loading__begin(&l, opt, notices, found, err);

	*ret = NULL;
	if (!r)
		r = load(&l, ret, err);
	loading__done(&l);
	return r;
}
