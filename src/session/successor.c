/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A change is never inside a window: hooks and visits know different things, and a window has one
 * kind of rows. Both captures are set to the same instant ahead of it, so neither waits for the
 * other, and no time is lost or counted twice.
 *
 * Without hooks nobody sees switches, so those of the machine come from /proc/stat. It also counts
 * threads that are not recorded, for which hooks run as well.
 */
#include "session/successor.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "proc/machine.h"

#define LOOK_NS NSEC_PER_SEC
/* Long enough to set both windows before the instant. */
#define AHEAD_NS (5 * NSEC_PER_MSEC)
/* /proc/stat has a line for each CPU and a number for each interrupt. */
#define STAT_MAX (1 << 20)

void successor__init(struct successor *s, const struct capture_options *opt,
		     const struct features *features, struct notices *notices)
{
	*s = (struct successor){ .opt = opt, .features = features, .notices = notices };
	way_calm__init(&s->calm);
}

void successor__done(struct successor *s)
{
	capture__free(s->capture);
	s->capture = NULL;
}

static u64 budget_ns(const struct successor *s)
{
	return s->opt->overhead_ppm * 1000 * (u64)sysconf(_SC_NPROCESSORS_ONLN);
}

static int open_next(struct successor *s, u32 hz)
{
	struct capture_options opt = *s->opt;
	char text[128 + sizeof(((struct err *)0)->msg)];
	struct err why;

	opt.gap_from_ns = 0; /* it continues a capture without a gap */
	if (hz) {
		opt.visit_hz = hz;
		opt.overhead_ppm = 0;
	}
	if (!capture__open(&opt, s->features, &s->capture, &why)) {
		s->capture_hz = hz;
		return 0;
	}
	s->failed = true;
	snprintf(text, sizeof(text), "cannot %s, so the recording goes on as before: %s",
		 hz ? "visit threads, which would cost less than hooks" : "attach hooks again",
		 why.msg);
	return notices__add(s->notices, text);
}

/* Threads of the machine; 0: unknown. */
static u32 count_threads(void)
{
	char *text;
	u32 threads;
	size_t sz;

	if (file_read("/proc/loadavg", 4096, &text, &sz, NULL))
		return 0;
	if (machine_threads_parse(&threads, view__of(text, sz), NULL))
		threads = 0;
	mem_free(text);
	return threads;
}

/* Context switches of the machine since boot; 0: unknown. */
static u64 read_switches(void)
{
	struct machine_stat stat = { 0 };
	char *text;
	size_t sz;

	if (file_read("/proc/stat", STAT_MAX, &text, &sz, NULL))
		return 0;
	if (machine_stat__parse(&stat, view__of(text, sz), NULL))
		stat.switches = 0;
	mem_free(text);
	return stat.switches;
}

/* Whether hooks would be cheap again. */
static bool is_calm(struct successor *s, u64 now_ns)
{
	u64 switches = read_switches(), grown = switches - s->switches;
	u64 wall_ns = now_ns - s->since_ns;
	bool measured = s->switches && switches >= s->switches && wall_ns;
	struct way_cost cost = { .budget_ns = budget_ns(s) };

	s->switches = switches;
	s->since_ns = now_ns;
	if (!measured)
		return false;
	cost.switches_ns =
		(u64)((double)grown * (double)s->switch_ns / (double)wall_ns * NSEC_PER_SEC);
	return way_calm__may_hook(&s->calm, &cost, now_ns);
}

int successor__consider(struct successor *s, const struct capture *now, u64 now_ns)
{
	struct way_cost cost = { .budget_ns = budget_ns(s) };
	u32 hz;

	if (s->capture || s->failed || now_ns < s->next_ns)
		return 0;
	s->next_ns = now_ns + LOOK_NS;
	if (s->hz)
		return is_calm(s, now_ns) ? open_next(s, 0) : 0;
	if (!capture__hooks_cost(now, &cost.switches_ns, &s->switch_ns))
		return 0;
	cost.threads = capture__threads(now);
	cost.walked = count_threads();
	hz = way_visits_hz(&cost);
	return hz ? open_next(s, hz) : 0;
}

/* Where in the recording it changed, in the words of a clock on the wall. */
static int say(struct successor *s, u32 before_hz, u64 begin_wall_ns)
{
	char time[32], text[256];

	clock_format_wall(begin_wall_ns, time, sizeof(time));
	if (s->hz)
		snprintf(text, sizeof(text),
			 "from %s on threads were visited %u times a second, because hooks at each "
			 "switch cost more than --max-overhead allows; --period keeps hooks",
			 time, s->hz);
	else
		snprintf(text, sizeof(text),
			 "from %s on hooks saw switches again, after visits at %u Hz", time,
			 before_hz);
	return notices__add(s->notices, text);
}

/* What the capture that ends has to say. */
static int keep_notices(struct successor *s, const struct capture *ended)
{
	const char *text;
	int r = 0;

	for (size_t i = 0; !r && (text = capture__notice(ended, i)); i++)
		r = notices__add(s->notices, text);
	return r;
}

int successor__take_over(struct successor *s, struct capture **capture, u64 at_ns,
			 struct capture **ret_ended, struct err *err)
{
	struct capture *ended = *capture;
	u64 soon_ns = clock_mono_ns() + AHEAD_NS;
	u32 before_hz = s->hz;
	int r;

	if (at_ns < soon_ns)
		at_ns = soon_ns;
	/* The last bit of an instant belongs to the capture. A late beginning is a known gap. */
	at_ns = capture__end_at(ended, at_ns);
	capture__start_at(s->capture, (at_ns | 1) + 1);
	r = capture__stop(ended, at_ns, err);
	*capture = s->capture;
	*ret_ended = ended;
	s->capture = NULL;
	s->hz = s->capture_hz;
	s->switches = 0;
	if (s->hz)
		way_calm__begin(&s->calm);
	if (!r && (keep_notices(s, ended) || say(s, before_hz, clock_wall_ns())))
		r = err__nomem(err);
	return r;
}
