/* SPDX-License-Identifier: Apache-2.0 */
/* Text and colours shared by all formats of a diff. */
#include "render/diff/diff_view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/diff/diff_test.h"
#include "base/text/units.h"

/* Fraction of a value from which a change is worth a separate line. */
#define NOTABLE 0.1
/* Changes by this factor and more are shown as a factor. */
#define TIMES_FROM 11

const char *diff_unit_name(u32 per)
{
	static const char *const names[] = {
		[DIFF_PER_WALL] = "second",
		[DIFF_PER_THREAD] = "thread-second",
		[DIFF_PER_REQUEST] = "request",
	};

	return names[per];
}

const char *diff_verdict_name(u32 verdict)
{
	static const char *const names[] = {
		[DIFF_SMALL] = "small", [DIFF_UNKNOWN] = "unknown", [DIFF_NOISE] = "noise",
		[DIFF_MORE] = "more",	[DIFF_LESS] = "less",
	};

	return names[verdict];
}

char diff_verdict_mark(u32 verdict)
{
	static const char marks[] = {
		[DIFF_SMALL] = ' ', [DIFF_UNKNOWN] = '?', [DIFF_NOISE] = '~',
		[DIFF_MORE] = '+',  [DIFF_LESS] = '-',
	};

	return marks[verdict];
}

void diff_rate_text(double rate, char *buf, size_t sz)
{
	units_format_ns((u64)llround(fabs(rate)), buf, sz);
}

void diff_change_text(const struct diff_item *it, char *buf, size_t sz)
{
	double change = diff_item__change(it);
	char value[32];

	diff_rate_text(change, value, sizeof(value));
	snprintf(buf, sz, "%s%s",
		 llround(change) > 0 ? "+" :
		 llround(change) < 0 ? "-" :
				       "",
		 value);
}

void diff_percent_text(const struct diff_item *it, char *buf, size_t sz)
{
	const double *rate = it->rate;

	if (!it->ns[DIFF_BEFORE] && !it->ns[DIFF_AFTER])
		snprintf(buf, sz, "-");
	else if (!it->ns[DIFF_BEFORE] || !it->ns[DIFF_AFTER])
		snprintf(buf, sz, "%s", it->ns[DIFF_AFTER] ? "new" : "gone");
	else if (rate[DIFF_AFTER] >= TIMES_FROM * rate[DIFF_BEFORE])
		snprintf(buf, sz, "x%.0f", rate[DIFF_AFTER] / rate[DIFF_BEFORE]);
	else
		snprintf(buf, sz, "%+.1f%%", 100 * diff_item__change(it) / rate[DIFF_BEFORE]);
}

void diff_side_text(const struct diff *d, u32 side, char *buf, size_t sz)
{
	const struct profile_budget *budget = &d->budget[side];
	char window[32], off[32], runq[32], idle[32], count[32];
	const char *about = profile__is_sampled(d->p[side]) ? "about " : "";
	u32 unknown = d->p[side]->hdr.unknown;
	size_t len;

	units_format_ns(d->p[side]->hdr.window_ns, window, sizeof(window));
	units_format_ns(d->total.ns[side], off, sizeof(off));
	units_format_ns(budget->preempted_ns + budget->runq_ns, runq, sizeof(runq));
	units_format_count((u64)d->units[side], count, sizeof(count));
	len = (size_t)snprintf(buf, sz, "%s, ",
			       unknown & UNKNOWN_WINDOW ? "length not known" : window);
	if (!(unknown & UNKNOWN_THREADS))
		len += (size_t)snprintf(buf + len, sz - len, "%s%u thread%s, ",
					unknown & UNKNOWN_NUMBERS ? "at least " : "",
					budget->threads, units_plural(budget->threads));
	len += (size_t)snprintf(buf + len, sz - len, "%s%s off the CPU", about, off);
	if (!(unknown & UNKNOWN_RUNQ))
		len += (size_t)snprintf(buf + len, sz - len, ", waiting for a CPU %s", runq);
	if (d->idle.ns[0] || d->idle.ns[1]) {
		units_format_ns(d->idle.ns[side], idle, sizeof(idle));
		len += (size_t)snprintf(buf + len, sz - len, ", and idle for %s", idle);
	}
	if (d->opt.per == DIFF_PER_REQUEST && len < sz)
		snprintf(buf + len, sz - len, ", %s request%s", count,
			 d->units[side] > 1 ? "s" : "");
}

