/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: of windows, and of recordings. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "render/encode/json_writer.h"
#include "web/source/file_windows.h"
#include "web/ask/ask.h"
#include "web/source/picked.h"
#include "web/source/store_pick.h"
#include "web/api/routes.h"
#include "web/api/windows_json.h"

/* How long a list of recordings may read before it answers with what it knows. */
#define LIST_NS NSEC_PER_SEC

struct listing {
	struct web *web;
	struct vec windows; /* struct kept_window *, owned */
};

/* The sums of a window of a file. */
static int add_window(void *arg, u64 seq, struct profile *p, struct err *err)
{
	struct listing *l = arg;
	struct kept_window *window = mem_alloc(sizeof(*window)), **slot;
	int r = 0;

	if (window && p)
		r = window_sums__init(&window->sums, p, l->web->opt.rules, err);
	profile__free(p);
	slot = vec__push(&l->windows);
	if (slot && window) {
		window->seq = seq;
		*slot = window;
		return r;
	}
	l->windows.len -= slot ? 1 : 0;
	mem_free(window);
	return err__nomem(err);
}

static void listing__done(struct listing *l)
{
	for (size_t i = 0; i < l->windows.len; i++) {
		struct kept_window *w = *(struct kept_window **)vec__at(&l->windows, i);

		window_sums__done(&w->sums);
		mem_free(w);
	}
	vec__done(&l->windows);
}

/* Of a recording of a directory. */
static int list_file(struct web *w, const char *path, u64 after, struct answer *a, struct err *err)
{
	const struct query_range range = { after + 1, ~0ULL };
	struct listing l = { .web = w };
	int r = web__enter(w, err);

	if (r)
		return r;
	vec__init(&l.windows, sizeof(struct kept_window *));
	r = file_windows_read(path, &range, add_window, &l, err);
	if (!r)
		windows_json_put(w->id, 0, &l.windows, &a->body);
	listing__done(&l);
	web__leave(w);
	return r;
}

/* A damaged window has its number, and a length of 0. */
static int add_of_store(struct listing *l, struct past *past, size_t idx, struct err *err)
{
	const struct past_window *w = past__at(past, idx);
	struct profile *p = NULL;
	int r = past__read(past, idx, &p, err);

	if (r == -ENOENT)
		return 0;
	return r == -ENOMEM ? r : add_window(l, w->seq, p, err);
}

/* As many as can be read in LIST_NS, at least one: viewers ask again, with `after`. */
static int list_store(struct web *w, struct request *rq, u64 after, struct answer *a,
		      struct err *err)
{
	struct time_range time;
	const struct store_pick pick = { .range = { after + 1, ~0ULL }, .time = &time };
	u64 until_ns = clock_mono_ns() + LIST_NS;
	struct listing l = { .web = w };
	struct time_span span;
	struct past past;
	int r = ask_time(&rq->query, &time, err);

	if (!r)
		r = query__check(&rq->query, err);
	if (!r && past_range_is_empty(&time))
		time = w->opt.range;
	if (!r)
		r = web__enter(w, err);
	if (r)
		return r;
	vec__init(&l.windows, sizeof(struct kept_window *));
	r = store_pick__find(w, &pick, &past, &span, err);
	for (size_t i = 0; !r && i < past__len(&past) && (!i || clock_mono_ns() < until_ns); i++)
		r = add_of_store(&l, &past, i, err);
	if (!r)
		windows_json_put(w->id, 0, &l.windows, &a->body);
	past__done(&past);
	listing__done(&l);
	web__leave(w);
	return r;
}

static int list_kept(struct web *w, u64 after, struct answer *a, struct err *err)
{
	struct vec windows;
	int r;

	vec__init(&windows, sizeof(struct kept_window *));
	r = kept__take(&w->kept, after + 1, ~0ULL, &windows);
	if (!r)
		windows_json_put(w->id, kept__span(&w->kept).dropped, &windows, &a->body);
	kept__release(&w->kept, &windows);
	return r ? err__nomem(err) : 0;
}

int api_windows(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	const char *recording = query__text(&rq->query, "recording");
	char path[PATH_MAX];
	u64 after = 0;
	int r = query__u64(&rq->query, "after", ~0ULL >> 1, &after, err);

	if (!r && w->opt.mode == WEB_STORE)
		return list_store(w, rq, after, a, err);
	if (!r)
		r = query__check(&rq->query, err);
	if (!r)
		r = picked_path(w, recording, path, err);
	if (r)
		return r;
	return w->opt.mode == WEB_DIRECTORY ? list_file(w, path, after, a, err) :
					      list_kept(w, after, a, err);
}

int api_stream(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	u64 after = 0;
	int r = query__u64(&rq->query, "after", ~0ULL >> 1, &after, err);

	if (!r)
		r = query__check(&rq->query, err);
	if (!r && rq->last_event_id && units_parse_u64(rq->last_event_id, 0, ~0ULL, &after, NULL))
		after = 0;
	/* from an earlier life of the server */
	if (after > kept__span(&w->kept).last_seq)
		after = 0;
	a->mime = "text/event-stream; charset=utf-8";
	a->stream = !r;
	a->stream_after = after;
	return r;
}

static void put_sums(struct json *j, const struct book *b)
{
	if (!b->has_sums) {
		json__null(j, "threads");
		json__null(j, "blocked_ns");
		json__null(j, "idle_ns");
		json__null(j, "top_cause");
		return;
	}
	json__u64(j, "threads", b->threads);
	json__u64(j, "blocked_ns", b->blocked_ns);
	json__u64(j, "idle_ns", b->idle_ns);
	json__text(j, "top_cause",
		   b->top_cause < CAUSE_CNT ? cause_name((enum cause)b->top_cause) : NULL);
}

static void put_book(struct json *j, const struct book *b)
{
	json__object(j, NULL);
	json__text(j, "id", b->id);
	json__text(j, "name", b->name);
	json__u64(j, "bytes", b->bytes);
	json__bool(j, "read", b->is_read);
	json__printf(j, "begin_wall_ms", "%llu.%06llu", b->begin_wall_ns / NSEC_PER_MSEC,
		     b->begin_wall_ns % NSEC_PER_MSEC);
	json__u64(j, "length_ns", b->length_ns);
	json__u64(j, "windows", b->windows);
	json__text(j, "host", b->host);
	json__text(j, "target", b->target);
	put_sums(j, b);
	json__text(j, "error", *b->error ? b->error : NULL);
	json__end_object(j);
}

static bool is_found(const struct book *b, const char *search)
{
	return !search || strcasestr(b->name, search) || strcasestr(b->host, search) ||
	       strcasestr(b->target, search);
}

int api_recordings(struct web *w, struct request *rq, struct answer *a, struct err *err)
{
	const char *search = query__text(&rq->query, "search");
	struct json j = JSON_TO(&a->body);
	struct vec books;
	int r = query__check(&rq->query, err);

	vec__init(&books, sizeof(struct book));
	if (!r)
		r = shelf__list(&w->shelf, clock_mono_ns() + LIST_NS, &books, err);
	json__array(&j, NULL);
	for (size_t i = 0; i < books.len && !r; i++) {
		if (is_found(vec__at(&books, i), search))
			put_book(&j, vec__at(&books, i));
	}
	json__end_array(&j);
	vec__done(&books);
	return r;
}
