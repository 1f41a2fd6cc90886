/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A wakeup in the kernel's table has hashes in place of keys. What a hash stands for is known only
 * if its wait is listed in the same window: a waker's wait of an earlier one stays "blocked",
 * without saying where.
 */
#include "capture/wakers.h"

#include <errno.h>
#include <string.h>

#include "abi/waker.h"
#include "base/self_memory.h"
#include "capture/program/tables.h"

_Static_assert((int)WAKER_OTHER == CS_WAKER_OTHER && (int)WAKER_NMI == CS_WAKER_NMI &&
		       (int)CHAIN_UNKNOWN == CS_CHAIN_UNKNOWN &&
		       (int)CHAIN_UNRECORDED == CS_CHAIN_UNRECORDED &&
		       (int)DOING_CNT == CS_DOING_CNT && (int)DOING_UNKNOWN == CS_DOING_UNKNOWN,
	       "these are copied as they are");
_Static_assert((int)WAKER_KTHREAD == CS_WAKER_KTHREAD && (int)WAKER_EXITING == CS_WAKER_EXITING &&
		       (int)WAKER_SELF == CS_WAKER_SELF,
	       "these flags too");

_Static_assert(WAKE_BURST_NS == CS_BURST_NS && WAKE_BRIEF_NS == CS_BRIEF_NS &&
		       WAKE_CROWD == CS_CROWD,
	       "the kernel side counts by these");

#define FLAGS (CS_WAKER_KTHREAD | CS_WAKER_EXITING | CS_WAKER_SELF)

/* Links of a chain that a profile shows, including the first waker. */
#define CHAIN_MAX 8

struct link {
	struct cs_waker w;
	u32 made[CHAIN_MAX]; /* the builder's ids, by the number of links behind it; 0: not yet */
};

struct outsider {
	struct cs_outsider_key key;
	struct cs_outsider o;
};

struct thread {
	struct stack_owner owner;
	u32 task;
	u32 tid;
	char comm[CS_COMM_LEN];
	char group_comm[CS_COMM_LEN];
};

void wakers__init(struct wakers *w, struct builder *b, struct profile_stacks *stacks)
{
	*w = (struct wakers){ .b = b, .stacks = stacks };
	vec__init(&w->links, sizeof(struct link));
	vec__init(&w->outsiders, sizeof(struct outsider));
	vec__init(&w->waits, sizeof(struct profile_wake));
	vec__init(&w->threads, sizeof(struct thread));
	map64__init(&w->links_at);
	map64__init(&w->outsiders_at);
	map64__init(&w->waits_at);
	map64__init(&w->threads_at);
}

void wakers__done(struct wakers *w)
{
	vec__done(&w->links);
	vec__done(&w->outsiders);
	vec__done(&w->waits);
	vec__done(&w->threads);
	map64__done(&w->links_at);
	map64__done(&w->outsiders_at);
	map64__done(&w->waits_at);
	map64__done(&w->threads_at);
}

int wakers__see_thread(struct wakers *w, const struct cs_task_record *rec, u32 task)
{
	struct thread *t = vec__push(&w->threads);

	if (!t)
		return -ENOMEM;
	*t = (struct thread){ .owner = { .image = rec->image, .tgid = rec->tgid },
			      .task = task,
			      .tid = rec->tid };
	memcpy(t->comm, rec->comm, sizeof(t->comm));
	memcpy(t->group_comm, rec->group_comm, sizeof(t->group_comm));
	return map64__set(&w->threads_at, rec->id, w->threads.len - 1);
}

static int see_link(void *arg, const void *key, const void *value)
{
	struct wakers *w = arg;
	struct link *l = vec__push(&w->links);
	u64 id;

	if (!l)
		return -ENOMEM;
	memcpy(&id, key, sizeof(id));
	memcpy(&l->w, value, sizeof(l->w));
	memset(l->made, 0, sizeof(l->made));
	return map64__set(&w->links_at, id, w->links.len - 1);
}

static u64 outsider_hash(u64 start_boottime_ns, u32 host_tid)
{
	return start_boottime_ns * 0x9e3779b97f4a7c15ULL ^ host_tid;
}

static int see_outsider(void *arg, const void *key, const void *value)
{
	struct wakers *w = arg;
	struct outsider *o = vec__push(&w->outsiders);

	if (!o)
		return -ENOMEM;
	memcpy(&o->key, key, sizeof(o->key));
	memcpy(&o->o, value, sizeof(o->o));
	return map64__set(&w->outsiders_at,
			  outsider_hash(o->key.start_boottime_ns, o->key.host_tid),
			  w->outsiders.len - 1);
}

