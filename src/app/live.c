/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Window ends are multiples of the interval from the start, or of the wall clock, so delays do not
 * accumulate. A window that ended late is longer, and the next one shorter. Where run_options.cut
 * ended one, the count starts again.
 */
#include "app/live.h"

#include "base/clock.h"

/* session__next() waits for the instant itself. */
#define EARLY_NS (2 * NSEC_PER_MSEC)

void live__init(struct live *l, struct session *s, const struct run_options *run, u64 every_ns,
		bool align)
{
	*l = (struct live){ .session = s, .run = run, .every_ns = every_ns, .align = align };
}

static int begin(struct live *l, struct err *err)
{
	int r = run_begin(l->session, l->run, err);

	l->begin_ns = clock_mono_ns();
	l->end_ns = l->begin_ns;
	return r;
}

/*
 * The next multiple of the interval in wall-clock time. One that is less than half an interval
 * after the previous end is left out: it is the same one, if the wall clock was slewed back.
 */
static u64 aligned_end(const struct live *l)
{
	/* in this order: an end some ns too early would be shown as the ms before it */
	u64 left_ns = l->every_ns - clock_wall_ns() % l->every_ns;
	u64 end_ns = clock_mono_ns() + left_ns;

	return end_ns - l->end_ns < l->every_ns / 2 ? end_ns + l->every_ns : end_ns;
}

/* The end of the current window: a multiple of the interval, and not yet past. */
static void set_end(struct live *l)
{
	u64 now = clock_mono_ns();

	if (!l->every_ns) {
		l->end_ns = ~0ULL;
		return;
	}
	if (l->align) {
		l->end_ns = aligned_end(l);
		return;
	}
	l->end_ns += l->every_ns;
	if (l->end_ns <= now)
		l->end_ns += (now - l->end_ns) / l->every_ns * l->every_ns + l->every_ns;
}

static int next(void *arg, struct profile **ret, struct err *err)
{
	struct live *l = arg;
	enum run_pause why = RUN_UNTIL;
	int r = 0;

	if (l->over)
		return PROFILE_END;
	if (!l->begin_ns)
		r = begin(l, err);
	set_end(l);
	if (!r)
		r = run_until(l->session, l->run, l->begin_ns,
			      l->end_ns == ~0ULL ? ~0ULL : l->end_ns - EARLY_NS, &why, err);
	if (r)
		return r;
	l->over = why == RUN_OVER;
	r = l->over ? session__finish(l->session, ret, err) :
		      session__next(l->session,
				    why == RUN_CUT || l->end_ns == ~0ULL ? 0 : l->end_ns, ret, err);
	if (why == RUN_CUT)
		l->end_ns = clock_mono_ns(); /* the next one has its whole length */
	return r ? r : PROFILE_NEXT;
}

struct profile_source live__source(struct live *l)
{
	return (struct profile_source){ next, l };
}
