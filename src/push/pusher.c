/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store is the queue, and a cursor in a file is what a target has had of it. The cursor moves
 * after the answer, so a crash in between sends a window again, with the same identifier: receivers
 * that deduplicate see it once. If a target is away for long, the store's retention decides what
 * it misses.
 */
#include "push/pusher.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "push/pusher_priv.h"
#include "push/target.h"
#include "store/store.h"

#define CONNECT_MS 10000
#define TOTAL_MS 60000
/* OTLP's limit for a request; other servers have smaller ones. */
#define BODY_MAX (64u << 20)
/* One that stands still ends earlier. */
#define DAY_TOTAL_MS (3600 * 1000)
/* Of a single PUT to S3. */
#define DAY_BODY_MAX (5ULL << 30)
#define DAY_NS (86400 * NSEC_PER_SEC)

void pusher__say(const struct pusher *p, enum push_level level, const char *fmt, ...)
{
	char text[1600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	p->opt->say(p->opt->say_arg, level, text);
}

int pusher__init(struct pusher *p, const struct push_url *url, const struct pusher_options *opt,
		 struct err *err)
{
	const struct http_limits of_windows = {
		.connect_ms = CONNECT_MS,
		.total_ms = TOTAL_MS,
		.body_bytes = BODY_MAX,
	};
	const struct http_limits of_days = {
		.connect_ms = CONNECT_MS,
		.total_ms = DAY_TOTAL_MS,
		.body_bytes = DAY_BODY_MAX,
	};
	char target[sizeof(p->cursor.target)];
	int r;

	*p = (struct pusher){ .opt = opt, .url = *url, .cursor.lock_fd = -1 };
	sent_stacks__init(&p->stacks);
	snprintf(target, sizeof(target), "%s%s%s", url->name, *url->query ? "?" : "", url->query);
	r = push_cursor__init(&p->cursor, opt->state, opt->store, target, err);
	if (r || url->target->is_local)
		return r;
	return http__new(url->target->put_day ? &of_days : &of_windows, opt->stop, &p->http, err);
}

void pusher__done(struct pusher *p)
{
	http__free(p->http);
	p->http = NULL;
	sent_stacks__done(&p->stacks);
	push_cursor__done(&p->cursor);
}

/* Where one begins that has had nothing. */
static int begin_windows(struct pusher *p, struct store *s, u64 since_wall_ns, struct err *err)
{
	struct push_place place = { 0 };
	struct store_window w;
	size_t files = store__files_len(s);
	int r;

	/* of all but the last file, it is enough to know that they are before it */
	if (since_wall_ns == ~0ULL && files)
		place.at.file = store__file(s, files - 1).file;
	else if (since_wall_ns != ~0ULL && since_wall_ns > DAY_NS)
		place.at.file = (struct store_day){ store_day_of(since_wall_ns - DAY_NS), 1 };
	while ((r = store__next(s, &place.at, &w, err)) > 0 &&
	       w.begin_wall_ns + w.window_ns <= since_wall_ns)
		place = (struct push_place){ w.at, w.begin_wall_ns };
	return r < 0 ? r : push_cursor__write(&p->cursor, &place, err);
}

int pusher__begin(struct pusher *p, struct store *s, u64 since_wall_ns, struct err *err)
{
	int r;

	if (!p->cursor.is_new) {
		r = pusher__check_store(p, s, err);
		return r < 0 ? r : 0;
	}
	if (p->url.target->put_day)
		return pusher__begin_days(p, s, since_wall_ns, err);
	return begin_windows(p, s, since_wall_ns, err);
}

/* In the form of a UUID. */
static void name_window(const struct profile *p, char *buf, size_t sz)
{
	u64 host = hash_text(profile__str(p, p->hdr.host));
	u64 high = hash_u64(hash_u64(p->hdr.begin_wall_ns) ^ host);
	u64 low = hash_u64(hash_u64(p->hdr.window_ns) ^ host ^
			   hash_text(profile__str(p, p->hdr.target)));

	snprintf(buf, sz, "%08llx-%04llx-4%03llx-8%03llx-%012llx", high >> 32, high >> 16 & 0xffff,
		 high & 0xfff, low >> 52, low & 0xffffffffffffULL);
}

/* Sends all parts, until one is not taken. */
static int send_parts(struct pusher *p, const struct push_parts *parts,
		      enum push_verdict *ret_verdict, u32 *ret_after_s, struct err *why,
		      struct err *err)
{
	u64 bytes = 0;

	*ret_verdict = PUSH_TAKEN;
	for (size_t i = 0; i < parts->parts.len && *ret_verdict == PUSH_TAKEN; i++) {
		const struct http_part *part = vec__at(&parts->parts, i);
		struct http_answer answer;
		int r = http__post(p->http, &p->url, part, &answer, err);

		if (!r)
			*ret_verdict = push_judge(p->url.target, &answer, why);
		*ret_after_s = answer.retry_after_s;
		bytes += part->body.len;
		http_answer__done(&answer);
		if (r)
			return r;
	}
	if (*ret_verdict == PUSH_TAKEN)
		p->bytes += bytes;
	return 0;
}

static int encode_and_send(struct pusher *p, const struct profile *profile,
			   enum push_verdict *ret_verdict, u32 *ret_after_s, struct err *why,
			   struct err *err)
{
	struct cause_memo memo = { .rules = p->opt->rules, .p = profile };
	struct push_parts parts = { 0 };
	char id[40];
	const struct push_window w = {
		.p = profile, .memo = &memo, .id = id, .stacks = &p->stacks
	};
	int r;

	name_window(profile, id, sizeof(id));
	sent_stacks__begin(&p->stacks, store_day_of(profile->hdr.begin_wall_ns));
	r = p->url.target->encode(&w, &p->url, &parts, err);
	if (!r)
		r = send_parts(p, &parts, ret_verdict, ret_after_s, why, err);
	push_parts__done(&parts);
	cause_memo__done(&memo);
	return r;
}

static struct push_place place_of(const struct store_window *w)
{
	return (struct push_place){ w->at, w->begin_wall_ns };
}

static void note_refused(struct pusher *p, const struct store_window *w, const char *why)
{
	char at[32];

	clock_format_wall(w->begin_wall_ns, at, sizeof(at));
	p->refused++;
	pusher__say(p, PUSH_ERROR, "%s refused the window of %s, which is skipped: %s", p->url.name,
		    at, why);
}

static void say_fault(const struct pusher *p, const char *why)
{
	pusher__say(p, PUSH_ERROR, "%s gets no %s until you mend this: %s", p->url.name,
		    push_target_takes(p->url.target), why);
}

void pusher__note_fault(struct pusher *p, const char *why)
{
	snprintf(p->trouble, sizeof(p->trouble), "%.199s", why);
	say_fault(p, why);
}

void pusher__note_later(struct pusher *p, u64 now_ns, u32 after_s, const char *why)
{
	u64 random = hash_u64(clock_mono_ns() ^ (u64)getpid() << 32);
	bool same = !strncmp(p->trouble, why, sizeof(p->trouble) - 1);

	backoff__failed(&p->backoff, now_ns, after_s, random);
	/* we broke it off: the target is not at fault */
	if (p->opt->stop && p->opt->stop())
		return;
	snprintf(p->trouble, sizeof(p->trouble), "%.199s", why);
	if (!same && p->needs_user)
		say_fault(p, why);
	else if (!same)
		pusher__say(p, PUSH_WARNING, "%s does not take %s, and is tried again: %s",
			    p->url.name, push_target_takes(p->url.target), why);
}

int pusher__note_done(struct pusher *p, const struct push_place *place, struct err *err)
{
	if (*p->trouble)
		pusher__say(p, PUSH_INFO, "%s takes %s again", p->url.name,
			    push_target_takes(p->url.target));
	p->trouble[0] = '\0';
	backoff__worked(&p->backoff);
	return push_cursor__write(&p->cursor, place, err);
}

static int send_window(struct pusher *p, const struct profile *profile,
		       const struct store_window *w, u64 now_ns, struct err *err)
{
	enum push_verdict verdict = PUSH_TAKEN;
	const struct push_place place = place_of(w);
	struct err why = { 0 }, failed = { 0 };
	u32 after_s = 0;
	int r = encode_and_send(p, profile, &verdict, &after_s, &why, &failed);

	/* nobody will ever send it */
	if (r == -E2BIG) {
		verdict = PUSH_REFUSED;
		why = failed;
	} else if (r == -ENOMEM) {
		return err__nomem(err);
	} else if (r) {
		verdict = PUSH_LATER;
		why = failed;
	}
	if (verdict == PUSH_LATER) {
		pusher__note_later(p, now_ns, after_s, why.msg);
		return PUSHER_WAITS;
	}
	if (verdict == PUSH_REFUSED)
		note_refused(p, w, why.msg);
	p->taken += verdict == PUSH_TAKEN;
	if (verdict == PUSH_TAKEN)
		sent_stacks__taken(&p->stacks);
	r = pusher__note_done(p, &place, err);
	return r ? r : PUSHER_WENT_ON;
}

/* It was removed meanwhile, or is damaged: there is nothing to send. */
static int skip(struct pusher *p, const struct store_window *w, const char *why, struct err *err)
{
	const struct push_place place = place_of(w);
	char at[32];
	int r;

	clock_format_wall(w->begin_wall_ns, at, sizeof(at));
	p->lost++;
	pusher__say(p, PUSH_WARNING, "%s misses the window of %s: %s", p->url.name, at, why);
	r = push_cursor__write(&p->cursor, &place, err);
	return r ? r : PUSHER_WENT_ON;
}

/* Not of a clock that was set: then it is not known when the window ended. */
static bool is_too_early(const struct pusher *p, const struct store_window *w, u64 wall_ns)
{
	u64 end_ns = w->begin_wall_ns + w->window_ns;
	u64 delay_ns = p->opt->delay_ns < w->window_ns / 2 ? p->opt->delay_ns : w->window_ns / 2;

	return wall_ns >= end_ns && wall_ns < end_ns + delay_ns;
}

int pusher__step(struct pusher *p, struct store *s, u64 now_mono_ns, struct err *err)
{
	struct profile *profile = NULL;
	struct err why = { 0 };
	struct store_window w;
	int r;

	if (now_mono_ns < p->backoff.next_ns)
		return PUSHER_WAITS;
	if (p->url.target->put_day)
		return pusher__step_day(p, s, now_mono_ns, err);
	r = store__next(s, &p->cursor.place.at, &w, err);
	if (!r)
		return pusher__check_store(p, s, err);
	if (r < 0)
		return r;
	if (is_too_early(p, &w, clock_wall_ns()))
		return PUSHER_IDLE;
	p->window_ns = w.window_ns;
	r = store__read(s, &w.at, &profile, &why);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r)
		return skip(p, &w, why.msg, err);
	r = send_window(p, profile, &w, now_mono_ns, err);
	profile__free(profile);
	return r;
}
