/* SPDX-License-Identifier: Apache-2.0 */
#include "render/text/whatif_screen.h"

#include "base/text/units.h"
#include "base/text/utf8.h"
#include "render/words/loss_text.h"
#include "render/words/whatif_text.h"

#define TIME_SZ 32

struct whatif_screen {
	const struct profile *p;
	const struct whatif *w;
	struct sink *out;
};

static const char *time_of(u64 ns, char *buf)
{
	units_format_ns(ns, buf, TIME_SZ);
	return buf;
}

static void put_time(const struct whatif_screen *s, u64 ns)
{
	char time[TIME_SZ];

	time_of(ns, time);
	sink__printf(s->out, "%*s", utf8_pad(time, 9), time);
}

static double share(const struct whatif_screen *s, u64 ns)
{
	return s->w->measured_ns ? 100. * (double)ns / (double)s->w->measured_ns : 0;
}

static void put_head(const struct whatif_screen *s, u32 task)
{
	const struct whatif *w = s->w;
	double error = share(s, w->replay_ns) - 100;
	char measured[TIME_SZ], replay[TIME_SZ];

	utf8_put_harmless(s->out, profile__str(s->p, s->p->tasks[task].comm));
	sink__printf(s->out,
		     "-%u took %s on %u CPU%s. A replay of the recording takes %s (%+.1f%%).\n",
		     s->p->tasks[task].tid, time_of(w->measured_ns, measured), w->recorded_cpus,
		     units_plural(w->recorded_cpus), time_of(w->replay_ns, replay), error);
	sink__printf(s->out, "On its critical path: %.1f%% on a CPU, %.1f%% waiting for a CPU",
		     share(s, w->on_cpu_ns), share(s, w->runq_ns));
	if (w->unknown_ns)
		sink__printf(s->out, ", %.1f%% not known", share(s, w->unknown_ns));
	sink__puts(s->out, ".\n");
}

static void put_cpus(const struct whatif_screen *s)
{
	const struct whatif *w = s->w;
	char now[TIME_SZ], twice[TIME_SZ], all[TIME_SZ];

	if (w->cpus != w->recorded_cpus)
		sink__printf(s->out, "On %u CPU%s it would take %s: so do the times below.\n",
			     w->cpus, units_plural(w->cpus), time_of(w->cpus_ns, now));
	sink__printf(s->out,
		     "It would take %s on %u CPUs, and %s if no thread ever waited for one.\n",
		     time_of(w->twice_ns, twice), 2 * w->cpus, time_of(w->all_ns, all));
}

static void put_rows(const struct whatif_screen *s)
{
	u32 i, k;

	if (!s->w->len) {
		sink__puts(s->out, "\nNo wait on the critical path can be shortened by itself.\n");
		return;
	}
	sink__puts(s->out, "\n  on path");
	for (i = 0; i < WHATIF_STEPS; i++)
		sink__printf(s->out, "%7u %%", whatif_percent[i]);
	sink__puts(s->out, "  shorter: what it would take; waits\n");
	for (i = 0; i < s->w->len; i++) {
		const struct whatif_row *row = &s->w->rows[i];

		sink__printf(s->out, "%8.1f%%", share(s, row->path_ns));
		for (k = 0; k < WHATIF_STEPS; k++)
			put_time(s, row->ns[k]);
		sink__puts(s->out, "  ");
		whatif_put_row(row, s->out);
		sink__puts(s->out, "\n");
	}
}

static void put_assumptions(const struct whatif_screen *s)
{
	u32 i;

	sink__puts(s->out, "\nThis assumes:\n");
	for (i = 0; whatif_assumptions[i]; i++)
		sink__printf(s->out, "- %s\n", whatif_assumptions[i]);
	if (s->w->forced)
		sink__printf(s->out,
			     "In replays %u wait%s had no end and were ended: do not rely "
			     "on the times.\n",
			     s->w->forced, units_plural(s->w->forced));
}

void whatif_screen_put(const struct profile *p, u32 task, const struct whatif *w, struct sink *out)
{
	const struct whatif_screen s = { p, w, out };

	put_head(&s, task);
	put_cpus(&s);
	put_rows(&s);
	put_assumptions(&s);
	sink__puts(out, "\n");
	losses_put(p, out);
}
