/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profiler that does not state its cost should not be used on a busy machine. The share is of all
 * CPUs in the window: what our BPF programs measured, and our process. A part of it is never
 * presented as the whole.
 */
#include "render/words/effort_text.h"

#include "base/text/units.h"
#include "profile/estimate.h"

/* After "waits chosen". */
static void period_text(const struct profile_header *h, char *buf, size_t sz)
{
	char mean[32], min[32], max[32];

	if (!h->period_max_ns) {
		snprintf(buf, sz, "(all)");
		return;
	}
	units_format_ns(h->period_ns, mean, sizeof(mean));
	if (!h->period_changes) {
		snprintf(buf, sz, "(one per %s waited)", mean);
		return;
	}
	if (h->period_min_ns)
		units_format_ns(h->period_min_ns, min, sizeof(min));
	else
		snprintf(min, sizeof(min), "all");
	units_format_ns(h->period_max_ns, max, sizeof(max));
	snprintf(buf, sz, "(one per %s waited, %s to %s, %u change%s)", mean, min, max,
		 h->period_changes, units_plural(h->period_changes));
}

/* "190 rounds at 19 Hz, late by 68.7 µs on average, 190 µs at most" */
static void rounds_text(const struct profile_header *h, char *buf, size_t sz)
{
	char rounds[32], late[32], most[32], missed[32], left_out[48] = "";

	units_format_count(h->visit_passes, rounds, sizeof(rounds));
	units_format_ns(h->visit_passes ? h->visit_late_ns / h->visit_passes : 0, late,
			sizeof(late));
	units_format_ns(h->visit_late_max_ns, most, sizeof(most));
	units_format_count(h->visit_passes_missed, missed, sizeof(missed));
	if (h->visit_passes_missed)
		snprintf(left_out, sizeof(left_out), ", %s left out", missed);
	snprintf(buf, sz, "%s round%s at %u Hz%s, late by %s on average, %s at most", rounds,
		 units_plural(h->visit_passes), h->visit_hz, left_out, late, most);
}

/* "5,700 visits of threads, 12 of them after a switch or on a CPU; 190 rounds at 19 Hz, ..." */
static void visits_text(const struct profile_header *h, char *buf, size_t sz)
{
	bool tasks = profile_header__is_of_tasks(h);
	char rounds[208], visits[32], changed[32];

	rounds_text(h, rounds, sizeof(rounds));
	units_format_count(h->visits, visits, sizeof(visits));
	units_format_count(h->visits_changed, changed, sizeof(changed));
	snprintf(buf, sz, "%s visit%s of %s, %s of them %s; %s", visits, units_plural(h->visits),
		 tasks ? "tasks" : "threads", changed,
		 tasks ? "torn" : "after a switch or on a CPU", rounds);
}

/* Some windows were recorded by hooks. */
static bool is_mixed(const struct profile_header *h)
{
	return h->visit_hz && h->switches_seen;
}

bool effort_ways_text(const struct profile *p, char *buf, size_t sz)
{
	const struct profile_header *h = &p->hdr;
	char visited[32], all[32];

	buf[0] = '\0';
	if (!is_mixed(h))
		return false;
	units_format_ns(h->visited_ns, visited, sizeof(visited));
	units_format_ns(h->window_ns, all, sizeof(all));
	snprintf(buf, sz,
		 "threads were visited for %s of %s, and hooks saw their switches for the rest; "
		 "the number and lengths of waits are not known for all of it",
		 visited, all);
	return true;
}

void effort_seen_text(const struct profile *p, char *buf, size_t sz)
{
	const struct profile_header *h = &p->hdr;
	char switches[32], chosen[32], period[160];

	if (h->source) {
		snprintf(buf, sz, "imported: coldspot measured nothing");
		return;
	}
	if (h->visit_hz) {
		visits_text(h, buf, sz);
		return;
	}
	units_format_count(h->switches_seen, switches, sizeof(switches));
	units_format_count(h->waits_chosen, chosen, sizeof(chosen));
	period_text(h, period, sizeof(period));
	snprintf(buf, sz, "%s switch%s seen, %s wait%s chosen %s", switches,
		 h->switches_seen == 1 ? "" : "es", chosen, units_plural(h->waits_chosen), period);
}

bool effort_share_text(const struct profile_header *h, u64 ns, char *buf, size_t sz)
{
	unsigned __int128 all = h->machine_ns ? (unsigned __int128)h->machine_ns :
						(unsigned __int128)h->window_ns * h->ncpu;
	u64 share;

	share = all ? (u64)(((unsigned __int128)ns * 10000 + all / 2) / all) : 0;
	if (!all)
		snprintf(buf, sz, "?%%");
	else if (ns && !share)
		snprintf(buf, sz, "<0.01%%");
	else
		snprintf(buf, sz, "%llu.%02llu%%", share / 100, share % 100);
	return all != 0;
}

/* ", 10.9 MiB of kernel memory"; empty if unknown. */
static void memory_text(const struct profile_header *h, char *buf, size_t sz)
{
	char bytes[32];

	buf[0] = '\0';
	if (!h->kernel_bytes)
		return;
	units_format_bytes(h->kernel_bytes, bytes, sizeof(bytes));
	snprintf(buf, sz, ", %s of kernel memory", bytes);
}

void effort_cost_text(const struct profile *p, char *buf, size_t sz)
{
	const struct profile_header *h = &p->hdr;
	char share[32], time[32], memory[64];

	if (h->source) {
		snprintf(buf, sz, "cost: not known, imported");
		return;
	}
	memory_text(h, memory, sizeof(memory));
	if (h->visit_hz) {
		u64 hooks_ns = is_mixed(h) ? h->prog_ns : 0;

		effort_share_text(h, h->self_cpu_ns + hooks_ns, share, sizeof(share));
		units_format_ns(h->self_cpu_ns, time, sizeof(time));
		snprintf(buf, sz, "cost: %s of the machine (own CPU time %s)", share, time);
		return;
	}
	if (!h->prog_runs || !h->switches_seen) {
		units_format_ns(h->self_cpu_ns, time, sizeof(time));
		snprintf(buf, sz, "cost: own CPU time %s, in the kernel not measured%s", time,
			 memory);
		return;
	}
	effort_share_text(h, h->prog_ns + h->self_cpu_ns, share, sizeof(share));
	units_format_ns(h->prog_ns / h->switches_seen, time, sizeof(time));
	snprintf(buf, sz, "cost: %s of the machine, %s a switch%s", share, time, memory);
}

bool rough_text(u64 var_us2, u64 samples, char *buf, size_t sz)
{
	buf[0] = '\0';
	if (!estimate_is_rough(var_us2, samples))
		return false;
	snprintf(buf, sz, "only %llu sample%s", samples, units_plural(samples));
	return true;
}
