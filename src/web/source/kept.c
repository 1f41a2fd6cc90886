/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A viewer that streams has a position in the list, not a queue of its own: however slow it is, it
 * takes no memory, and it learns from the numbers what it missed.
 */
#include "web/source/kept.h"

#include <errno.h>
#include <string.h>

#include "base/cond.h"
#include "base/mem.h"

int kept__init(struct kept *k, const struct kept_limits *limits)
{
	memset(k, 0, sizeof(*k));
	k->limits = *limits;
	k->next_seq = 1;
	vec__init(&k->windows, sizeof(struct kept_window *));
	pthread_mutex_init(&k->lock, NULL);
	cond_init(&k->changed);
	return vec__reserve(&k->windows, 64) ? 0 : -ENOMEM;
}

static void free_window(struct kept_window *w)
{
	window_sums__done(&w->sums);
	profile__free(w->profile);
	mem_free(w);
}

static struct kept_window *at(const struct vec *windows, size_t i)
{
	return *(struct kept_window **)vec__at(windows, i);
}

void kept__done(struct kept *k)
{
	for (size_t i = 0; i < k->windows.len; i++)
		free_window(at(&k->windows, i));
	vec__done(&k->windows);
	pthread_cond_destroy(&k->changed);
	pthread_mutex_destroy(&k->lock);
}

/* The limit is one of memory: an instant takes an eighth of a wait. */
#define MOMENTS_OF_A_ROW 8

static u64 rows_of(const struct profile *p)
{
	u64 rows = 0;

	if (!p)
		return 0;
	rows += p->waits_len + p->tasks_len + p->stacks_len;
	rows += p->frames_len + p->wakes_len;
	return rows + p->moments_len / MOMENTS_OF_A_ROW;
}

static bool is_too_much(const struct kept *k, u64 length_ns, u64 rows)
{
	return (k->limits.keep_ns && length_ns > k->limits.keep_ns) ||
	       (k->limits.rows && rows > k->limits.rows);
}

/* The windows to drop, into `old`, which has room: they are freed without the lock. */
static void drop_oldest(struct kept *k, struct vec *old)
{
	size_t n = 0;

	while (n + 1 < k->windows.len && is_too_much(k, k->length_ns, k->rows)) {
		struct kept_window *w = at(&k->windows, n++);

		k->length_ns -= w->sums.length_ns;
		k->rows -= w->rows;
		if (--w->users == 0)
			*(struct kept_window **)vec__push(old) = w;
	}
	k->windows.len -= n;
	k->dropped += n;
	if (n)
		memmove(k->windows.data, (struct kept_window **)k->windows.data + n,
			k->windows.len * sizeof(struct kept_window *));
}

static void free_all(struct vec *windows)
{
	for (size_t i = 0; i < windows->len; i++)
		free_window(at(windows, i));
	vec__done(windows);
}

int kept__add(struct kept *k, struct window_sums *sums, struct profile *p)
{
	struct kept_window *w = mem_alloc(sizeof(*w)), **slot = NULL;
	struct vec old;

	vec__init(&old, sizeof(struct kept_window *));
	if (w) {
		w->sums = *sums;
		w->profile = p;
		w->rows = rows_of(p);
		w->users = 1;
		memset(sums, 0, sizeof(*sums));
		pthread_mutex_lock(&k->lock);
		slot = vec__reserve(&old, k->windows.len + 1) ? vec__push(&k->windows) : NULL;
		if (slot) {
			*slot = w;
			w->seq = k->next_seq++;
			k->length_ns += w->sums.length_ns;
			k->rows += w->rows;
			drop_oldest(k, &old);
			pthread_cond_broadcast(&k->changed);
		}
		pthread_mutex_unlock(&k->lock);
	}
	free_all(&old);
	if (slot)
		return 0;
	if (w) {
		free_window(w);
	} else {
		window_sums__done(sums);
		profile__free(p);
	}
	return -ENOMEM;
}

int kept__take(struct kept *k, u64 from, u64 to, struct vec *windows)
{
	int r = 0;

	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < k->windows.len && !r; i++) {
		struct kept_window *w = at(&k->windows, i), **slot;

		if (w->seq < from || w->seq > to)
			continue;
		slot = vec__push(windows);
		if (slot) {
			*slot = w;
			w->users++;
		} else {
			r = -ENOMEM;
		}
	}
	pthread_mutex_unlock(&k->lock);
	return r;
}

void kept__release(struct kept *k, struct vec *windows)
{
	size_t i, unused = 0;

	pthread_mutex_lock(&k->lock);
	for (i = 0; i < windows->len; i++) {
		struct kept_window *w = at(windows, i);

		if (--w->users == 0)
			((struct kept_window **)windows->data)[unused++] = w;
	}
	pthread_mutex_unlock(&k->lock);
	windows->len = unused;
	free_all(windows);
}

static struct kept_span span(const struct kept *k)
{
	size_t len = k->windows.len;

	return (struct kept_span){
		.first_seq = len ? at(&k->windows, 0)->seq : 0,
		.last_seq = len ? at(&k->windows, len - 1)->seq : 0,
		.dropped = k->dropped,
		.news = k->news,
		.closed = k->closed,
	};
}

struct kept_span kept__span(struct kept *k)
{
	struct kept_span s;

	pthread_mutex_lock(&k->lock);
	s = span(k);
	pthread_mutex_unlock(&k->lock);
	return s;
}

void kept__tell(struct kept *k)
{
	pthread_mutex_lock(&k->lock);
	k->news++;
	pthread_cond_broadcast(&k->changed);
	pthread_mutex_unlock(&k->lock);
}

void kept__close(struct kept *k)
{
	pthread_mutex_lock(&k->lock);
	k->closed = true;
	pthread_cond_broadcast(&k->changed);
	pthread_mutex_unlock(&k->lock);
}

struct kept_span kept__wait(struct kept *k, u64 seq, u64 news, u64 until_ns)
{
	struct kept_span s;
	bool in_time = true;

	pthread_mutex_lock(&k->lock);
	for (;;) {
		s = span(k);
		if (s.last_seq > seq || s.news != news || s.closed || !in_time)
			break;
		in_time = cond_wait_until(&k->changed, &k->lock, until_ns);
	}
	pthread_mutex_unlock(&k->lock);
	return s;
}
