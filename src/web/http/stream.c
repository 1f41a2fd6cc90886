/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events are made when a viewer takes them. A slow viewer gets several windows in one event. If it
 * was too slow, and windows are no longer kept, it sees the gap in their numbers.
 */
#include "web/http/stream.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "web/api/status_json.h"
#include "web/api/windows_json.h"

/* A comment now and then, so that proxies, and we, notice when somebody has left. */
#define KEEP_ALIVE_NS (15 * NSEC_PER_SEC)
#define STATUS_NS NSEC_PER_SEC
/* How often it looks whether the viewer is still there, if nothing happens. */
#define LOOK_NS NSEC_PER_SEC
/* Windows of one event. */
#define MAX_WINDOWS 100

struct stream {
	struct web *web;
	int fd;
	u64 seq; /* the last window that was sent */
	u64 news; /* of the last status */
	u64 losses;
	u64 status_ns; /* when it was made */
	struct sink text;
	size_t sent; /* of it */
};

struct stream *stream__new(struct web *w, u64 after, int fd)
{
	struct stream *s = mem_alloc(sizeof(*s));

	if (!s)
		return NULL;
	s->web = w;
	s->fd = fd;
	s->seq = after;
	s->news = ~0ULL;
	sink__init_mem(&s->text);
	sink__puts(&s->text, "retry: 1000\n\n");
	atomic_fetch_add(&w->viewers, 1);
	return s;
}

void stream__free(struct stream *s)
{
	atomic_fetch_sub(&s->web->viewers, 1);
	sink__done(&s->text);
	mem_free(s);
}

static void put_status(struct stream *s, const struct kept_span *span, u64 losses)
{
	sink__puts(&s->text, "event: status\ndata: ");
	status_json_put(s->web, &s->text);
	sink__puts(&s->text, "\n\n");
	s->news = span->news;
	s->losses = losses;
	s->status_ns = clock_mono_ns();
}

static int put_windows(struct stream *s, const struct kept_span *span)
{
	u64 from = s->seq + 1 > span->first_seq ? s->seq + 1 : span->first_seq;
	struct vec windows;
	int r;

	vec__init(&windows, sizeof(struct kept_window *));
	r = kept__take(&s->web->kept, from, from + MAX_WINDOWS - 1, &windows);
	if (!r && windows.len) {
		const struct kept_window *last =
			*(struct kept_window **)vec__at(&windows, windows.len - 1);

		sink__printf(&s->text, "event: window\nid: %llu\ndata: ", last->seq);
		windows_json_put(s->web->id, span->dropped, &windows, &s->text);
		sink__puts(&s->text, "\n\n");
		s->seq = last->seq;
	}
	kept__release(&s->web->kept, &windows);
	return r;
}

static bool has_left(const struct stream *s)
{
	struct pollfd p = { .fd = s->fd, .events = POLLRDHUP };

	return poll(&p, 1, 0) > 0 && p.revents & (POLLRDHUP | POLLHUP | POLLERR);
}

/* Waits until something has happened, or for so long. */
static struct kept_span await(const struct stream *s)
{
	u64 end_ns = clock_mono_ns() + KEEP_ALIVE_NS;
	struct kept_span span;

	do
		span = kept__wait(&s->web->kept, s->seq, s->news, clock_mono_ns() + LOOK_NS);
	while (!span.closed && span.last_seq <= s->seq && span.news == s->news && !has_left(s) &&
	       clock_mono_ns() < end_ns);
	return span;
}

/* What has happened since. False: it is over. */
static bool fill(struct stream *s)
{
	struct kept_span span = await(s);
	u64 now_ns, losses;

	if (span.closed || has_left(s))
		return false;
	losses = totals__lost(&s->web->totals);
	now_ns = clock_mono_ns();
	if (now_ns - s->status_ns >= STATUS_NS && (span.news != s->news || losses != s->losses))
		put_status(s, &span, losses);
	if (span.last_seq > s->seq)
		return !put_windows(s, &span);
	if (s->text.len)
		return true;
	/* news that came too soon after the last */
	if (span.news != s->news)
		clock_sleep_until_mono_ns(s->status_ns + STATUS_NS);
	else
		sink__puts(&s->text, ":\n\n");
	return true;
}

ssize_t stream__read(struct stream *s, char *buf, size_t max)
{
	size_t left;

	while (s->sent == s->text.len) {
		sink__done(&s->text);
		sink__init_mem(&s->text);
		s->sent = 0;
		if (!fill(s))
			return 0;
		if (sink__finish(&s->text, NULL))
			return -ENOMEM;
	}
	left = s->text.len - s->sent;
	if (left > max)
		left = max;
	memcpy(buf, s->text.buf + s->sent, left);
	s->sent += left;
	return (ssize_t)left;
}
