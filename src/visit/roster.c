/* SPDX-License-Identifier: Apache-2.0 */
/* A file of each thread is kept open as long as there is room: that halves the cost of a visit. */
#include "visit/roster.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "profile/profile.h"

void roster__init(struct roster *r, u32 fds_max)
{
	*r = (struct roster){ .fds_max = fds_max };
	vec__init(&r->threads, sizeof(struct visited *));
	vec__init(&r->processes, sizeof(struct process *));
	map64__init(&r->by_tid);
	map64__init(&r->by_tgid);
}

static void free_visited(struct roster *r, struct visited *v)
{
	if (v->at.fd >= 0) {
		close(v->at.fd);
		r->fds--;
	}
	visit_tally__done(&v->tally);
	mem_free(v);
}

static void free_process(struct process *p)
{
	process__done(p);
	mem_free(p);
}

void roster__done(struct roster *r)
{
	if (!r || !r->threads.elem_sz)
		return;
	for (size_t i = 0; i < r->threads.len; i++)
		free_visited(r, roster__at(r, i));
	for (size_t i = 0; i < r->processes.len; i++)
		free_process(*(struct process **)vec__at(&r->processes, i));
	vec__done(&r->threads);
	vec__done(&r->processes);
	map64__done(&r->by_tid);
	map64__done(&r->by_tgid);
}

struct visited *roster__at(const struct roster *r, size_t idx)
{
	return *(struct visited **)vec__at(&r->threads, idx);
}

bool roster__has(const struct roster *r, u32 tid)
{
	u64 idx;

	return map64__get(&r->by_tid, tid, &idx) && idx;
}

static int process_of(struct roster *r, struct looker *l, u32 tgid, struct process **ret)
{
	struct process *p, **slot;
	u64 idx;

	if (map64__get(&r->by_tgid, tgid, &idx) && idx) {
		*ret = *(struct process **)vec__at(&r->processes, idx - 1);
		return 0;
	}
	p = mem_alloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	process__init(p, tgid, &l->code, &l->window);
	slot = vec__push(&r->processes);
	if (!slot || map64__set(&r->by_tgid, tgid, r->processes.len)) {
		free_process(p);
		r->processes.len -= slot != NULL;
		return -ENOMEM;
	}
	*slot = *ret = p;
	return 0;
}

static void read_comm(struct looker *l, u32 tgid, u32 tid, char *buf)
{
	struct view text;

	if (proc_files__read(&l->proc, tgid, tid, PROC_COMM, -1, &text))
		return;
	if (view__left(&text) && text.end[-1] == '\n')
		text.end--;
	view__copy(&text, buf, PROC_COMM_SZ);
}

void roster__rename(struct looker *l, struct visited *v)
{
	read_comm(l, v->at.tgid, v->at.tid, v->comm);
	if (v->at.tid == v->at.tgid)
		memcpy(v->group_comm, v->comm, sizeof(v->group_comm));
	else
		read_comm(l, v->at.tgid, v->at.tgid, v->group_comm);
}

bool roster__switches(struct looker *l, const struct visited *v, struct thread_switches *ret)
{
	struct view text;

	return !proc_files__read(&l->proc, v->at.tgid, v->at.tid, PROC_STATUS, -1, &text) &&
	       !thread_switches__parse(ret, text, NULL);
}

/* False: it is gone, or nobody wants it. */
static bool identify(struct looker *l, const struct whom *whom, struct visited *v)
{
	struct thread_stat stat;
	struct view text;

	if (proc_files__read(&l->proc, v->at.tgid, v->at.tid, PROC_STAT, -1, &text) ||
	    thread_stat__parse(&stat, text, NULL) || stat.state == 'X' || stat.state == 'Z')
		return false;
	v->start_boottime_ns = stat.start_boottime_ns;
	v->at.is_kthread = stat.flags & THREAD_PF_KTHREAD;
	v->flags = v->at.is_kthread ? TASK_KTHREAD : 0;
	roster__rename(l, v);
	return whom__wants(whom, v->comm, v->at.is_kthread);
}

static int enroll(struct roster *r, struct looker *l, struct visited *v)
{
	struct visited **slot;

	if (process_of(r, l, v->at.tgid, &v->at.process))
		return -ENOMEM;
	slot = vec__push(&r->threads);
	if (!slot)
		return -ENOMEM;
	*slot = v;
	if (map64__set(&r->by_tid, v->at.tid, r->threads.len)) {
		r->threads.len--;
		return -ENOMEM;
	}
	if (r->fds < r->fds_max)
		v->at.fd = proc_files__open(&l->proc, v->at.tgid, v->at.tid, PROC_SCHEDSTAT);
	r->fds += v->at.fd >= 0;
	return 0;
}

int roster__add(struct roster *r, struct looker *l, const struct whom *whom, u32 tgid, u32 tid,
		struct visited **ret)
{
	struct visited *v = mem_alloc(sizeof(*v));
	int error = 0;

	*ret = NULL;
	if (!v)
		return -ENOMEM;
	v->at.tgid = tgid;
	v->at.tid = tid;
	v->at.fd = -1;
	if (identify(l, whom, v)) {
		error = enroll(r, l, v);
		if (!error)
			*ret = v;
	}
	if (!*ret)
		free_visited(r, v);
	return error;
}

void roster__gone(struct roster *r, struct visited *v)
{
	v->gone = true;
	r->gone++;
	if (v->at.fd >= 0) {
		close(v->at.fd);
		r->fds--;
	}
	v->at.fd = -1;
	map64__set(&r->by_tid, v->at.tid, 0);
}

static int keep_threads(struct roster *r, struct map64 *in_use)
{
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < r->threads.len; i++) {
		struct visited *v = roster__at(r, i);

		if (v->gone) {
			free_visited(r, v);
			continue;
		}
		((struct visited **)r->threads.data)[kept++] = v;
		if (!error && !map64__set(&r->by_tid, v->at.tid, kept))
			error = map64__set(in_use, v->at.tgid, 1);
	}
	r->threads.len = kept;
	return error;
}

/* The maps are built again: they would keep the number of every thread there ever was. */
int roster__sweep(struct roster *r, struct ended *ended)
{
	struct map64 in_use;
	size_t kept = 0;
	int error;

	if (!r->gone)
		return 0;
	r->gone = 0;
	map64__init(&in_use);
	map64__done(&r->by_tid);
	map64__done(&r->by_tgid);
	error = keep_threads(r, &in_use);
	for (size_t i = 0; i < r->processes.len; i++) {
		struct process *p = *(struct process **)vec__at(&r->processes, i);
		u64 any;

		if (!error && !map64__get(&in_use, p->tgid, &any)) {
			error = p->image ? ended__add_image(ended, p->image) : 0;
			free_process(p);
			continue;
		}
		((struct process **)r->processes.data)[kept++] = p;
		if (!error)
			error = map64__set(&r->by_tgid, p->tgid, kept);
	}
	r->processes.len = kept;
	map64__done(&in_use);
	return error;
}
