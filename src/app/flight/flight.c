/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is kept are whole profiles, as `serve` keeps them, so a file needs nothing but the writer of
 * recordings, and a trigger sees waits with their causes. The window in which something fired is
 * the last one of its file, and says what it was.
 */
#include "app/flight/flight.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "analysis/cause/cause_memo.h"
#include "app/flight/flight_file.h"
#include "app/run.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/self_memory.h"
#include "base/sink.h"
#include "base/text/units.h"
#include "proc/machine.h"
#include "session/session.h"

#define WINDOWS 10
#define MIN_WINDOW_NS (100 * NSEC_PER_MSEC)
#define STAT_MAX_SZ (1 << 20)

u64 flight_window_ns(u64 last_ns)
{
	u64 ns = last_ns / WINDOWS;

	ns = ns < NSEC_PER_SEC ? ns : NSEC_PER_SEC;
	return ns > MIN_WINDOW_NS ? ns : MIN_WINDOW_NS;
}

/* 0 if it is not known: then no CPU counts as idle. */
static u64 read_idle_ns(void)
{
	char *text;
	size_t sz;
	u64 ns = 0;

	if (file_read("/proc/stat", STAT_MAX_SZ, &text, &sz, NULL))
		return 0;
	machine_idle_parse(&ns, view__of(text, sz), NULL);
	mem_free(text);
	return ns;
}

static void say(const struct flight *f, const char *sentence)
{
	if (f->opt.say)
		f->opt.say(f->opt.say_arg, sentence);
}

int flight__init(struct flight *f, const struct flight_options *opt,
		 const struct trigger_spec *specs, size_t specs_len, struct err *err)
{
	*f = (struct flight){ .opt = *opt, .idle_ns = read_idle_ns() };
	vec__init(&f->windows, sizeof(struct profile *));
	if (triggers__init(&f->triggers, specs, specs_len))
		return err__nomem(err);
	return flight_file_check(opt->path, err);
}

static struct profile *window_at(const struct flight *f, size_t i)
{
	return *(struct profile **)vec__at(&f->windows, i);
}

void flight__done(struct flight *f)
{
	for (size_t i = 0; i < f->windows.len; i++)
		profile__free(window_at(f, i));
	vec__done(&f->windows);
	triggers__done(&f->triggers);
}

/* Without what the allocator adds. */
static u64 bytes_of(const struct profile *p)
{
	return sizeof(*p) + p->strings.bytes.len + p->strings.offs.len * sizeof(u32) +
	       p->strings.slots_len * sizeof(u32) + p->modules_len * sizeof(*p->modules) +
	       p->frames_len * sizeof(*p->frames) + p->stacks_len * sizeof(*p->stacks) +
	       p->tasks_len * sizeof(*p->tasks) + p->objects_len * sizeof(*p->objects) +
	       p->waits_len * sizeof(*p->waits) + p->hots_len * sizeof(*p->hots) +
	       p->wakers_len * sizeof(*p->wakers) + p->wakes_len * sizeof(*p->wakes) +
	       p->bins_len * sizeof(*p->bins) + p->intervals_len * sizeof(*p->intervals) +
	       p->replicates_len * sizeof(*p->replicates) + p->moments_len * sizeof(*p->moments) +
	       p->marks_len * sizeof(*p->marks);
}

static void drop_oldest(struct flight *f)
{
	struct profile *p = window_at(f, 0);

	f->length_ns -= p->hdr.window_ns;
	f->bytes -= bytes_of(p);
	profile__free(p);
	f->windows.len--;
	memmove(f->windows.data, (struct profile **)f->windows.data + 1,
		f->windows.len * sizeof(struct profile *));
}

/* Lets old windows go: those before the last N seconds, and more if memory is short. */
static void trim(struct flight *f)
{
	while (f->windows.len > 1) {
		bool is_old = f->length_ns - window_at(f, 0)->hdr.window_ns >= f->opt.last_ns;

		if (!is_old && f->bytes <= f->opt.max_bytes && !self_memory_is_short())
			return;
		f->cut_short += !is_old;
		drop_oldest(f);
	}
}

static int keep(struct flight *f, struct profile *p, struct err *err)
{
	struct profile **to = vec__push(&f->windows);

	if (!to) {
		profile__free(p);
		return err__nomem(err);
	}
	*to = p;
	f->length_ns += p->hdr.window_ns;
	f->bytes += bytes_of(p);
	trim(f);
	if (f->most_bytes < f->bytes)
		f->most_bytes = f->bytes;
	return 0;
}