int wakers__read(struct wakers *w, const struct programs *p, struct err *err)
{
	int r = table_read(programs__wakers_fd(p), sizeof(u64), sizeof(struct cs_waker), see_link,
			   w, err);

	return r ? r :
		   table_read(programs__outsiders_fd(p), sizeof(struct cs_outsider_key),
			      sizeof(struct cs_outsider), see_outsider, w, err);
}

/* Preempted threads and new ones were not woken, and who will wake a sleeper is not known yet. */
static bool was_woken(const struct profile_wait *wait)
{
	return wait->state && !(wait->flags & (WAIT_OPEN | WAIT_NEW));
}

int wakers__see_wait(struct wakers *w, const struct cs_wait_key *key,
		     const struct profile_wait *wait)
{
	struct profile_wake *k = vec__push(&w->waits);

	if (!k)
		return -ENOMEM;
	if (was_woken(wait)) {
		w->ended += wait->count;
		w->ended_ns += wait->blocked_ns + wait->runq_ns;
	}
	*k = (struct profile_wake){
		.task = wait->task,
		.ustack = wait->ustack,
		.kstack = wait->kstack,
		.sysno = wait->sysno,
		.state = wait->state,
		.flags = wait->flags,
		.object = wait->object,
		.owner = wait->owner,
		.owner_tid = wait->owner_tid,
		.did_sysno = -1,
	};
	return map64__set(&w->waits_at, cs_wait_hash(key), w->waits.len - 1);
}

/* Fields of the kernel's are not always terminated. */
static int put_comm(struct wakers *w, const char comm[CS_COMM_LEN], u32 *ret)
{
	char text[CS_COMM_LEN + 1] = "";

	memcpy(text, comm, CS_COMM_LEN);
	return builder__str(w->b, text, ret);
}

static int fill_thread(struct wakers *w, const struct cs_waker *from, struct profile_waker *to,
		       struct stack_owner *ret_owner)
{
	const struct thread *t;
	u64 at;
	int r;

	if (!map64__get(&w->threads_at, from->thread, &at))
		return 0;
	t = vec__at(&w->threads, at);
	*ret_owner = t->owner;
	to->task = t->task;
	to->tid = t->tid;
	to->tgid = t->owner.tgid;
	r = put_comm(w, t->comm, &to->comm);
	return r ? r : put_comm(w, t->group_comm, &to->group_comm);
}

static int fill_outsider(struct wakers *w, const struct cs_waker *from, struct profile_waker *to,
			 struct stack_owner *ret_owner)
{
	const struct outsider *o;
	u64 at;
	int r;

	to->tid = from->thread;
	if (!map64__get(&w->outsiders_at, outsider_hash(from->start_boottime_ns, from->thread),
			&at))
		return 0;
	o = vec__at(&w->outsiders, at);
	*ret_owner = (struct stack_owner){ .image = o->o.image, .tgid = o->o.tgid };
	to->tid = o->o.tid;
	to->tgid = o->o.tgid;
	r = put_comm(w, o->o.comm, &to->comm);
	return r ? r : put_comm(w, o->o.group_comm, &to->group_comm);
}

static int make_other(struct wakers *w, u32 *ret)
{
	const struct profile_waker other = { .context = WAKER_OTHER, .end = CHAIN_UNKNOWN };

	return builder__waker(w->b, &other, ret);
}

/* `is_cut`: the chain goes on, but no further link is shown. */
static int make_link(struct wakers *w, const struct cs_waker *from, u32 next, bool is_cut, u32 *ret)
{
	struct profile_waker to = { .context = from->context,
				    .end = from->end,
				    .flags = from->flags & FLAGS,
				    .next = next };
	struct stack_owner owner = { 0 };
	int r = 0;

	if (from->end == CS_CHAIN_GOES_ON && !next)
		to.end = is_cut ? CHAIN_DEPTH : CHAIN_UNKNOWN;
	if (from->flags & CS_WAKER_OUTSIDE)
		r = fill_outsider(w, from, &to, &owner);
	else if (from->context == CS_WAKER_THREAD)
		r = fill_thread(w, from, &to, &owner);
	if (!r)
		r = profile_stacks__add(w->stacks, from->ustack, &owner, &to.ustack);
	if (!r)
		r = profile_stacks__add(w->stacks, from->kstack, &owner, &to.kstack);
	return r ? r : builder__waker(w->b, &to, ret);
}

