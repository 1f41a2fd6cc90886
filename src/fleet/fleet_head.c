/* SPDX-License-Identifier: Apache-2.0 */
/* As for merged recordings: hosts are listed, and lengths are those of the time that is covered. */
#include "fleet/fleet_head.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/sink.h"

/* More hosts than this are counted. */
#define SHOWN_HOSTS 6

#define UNKNOWN ((u32)(UNKNOWN_MACHINE | UNKNOWN_ON_CPU | UNKNOWN_LOSSES | UNKNOWN_LENGTHS))

static const struct fleet_window *window_at(const struct fleet_head *h, size_t i)
{
	return vec__at(&h->sums->windows, i);
}

static u64 end_of(const struct fleet_window *w)
{
	return w->begin_ns + w->window_ns < w->begin_ns ? ~0ULL : w->begin_ns + w->window_ns;
}

/* Windows are by host. */
static int put_hosts(const struct fleet_head *h, struct builder *b)
{
	struct sink out;
	u32 last = 0, hosts = 0;
	int r;

	sink__init_mem(&out);
	for (size_t i = 0; i < h->sums->windows.len; i++) {
		const struct fleet_window *w = window_at(h, i);

		if (i && w->host == last)
			continue;
		last = w->host;
		if (hosts++ < SHOWN_HOSTS)
			sink__printf(&out, "%s%s", hosts > 1 ? ", " : "",
				     strtab__get(&h->sums->strings, last));
	}
	if (hosts > SHOWN_HOSTS)
		sink__printf(&out, " and %u more", hosts - SHOWN_HOSTS);
	r = sink__finish(&out, NULL);
	if (!r)
		r = builder__str(b, out.len ? out.buf : "", &builder__header(b)->host);
	sink__done(&out);
	sink__init_mem(&out);
	sink__printf(&out, "%u host%s", hosts, hosts == 1 ? "" : "s");
	if (!r)
		r = sink__finish(&out, NULL);
	if (!r)
		r = builder__str(b, out.buf, &builder__header(b)->target);
	sink__done(&out);
	return r;
}

static int put_services(const struct fleet_head *h, struct builder *b)
{
	struct profile_header *hdr = builder__header(b);
	struct sink out;
	int r;

	if (!h->services->len)
		return 0;
	sink__init_mem(&out);
	for (size_t i = 0; i < h->services->len; i++)
		sink__printf(&out, "%s--service '%s'", i ? " " : "",
			     *(const char **)vec__at(h->services, i));
	r = sink__finish(&out, NULL);
	if (!r)
		r = builder__str(b, out.buf, &hdr->selection);
	sink__done(&out);
	for (size_t i = 0; i < h->sums->windows.len; i++)
		hdr->whole_off_ns += window_at(h, i)->ns;
	hdr->whole_wall_ns = hdr->whole_off_ns;
	hdr->whole_threads = h->threads < ~0U ? (u32)h->threads : ~0U;
	return r;
}

/* A TID is of one host, and threads that ended within a window may have none. */
static bool counts_are_low(const struct fleet_head *h)
{
	for (size_t i = 1; i < h->sums->windows.len; i++)
		if (window_at(h, i)->host != window_at(h, 0)->host)
			return true;
	for (size_t i = 0; i < h->sums->sums.len; i++)
		if (!((const struct fleet_sum *)vec__at(&h->sums->sums, i))->tid)
			return true;
	return false;
}

static int by_begin(const void *a, const void *b)
{
	const struct fleet_window *x = a, *y = b;

	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* What one host did not record between two of its windows, and what is in two of them. */
static void put_gaps(const struct fleet_head *h, struct profile_header *hdr)
{
	u64 reached_ns = 0;

	for (size_t i = 0; i < h->sums->windows.len; i++) {
		const struct fleet_window *w = window_at(h, i);
		u64 end_ns = end_of(w);

		if (!i || w->host != window_at(h, i - 1)->host)
			reached_ns = w->begin_ns;
		if (w->begin_ns > reached_ns)
			hdr->gap_ns += w->begin_ns - reached_ns;
		else
			hdr->overlap_ns +=
				(end_ns < reached_ns ? end_ns : reached_ns) - w->begin_ns;
		reached_ns = end_ns > reached_ns ? end_ns : reached_ns;
	}
}

/* By any host. */
static int put_times(const struct fleet_head *h, struct profile_header *hdr, u32 *unknown)
{
	size_t len = h->sums->windows.len;
	struct fleet_window *windows = mem_array(len, sizeof(*windows));
	u64 reached_ns = 0;

	if (!windows)
		return -ENOMEM;
	memcpy(windows, h->sums->windows.data, len * sizeof(*windows));
	qsort(windows, len, sizeof(*windows), by_begin);
	for (size_t i = 0; i < len; i++) {
		u64 from_ns = windows[i].begin_ns, end_ns = end_of(&windows[i]);

		if (!windows[i].window_ns)
			*unknown |= UNKNOWN_WINDOW;
		if (windows[i].unnumbered)
			*unknown |= UNKNOWN_RUNQ;
		if (windows[i].sampled || !windows[i].knows_sent)
			*unknown |= UNKNOWN_ERRORS;
		from_ns = from_ns > reached_ns ? from_ns : reached_ns;
		if (end_ns > from_ns) {
			hdr->window_ns += end_ns - from_ns;
			reached_ns = end_ns;
		}
	}
	hdr->begin_wall_ns = windows[0].begin_ns;
	hdr->windows = len < ~0U ? (u32)len : ~0U;
	mem_free(windows);
	return 0;
}

int fleet_head__finish(const struct fleet_head *h, struct gather *g, struct profile **ret,
		       struct err *err)
{
	struct profile_header *hdr = builder__header(g->b);
	u32 unknown = UNKNOWN | (counts_are_low(h) ? UNKNOWN_NUMBERS : 0);
	char source[1200];
	int r = put_hosts(h, g->b);

	if (!r)
		r = put_services(h, g->b);
	if (!r)
		r = put_times(h, hdr, &unknown);
	/* numbers of system calls are of this architecture */
	if (!r && g->opt->arch)
		r = builder__str(g->b, g->opt->arch, &hdr->arch);
	if (r)
		return err__nomem(err);
	if (!(unknown & UNKNOWN_WINDOW))
		put_gaps(h, hdr);
	snprintf(source, sizeof(source), "ClickHouse, %s", h->name);
	return gather__finish(g, source, unknown, ret, err);
}