static void mean_interval(const struct profile *p, char *buf, size_t sz)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < p->intervals_len; i++)
		sum += p->intervals[i].length_ns;
	units_format_ns(p->intervals_len ? sum / p->intervals_len : 0, buf, sz);
}

void diff_tested_text(const struct diff *d, char *buf, size_t sz)
{
	char length[2][32];
	u32 side;

	for (side = 0; side < 2; side++)
		mean_interval(d->p[side], length[side], sizeof(length[side]));
	if (d->tested) {
		snprintf(
			buf, sz,
			"Tested against chance with %u interval%s of %s before and %u of %s after.",
			d->intervals[0], units_plural(d->intervals[0]), length[0], d->intervals[1],
			length[1]);
		return;
	}
	side = d->intervals[0] < DIFF_TEST_MIN ? 0 : 1;
	snprintf(buf, sz,
		 "Not tested against chance: the recording %s has %u interval%s, %u are needed.",
		 side ? "after" : "before", d->intervals[side], units_plural(d->intervals[side]),
		 DIFF_TEST_MIN);
}

void diff_key_text(const struct diff *d, bool marks, char *buf, size_t sz)
{
	buf[0] = '\0';
	if (d->tested)
		snprintf(buf, sz,
			 "%sup to %g%% of these may be chance.\n"
			 "%s: no more than chance, or less than %g%%. %s: not tested, below %g%%.",
			 marks ? "+ and -: more and less; " : "more and less: ",
			 100 * DIFF_FALSE_PART, marks ? "~" : "noise", 100 * DIFF_EFFECT_MIN,
			 marks ? "No mark" : "small", 100 * DIFF_WEIGHT_MIN);
}

bool diff_largest_text(const struct diff *d, const struct diff_item *it, char *buf, size_t sz)
{
	double part = diff_item__largest(d, it);
	u32 side = diff_item__change(it) > 0 ? DIFF_AFTER : DIFF_BEFORE;
	char value[32];

	/* any wait is a large part of a change that is close to zero */
	if (part < 0.5 || it->verdict == DIFF_SMALL ||
	    fabs(diff_item__change(it)) < NOTABLE * fmax(it->rate[0], it->rate[1]))
		return false;
	units_format_ns(it->max_ns[side], value, sizeof(value));
	if (part >= 1)
		snprintf(buf, sz, "a single wait of %s is all of it", value);
	else
		snprintf(buf, sz, "a single wait of %s is %.0f%% of it", value, 100 * part);
	return true;
}

/* From `from` to `to`, by a part in 0..1. */
static struct color between(struct color from, struct color to, double part)
{
	return (struct color){ (u8)lround(from.r + (to.r - from.r) * part),
			       (u8)lround(from.g + (to.g - from.g) * part),
			       (u8)lround(from.b + (to.b - from.b) * part) };
}

struct color diff_color(const struct diff_item *it)
{
	static const struct color pale[2] = { { 200, 216, 245 }, { 250, 212, 204 } };
	static const struct color strong[2] = { { 95, 145, 235 }, { 235, 92, 72 } };
	double change = diff_item__change(it);
	double most = it->rate[0] > it->rate[1] ? it->rate[0] : it->rate[1];
	double part = most > 0 ? fabs(change) / most : 0;
	u32 more = change > 0;

	if (it->verdict == DIFF_NOISE)
		return (struct color){ 200, 200, 204 };
	if (it->verdict == DIFF_SMALL || !(part > 0))
		return (struct color){ 226, 226, 230 };
	/* an increase by half is as red as a tripling: small changes must be visible too */
	part = part > 0.5 ? 1 : 0.25 + 1.5 * part;
	if (it->verdict == DIFF_UNKNOWN)
		part /= 3;
	return between(pale[more], strong[more], part);
}
