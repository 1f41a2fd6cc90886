/* SPDX-License-Identifier: Apache-2.0 */
/* One statement for a table of thousands of hosts: nothing of threads and stacks is fetched. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/loading.h"

/* Rows are by host, so it is the last one, or new. */
static struct fleet_host *find_host(struct fleet_hosts *h, u32 name)
{
	struct fleet_host *host = h->hosts.len ? vec__at(&h->hosts, h->hosts.len - 1) : NULL;

	if (host && host->name == name)
		return host;
	host = vec__push(&h->hosts);
	if (host)
		*host = (struct fleet_host){ .name = name };
	return host;
}

static int take_host(struct fleet_hosts *h, struct fleet_answer *a, u64 *ret_ns)
{
	u32 name, cause, class;
	struct fleet_host *host;
	enum cause as;
	int r = fleet_answer__text(a, &h->names, &name);

	if (!r)
		r = fleet_answer__text(a, &h->names, &cause);
	if (!r)
		r = fleet_answer__text(a, &h->names, &class);
	*ret_ns = fleet_answer__u64(a);
	host = r ? NULL : find_host(h, name);
	if (!host)
		return -ENOMEM;
	if (strcmp(strtab__get(&h->names, class), class_name(CLASS_IDLE)) == 0) {
		host->idle_ns += *ret_ns;
		return 0;
	}
	/* a cause of a later coldspot */
	as = cause_find(strtab__get(&h->names, cause));
	host->off_ns += *ret_ns;
	host->by_cause_ns[as < CAUSE_CNT ? as : CAUSE_UNKNOWN] += *ret_ns;
	return 0;
}

static int take_hosts(struct loading *l, struct view body, struct err *err)
{
	struct fleet_answer a;
	int r = fleet_answer__begin(&a, body, err), more = 0;

	vec__reset(&l->hosts->hosts);
	l->sums.ns = 0;
	while (!r && (more = fleet_answer__row(&a, err)) > 0) {
		u64 ns;

		r = take_host(l->hosts, &a, &ns);
		if (r)
			err__nomem(err);
		else
			l->sums.ns += ns;
	}
	fleet_answer__done(&a);
	return r ? r : more;
}

static int longest_first(const void *x, const void *y)
{
	const struct fleet_host *a = x, *b = y;

	if (a->off_ns != b->off_ns)
		return a->off_ns < b->off_ns ? 1 : -1;
	return a->name < b->name ? -1 : a->name > b->name;
}

int fleet_hosts__load(struct fleet_hosts *h, const struct fleet_options *opt,
		      struct notices *notices, struct fleet_found *found, struct err *err)
{
	struct loading l;
	int r = loading__begin(&l, opt, notices, found, err);

	vec__init(&h->hosts, sizeof(struct fleet_host));
	if (strtab__init(&h->names) && !r)
		r = err__nomem(err);
	l.hosts = h;
	if (!r)
		r = loading__find(&l, question__hosts, take_hosts, &l.sums.ns, err);
	if (!r && !h->hosts.len)
		r = err__set(err, -ENOENT,
			     "nothing selected: --service matches no wait of %zu windows",
			     l.sums.windows.len);
	if (!r)
		r = loading__say(&l, err);
	h->windows = l.sums.windows.len;
	if (!r && h->hosts.len)
		qsort(h->hosts.data, h->hosts.len, sizeof(struct fleet_host), longest_first);
	loading__done(&l);
	return r;
}

void fleet_hosts__done(struct fleet_hosts *h)
{
	vec__done(&h->hosts);
	strtab__done(&h->names);
}
