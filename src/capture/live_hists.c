/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Histograms during a trace. Threads are walked first and the ring buffer is read afterwards, so
 * that a thread that exits in between is in both rather than in neither; its own record takes
 * precedence.
 */
#include <errno.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "base/map64.h"
#include "capture/capture_priv.h"

_Static_assert(sizeof(((struct capture_hist *)0)->comm) >= CS_COMM_LEN, "a name with its NUL");

static void fill(struct capture_hist *h, const struct cs_task_record *rec,
		 const struct task_hists *hists, size_t idx)
{
	*h = (struct capture_hist){ .tid = rec->tid,
				    .tgid = rec->tgid,
				    .pidns_inum = rec->pidns_inum };
	memcpy(h->comm, rec->comm, sizeof(rec->comm));
	memcpy(h->group_comm, rec->group_comm, sizeof(rec->group_comm));
	h->comm[sizeof(h->comm) - 1] = h->group_comm[sizeof(h->group_comm) - 1] = 0;
	task_hists__sums(hists, idx, &h->sums);
	h->bins = task_hists__bins(hists, idx, &h->bins_len);
}

/* Reports exited threads; *gone gets their ids. */
static int tell_gone(struct capture *c, struct map64 *gone, capture_hist_fn *each, void *arg)
{
	int r = 0;

	for (size_t i = 0; !r && i < c->now.records.len; i++) {
		const struct cs_task_record *rec = vec__at(&c->now.records, i);
		struct capture_hist h;

		fill(&h, rec, &c->now.hists, i);
		h.gone = true;
		r = map64__set(gone, rec->id, 1);
		if (!r)
			r = each(arg, &h);
	}
	vec__reset(&c->now.records);
	task_hists__reset(&c->now.hists);
	return r;
}

static int tell_one(const struct cs_task_hist_record *rec, capture_hist_fn *each, void *arg)
{
	struct task_hists one;
	struct capture_hist h;
	int r;

	task_hists__init(&one);
	r = task_hists__add(&one, &rec->hist);
	if (!r) {
		fill(&h, &rec->task, &one, 0);
		r = each(arg, &h);
	}
	task_hists__done(&one);
	return r;
}

int capture__hists(struct capture *c, capture_hist_fn *each, void *arg, struct err *err)
{
	struct vec live;
	struct map64 gone;
	u64 one;
	int r;

	vec__init(&live, sizeof(struct cs_task_hist_record));
	map64__init(&gone);
	r = programs__walk(c->programs, PROGRAMS_HISTS, &live, err);
	if (r)
		goto out;
	r = ring_buffer__consume(c->ring);
	r = r < 0 ? r : c->ring_error;
	if (!r)
		r = tell_gone(c, &gone, each, arg);
	for (size_t i = 0; !r && i < live.len; i++) {
		const struct cs_task_hist_record *rec = vec__at(&live, i);

		if (!map64__get(&gone, rec->task.id, &one))
			r = tell_one(rec, each, arg);
	}
	if (r)
		err__set(err, r, "cannot read the histograms: %s", err_str(r));
out:
	map64__done(&gone);
	vec__done(&live);
	return r;
}

u64 capture__hists_lost(const struct capture *c)
{
	struct cs_stats stats;

	if (programs__stats(c->programs, &stats, NULL))
		return c->now.records_lost;
	return stats.hist_lost + stats.task_storage_failed + stats.task_record_lost +
	       c->now.records_lost;
}