/* The builder's id of a waker, with the chain behind it. */
static int make_chain(struct wakers *w, u64 id, u32 *ret)
{
	struct link *chain[CHAIN_MAX];
	u32 len = 0, next = 0;
	u64 at;
	int r = 0;

	*ret = 0;
	if (id == CS_WAKER_ID_OTHER)
		return make_other(w, ret);
	while (id && len < CHAIN_MAX && map64__get(&w->links_at, id, &at)) {
		chain[len++] = vec__at(&w->links, at);
		id = chain[len - 1]->w.next;
	}
	for (u32 behind = 0; !r && behind < len; behind++) {
		struct link *l = chain[len - 1 - behind];

		if (!l->made[behind])
			r = make_link(w, &l->w, next, len == CHAIN_MAX, &l->made[behind]);
		next = l->made[behind];
	}
	*ret = next;
	return r;
}

int wakers__id(struct wakers *w, u64 id, u32 *ret)
{
	return make_chain(w, id, ret);
}

static void put_did(const struct wakers *w, u64 did, struct profile_wake *k)
{
	const struct profile_wake *wait;
	u64 at;

	if (!map64__get(&w->waits_at, did, &at))
		return;
	wait = vec__at(&w->waits, at);
	k->did_ustack = wait->ustack;
	k->did_kstack = wait->kstack;
	k->did_sysno = wait->sysno;
	k->did_state = wait->state;
	k->did_flags = wait->flags;
	k->did_object = wait->object;
}

static u64 sum_ns(const struct cs_wake_sum *v)
{
	u64 sum = 0;

	for (u32 i = 0; i < CS_DOING_CNT; i++)
		sum += v->ns[i];
	return sum;
}

static void count(struct wakers *w, const struct cs_wake_key *key, const struct cs_wake_sum *v)
{
	w->seen += v->count;
	w->seen_ns += sum_ns(v);
	if (key->waker != CS_WAKER_ID_OTHER)
		return;
	w->other += v->count;
	w->other_ns += sum_ns(v);
}

static bool is_bare(const struct wakers *w, u64 waker)
{
	u64 at;

	return map64__get(&w->links_at, waker, &at) &&
	       ((const struct link *)vec__at(&w->links, at))->w.flags & CS_WAKER_STACK_LOST;
}

static void put_counts(const struct cs_wake_sum *v, struct profile_wake *row)
{
	row->count = v->count;
	row->bursts = v->bursts;
	row->crowd = v->crowd;
	row->brief = v->brief;
	row->again = v->again;
	row->brief_ns = v->brief_ns;
}

/* A row for each thing that the waker did; the one of the wakeup itself has the count. */
static int add_wake(void *arg, const void *key, const void *value)
{
	struct wakers *w = arg;
	static const struct cs_wake_sum none = { 0 };
	const struct cs_wake_key *k = key;
	const struct cs_wake_sum *v = value;
	struct profile_wake row;
	u64 at;
	u32 i;
	int r;

	if (!map64__get(&w->waits_at, k->wait, &at))
		return 0;
	row = *(const struct profile_wake *)vec__at(&w->waits, at);
	r = make_chain(w, k->waker, &row.waker);
	if (r || !row.waker)
		return r;
	count(w, k, v);
	if (is_bare(w, k->waker))
		w->bare += v->count;
	if (k->did)
		put_did(w, k->did, &row);
	for (i = 0; !r && i < CS_DOING_CNT; i++) {
		row.doing = i;
		row.ns = v->ns[i];
		put_counts(i == DOING_WOKEN ? v : &none, &row);
		if (row.ns || row.count)
			r = builder__wake(w->b, &row);
	}
	return r;
}

static u64 above(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

int wakers__give(struct wakers *w, const struct programs *p, u64 begin_ns, bool last, u64 lost,
		 struct err *err)
{
	int fd = programs__wakes_fd(p, begin_ns), r;
	size_t key_sz = sizeof(struct cs_wake_key), sum_sz = sizeof(struct cs_wake_sum);

	builder__header(w->b)->wakers = 1;
	r = last ? table_read(fd, key_sz, sum_sz, add_wake, w, err) :
		   table_take(fd, key_sz, sum_sz, add_wake, w, err);
	if (r)
		return r;
	builder__loss(w->b, LOSS_WAKERS_FULL, w->other, w->other_ns);
	builder__loss(w->b, LOSS_WAKER_STACKS, w->bare, 0);
	return builder__loss(w->b, LOSS_WAKERS_MISSED, above(w->ended, w->seen + lost),
			     above(w->ended_ns, w->seen_ns));
}
