/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Only windows that a slow request reaches into are looked at, and only when somebody asks: most
 * windows have no slow request. A request that was handed on is followed by wakeups, which may be
 * in another window than its begin. So its windows are put together first, as a report does.
 */
#include "app/flight/slow_parts.h"

#include <errno.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/path/request_pieces.h"
#include "profile/windows/merge.h"

struct read_window {
	struct lanes lanes;
	struct cause_memo memo;
	struct causes causes;
	u64 begin_ns;
};

static void begin_whole(struct slow_windows *sw, size_t from)
{
	sw->whole = NULL;
	sw->whole_from = from;
	vec__init(&sw->whole_read, sizeof(struct read_window));
	vec__init(&sw->requests.list, sizeof(struct profile_request));
	vec__init(&sw->requests.rests, sizeof(struct request_rest));
}

void slow_windows__init(struct slow_windows *sw, struct profile *const *windows, size_t len,
			u64 end_ns, const struct ruleset *rules)
{
	*sw = (struct slow_windows){
		.windows = windows, .len = len, .end_ns = end_ns, .rules = rules
	};
	vec__init(&sw->read, sizeof(struct read_window));
	begin_whole(sw, len);
}

static void free_read(struct vec *read)
{
	for (size_t i = 0; i < read->len; i++) {
		struct read_window *w = vec__at(read, i);

		lanes__done(&w->lanes);
		causes__done(&w->causes);
		cause_memo__done(&w->memo);
	}
	vec__done(read);
}

static void end_whole(struct slow_windows *sw)
{
	free_read(&sw->whole_read);
	requests__done(&sw->requests);
	profile__free(sw->whole);
}

void slow_windows__done(struct slow_windows *sw)
{
	free_read(&sw->read);
	end_whole(sw);
}

static int read_into(struct read_window *w, const struct profile *p, const struct ruleset *rules)
{
	int r;

	w->memo = (struct cause_memo){ .p = p, .rules = rules };
	r = lanes__init(&w->lanes, p);
	return r ? r : causes__recall(&w->causes, p, &w->memo, NULL);
}

/* The one before those that were read. */
static int read_one(struct slow_windows *sw)
{
	const struct profile *p = sw->windows[sw->len - 1 - sw->read.len];
	const struct read_window *next = sw->read.len ? vec__at(&sw->read, sw->read.len - 1) : NULL;
	u64 end_ns = next ? next->begin_ns : sw->end_ns;
	struct read_window *w = vec__push(&sw->read);

	if (!w)
		return -ENOMEM;
	w->begin_ns = end_ns - p->hdr.window_ns;
	return read_into(w, p, sw->rules);
}

/* The windows from this one on, and those that are in already. */
static int read_whole(struct slow_windows *sw, size_t from)
{
	struct read_window *w;
	int r;

	if (from >= sw->whole_from)
		return 0;
	end_whole(sw);
	begin_whole(sw, from);
	r = profile_merge((const struct profile *const *)sw->windows + from, sw->len - from,
			  &sw->whole, NULL);
	if (r)
		return r == -ENOMEM ? r : 0;
	w = vec__push(&sw->whole_read);
	if (!w)
		return -ENOMEM;
	r = read_into(w, sw->whole, sw->rules);
	return r ? r : requests__init(&sw->requests, sw->whole);
}

/*
 * The window that has an instant since the begin of the recording, and the time since the begin of
 * that window; false: it was before all.
 */
static bool find_instant(const struct slow_windows *sw, u64 at_ns, size_t *ret_window, u64 *ret_ns)
{
	u64 begin_ns = sw->end_ns;

	for (size_t i = sw->len; i-- > 0;) {
		begin_ns -= sw->windows[i]->hdr.window_ns;
		if (at_ns < begin_ns)
			continue;
		*ret_window = i;
		*ret_ns = at_ns - begin_ns;
		return true;
	}
	return false;
}

/* That began so long after the begin of a window. */
static const struct profile_request *find_request(const struct slow_windows *sw,
						  const struct slow_request *req, size_t window,
						  u64 begin_ns)
{
	if (!sw->whole)
		return NULL;
	begin_ns += sw->windows[window]->hdr.begin_mono_ns -
		    sw->windows[sw->whole_from]->hdr.begin_mono_ns;
	for (size_t i = 0; i < sw->requests.list.len; i++) {
		const struct profile_request *one = vec__at(&sw->requests.list, i);
		const struct profile_task *t = &sw->whole->tasks[one->task];

		if (one->connection && one->begin_ns == begin_ns && t->tid == req->tid &&
		    t->start_boottime_ns == req->start_boottime_ns)
			return one;
	}
	return NULL;
}

