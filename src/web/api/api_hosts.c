/* SPDX-License-Identifier: Apache-2.0 */
/* The hosts of a fleet by cause, longest waits first. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "web/api/routes.h"
#include "web/ask/ask.h"
#include "web/source/fleet_pick.h"

struct hosts_found {
	struct fleet_hosts hosts;
	struct notices notices;
	struct fleet_found found;
};

static void put_host(struct json *j, const struct fleet_hosts *hosts, const struct fleet_host *h)
{
	json__object(j, NULL);
	json__text(j, "name", strtab__get(&hosts->names, h->name));
	json__u64(j, "off_ns", h->off_ns);
	json__u64(j, "idle_ns", h->idle_ns);
	json__object(j, "causes");
	for (u32 i = 0; i < CAUSE_CNT; i++) {
		if (h->by_cause_ns[i])
			json__u64(j, cause_name((enum cause)i), h->by_cause_ns[i]);
	}
	json__end_object(j);
	json__end_object(j);
}

static void put_all(const struct hosts_found *f, const char *search, struct sink *out)
{
	const u64 now_ns = clock_wall_ns(), to_ns = f->found.span.to_ns;
	struct json j = JSON_TO(out);

	json__object(&j, NULL);
	json__u64(&j, "since_ms", f->found.span.from_ns / NSEC_PER_MSEC);
	json__u64(&j, "until_ms", (to_ns < now_ns ? to_ns : now_ns) / NSEC_PER_MSEC);
	json__u64(&j, "windows", f->hosts.windows);
	json__bool(&j, "damaged", f->found.damaged);
	json__array(&j, "notices");
	for (size_t i = 0; i < notices__len(&f->notices); i++)
		json__text(&j, NULL, notices__at(&f->notices, i));
	json__end_array(&j);
	json__array(&j, "hosts");
	for (size_t i = 0; i < f->hosts.hosts.len; i++) {
		const struct fleet_host *h = vec__at(&f->hosts.hosts, i);

		if (!search || strcasestr(strtab__get(&f->hosts.names, h->name), search))
			put_host(&j, &f->hosts, h);
	}
	json__end_array(&j);
	json__end_object(&j);
}

static int answer_hosts(struct web *w, const struct fleet_pick *pick, const char *search,
			struct answer *a, struct err *err)
{
	struct hosts_found f = { 0 };
	int r = web__enter(w, err);

	if (r)
		return r;
	notices__init(&f.notices);
	r = fleet_pick__hosts(w, pick, &f.hosts, &f.notices, &f.found, err);
	if (!r)
		put_all(&f, search, &a->body);
	fleet_hosts__done(&f.hosts);
	notices__done(&f.notices);
	web__leave(w);
	return r;
}

int api_hosts(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	const char *search = query__text(&rq->query, "search");
	struct ask ask;
	int r = ask__init_filters(&ask, &rq->query, err);
	const struct fleet_pick pick = {
		.range = ask.range,
		.time = &ask.time,
		.hosts = &ask.hosts,
		.services = &ask.services,
	};

	/* sums of hosts have none of what the filters of waits are about */
	if (!r && ask__has_filters(&ask))
		r = err__set(err, -EINVAL, "only host=, service= and a time select hosts");
	if (!r)
		r = ask_time(&rq->query, &ask.time, err);
	if (!r)
		r = ask_fleet(&ask, &rq->query, err);
	if (!r)
		r = query__check(&rq->query, err);
	if (!r)
		r = answer_hosts(w, &pick, search, a, err);
	ask__done(&ask);
	return r;
}