static void say_written(const struct flight *f, const char *path, const char *why)
{
	char length[32], sentence[FIRING_TEXT_SZ + 512];

	units_format_ns(f->length_ns, length, sizeof(length));
	snprintf(sentence, sizeof(sentence), "wrote %.300s, the last %s: %s", path, length, why);
	say(f, sentence);
	if (f->files == f->opt.max_files) {
		snprintf(sentence, sizeof(sentence),
			 "that was file %u of %u: the recording ends; --max-files allows more",
			 f->files, f->opt.max_files);
		say(f, sentence);
	}
}

/* What cannot be written now may be written when it fires again: it ends nothing. */
static int write_file(struct flight *f, const char *why, struct err *err)
{
	struct err failed = { 0 };
	char *path = NULL;
	struct profile *last = window_at(f, f->windows.len - 1);
	int r = profile__set_trigger(last, why);

	if (r)
		return err__nomem(err);
	r = flight_file_write(&(struct flight_file){ f->opt.path, f->windows.data, f->windows.len,
						     f->opt.rules, f->opt.session },
			      &path, &failed);
	last->hdr.trigger = 0; /* another file may have this window too */
	if (r) {
		char sentence[FIRING_TEXT_SZ + sizeof(failed.msg)];

		snprintf(sentence, sizeof(sentence), "%s; it was to hold %s", failed.msg, why);
		say(f, sentence);
		return r == -ENOMEM ? err__nomem(err) : 0;
	}
	f->files++;
	f->held_off_ns = f->opt.hold_off_ns;
	say_written(f, path, why);
	mem_free(path);
	if (f->files == f->opt.max_files)
		run_end();
	return 0;
}

/* All that fired in a window is said in its one file. */
static void join(const struct vec *firings, bool asked, const struct profile *p, struct sink *why)
{
	char at[32];

	for (size_t i = 0; i < firings->len; i++)
		sink__printf(why, "%s%s", i ? "; " : "",
			     ((const struct firing *)vec__at(firings, i))->why);
	clock_format_wall(p->hdr.begin_wall_ns + p->hdr.window_ns, at, sizeof(at));
	if (asked)
		sink__printf(why, "%sSIGUSR1 at %s", firings->len ? "; " : "", at);
}

static int fire(struct flight *f, const struct vec *firings, struct err *err)
{
	const struct profile *p = window_at(f, f->windows.len - 1);
	bool asked = run_take_trigger();
	struct sink why;
	int r;

	if (!asked && f->held_off_ns) {
		f->held_off += firings->len;
		return 0;
	}
	if ((!asked && !firings->len) || f->files == f->opt.max_files)
		return 0;
	sink__init_mem(&why);
	join(firings, asked, p, &why);
	r = sink__finish(&why, err);
	if (!r)
		r = write_file(f, why.buf, err);
	sink__done(&why);
	return r;
}

static int look(struct flight *f, const struct profile *p, struct vec *firings, struct err *err)
{
	struct cause_memo memo = { .p = p, .rules = f->opt.rules };
	u64 idle_ns = read_idle_ns(), before_ns = f->idle_ns;
	struct causes causes;
	const struct trigger_look at = { .windows = f->windows.data,
					 .len = f->windows.len,
					 .causes = &causes,
					 .rules = f->opt.rules,
					 .idle_ns = idle_ns > before_ns ? idle_ns - before_ns : 0 };
	int r;

	f->idle_ns = idle_ns;
	if (!f->triggers.specs_len)
		return 0;
	r = causes__recall(&causes, p, &memo, err);
	if (!r && triggers__look(&f->triggers, &at, firings))
		r = err__nomem(err);
	causes__done(&causes);
	cause_memo__done(&memo);
	return r;
}

int flight__add(struct flight *f, struct profile *p, struct err *err)
{
	u64 ns = p->hdr.window_ns;
	struct vec firings;
	int r = keep(f, p, err);

	if (r)
		return r;
	f->held_off_ns -= f->held_off_ns < ns ? f->held_off_ns : ns;
	vec__init(&firings, sizeof(struct firing));
	r = look(f, p, &firings, err);
	if (!r)
		r = fire(f, &firings, err);
	vec__done(&firings);
	return r;
}

bool flight__cuts(void *arg)
{
	const struct flight *f = arg;
	bool slow = f->opt.session && session__take_slow_request(f->opt.session);

	return run_trigger_asked() || (slow && !f->held_off_ns);
}

int flight__end(struct flight *f, struct err *err)
{
	char why[64];
	bool wanted = false;

	for (size_t i = 0; i < f->triggers.specs_len; i++)
		wanted |= f->triggers.specs[i].kind == TRIGGER_END;
	if (!wanted || !f->windows.len || f->files == f->opt.max_files)
		return 0;
	memcpy(why, "end at ", sizeof("end at "));
	clock_format_wall(clock_wall_ns(), why + strlen(why), 32);
	return write_file(f, why, err);
}