static u32 find_task(const struct profile *p, const struct slow_request *req)
{
	for (u32 i = 1; i < p->tasks_len; i++)
		if (p->tasks[i].tid == req->tid &&
		    p->tasks[i].start_boottime_ns == req->start_boottime_ns)
			return i;
	return 0;
}

static enum cause cause_of(const struct read_window *w, const struct request_piece *piece)
{
	return causes__of(&w->causes, w->memo.p->moments[piece->moment - 1].wait);
}

/* A wait for a CPU counts under its cause too, if that is why there was none: preempted. */
static void add_runq(const struct read_window *w, const struct request_piece *piece,
		     struct slow_parts *to)
{
	enum cause cause = cause_of(w, piece);

	to->runq_ns += piece->ns;
	if (cause_row(cause)->family == CAUSE_FAMILY_RUN_QUEUE)
		to->cause_ns[cause] += piece->ns;
}

static void add_piece(const struct read_window *w, const struct request_piece *piece,
		      struct slow_parts *to)
{
	to->seen_ns += piece->ns;
	if (piece->part == REQUEST_ON_CPU)
		to->on_ns += piece->ns;
	else if (piece->part == REQUEST_RUNQ)
		add_runq(w, piece, to);
	else if (piece->part == REQUEST_UNKNOWN)
		to->unknown_ns += piece->ns;
	else if (piece->part == REQUEST_UNSPLIT)
		to->unsplit_ns += piece->ns;
	else
		to->cause_ns[cause_of(w, piece)] += piece->ns;
}

static int add_pieces(const struct read_window *w, const struct profile_request *part,
		      struct slow_parts *to)
{
	struct vec pieces;
	int r;

	vec__init(&pieces, sizeof(struct request_piece));
	r = request_pieces(&w->lanes, part, &pieces);
	for (size_t i = 0; i < pieces.len && !r; i++)
		add_piece(w, vec__at(&pieces, i), to);
	vec__done(&pieces);
	return r;
}

/* Until the write that was late; the answer may have gone on. */
static int add_handed(struct slow_windows *sw, const struct slow_request *req,
		      struct slow_parts *to)
{
	const struct profile_request *found;
	struct profile_request part;
	size_t window;
	u64 begin_ns;
	int r;

	if (!find_instant(sw, req->begin_ns, &window, &begin_ns))
		return 0;
	r = read_whole(sw, window);
	found = r ? NULL : find_request(sw, req, window, begin_ns);
	if (!found)
		return r;
	part = *found;
	/* A thread that took the request up after that has no part before it. */
	if (part.end_ns - part.begin_ns > slow_request_ns(req) &&
	    part.taken_ns < part.begin_ns + slow_request_ns(req))
		part.end_ns = part.begin_ns + slow_request_ns(req);
	return add_pieces(vec__at(&sw->whole_read, 0), &part, to);
}

/* What of a request is in a window. */
static int add_window(const struct read_window *w, const struct slow_request *req,
		      struct slow_parts *to)
{
	const struct profile *p = w->memo.p;
	u64 begin_ns = req->begin_ns > w->begin_ns ? req->begin_ns - w->begin_ns : 0;
	u64 end_ns = req->end_ns - w->begin_ns;
	const struct profile_request part = {
		.begin_ns = begin_ns,
		.end_ns = end_ns < p->hdr.window_ns ? end_ns : p->hdr.window_ns,
		.task = find_task(p, req),
	};

	if (!part.task) {
		to->unknown_ns += part.end_ns - part.begin_ns;
		to->seen_ns += part.end_ns - part.begin_ns;
		return 0;
	}
	return add_pieces(w, &part, to);
}

int slow_windows__parts(struct slow_windows *sw, const struct slow_request *req,
			struct slow_parts *ret)
{
	int r = 0;

	*ret = (struct slow_parts){ 0 };
	if (req->is_handed)
		return add_handed(sw, req, ret);
	for (size_t i = 0; i < sw->len && !r; i++) {
		const struct read_window *w;

		if (i == sw->read.len)
			r = read_one(sw);
		if (r)
			return r;
		w = vec__at(&sw->read, i);
		if (w->begin_ns < req->end_ns)
			r = add_window(w, req, ret);
		if (w->begin_ns <= req->begin_ns)
			break;
	}
	return r;
}
