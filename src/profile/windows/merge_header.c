/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A header states the conditions of a recording, and several recordings have several. Different
 * texts are joined; counters are added; of bounds the widest is used; and what was not measured in
 * one part is unknown for the whole.
 */
#include "profile/windows/merge_header.h"

#include <errno.h>

#include "base/mem.h"
#include "base/sink.h"

/* More different texts than this are counted. */
#define SHOWN_TEXTS 6

struct merge_text {
	size_t off; /* of the u32 in the header */
	const char *between;
};

static const struct merge_text texts[] = {
	{ offsetof(struct profile_header, host), ", " },
	{ offsetof(struct profile_header, kernel), ", " },
	{ offsetof(struct profile_header, arch), ", " },
	{ offsetof(struct profile_header, version), ", " },
	{ offsetof(struct profile_header, command), "; " },
	{ offsetof(struct profile_header, target), "; " },
	{ offsetof(struct profile_header, hooks), "; " },
	{ offsetof(struct profile_header, boot), ", " },
	{ offsetof(struct profile_header, selection), "; " },
	{ offsetof(struct profile_header, source), "; " },
	{ offsetof(struct profile_header, trigger), "; " },
};

static const char *text_of(const struct profile *p, const struct merge_text *text)
{
	return profile__str(p, *(const u32 *)((const char *)&p->hdr + text->off));
}

/* Each text once, in the order of the parts. */
static void put_texts(struct sink *out, const struct strtab *distinct, const char *between)
{
	u32 len = strtab__len(distinct), i;

	for (i = 1; i < len && i <= SHOWN_TEXTS; i++)
		sink__printf(out, "%s%s", i > 1 ? between : "", strtab__get(distinct, i));
	if (i < len)
		sink__printf(out, " and %u more", len - i);
}

static int merge_text(struct builder *b, const struct profile *const *parts, size_t len,
		      const struct merge_text *text)
{
	u32 *to = (u32 *)((char *)builder__header(b) + text->off), id;
	struct strtab distinct;
	struct sink out;
	size_t i;
	int r = strtab__init(&distinct);

	for (i = 0; i < len && !r; i++)
		r = strtab__add(&distinct, text_of(parts[i], text), &id);
	sink__init_mem(&out);
	if (!r) {
		put_texts(&out, &distinct, text->between);
		r = sink__finish(&out, NULL);
	}
	if (!r)
		r = builder__str(b, out.len ? out.buf : "", to);
	sink__done(&out);
	strtab__done(&distinct);
	return r;
}

static u64 mul_capped(u64 a, u64 b)
{
	u64 product;

	return __builtin_mul_overflow(a, b, &product) ? ~0ULL : product;
}

static u64 add_capped(u64 a, u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

static void widen(u64 *least, u64 *most, u64 part_least, u64 part_most)
{
	if (part_least < *least)
		*least = part_least;
	if (part_most > *most)
		*most = part_most;
}

/* The mean over time; a part that chose every wait has the period 0. */
static void merge_periods(struct profile_header *h, const struct profile *const *parts, size_t len)
{
	unsigned __int128 weighted = 0, length = 0;
	size_t i;

	h->period_min_ns = parts[0]->hdr.period_min_ns;
	for (i = 0; i < len; i++) {
		const struct profile_header *part = &parts[i]->hdr;

		widen(&h->period_min_ns, &h->period_max_ns, part->period_min_ns,
		      part->period_max_ns);
		h->period_sum_ns = add_capped(h->period_sum_ns, part->period_sum_ns);
		h->period_changes += part->period_changes;
		if (i && part->period_ns != parts[i - 1]->hdr.period_ns)
			h->period_changes++;
		weighted += (unsigned __int128)part->period_ns * part->window_ns;
		length += part->window_ns;
	}
	h->period_ns = length ? (u64)(weighted / length) : h->period_max_ns;
}

/* Costs; if a part did not measure them, those of the whole are unknown. */
static void merge_costs(struct profile_header *h, const struct profile *const *parts, size_t len)
{
	bool measured = true;
	size_t i;

	for (i = 0; i < len; i++) {
		const struct profile_header *part = &parts[i]->hdr;

		h->switches_seen = add_capped(h->switches_seen, part->switches_seen);
		h->waits_chosen = add_capped(h->waits_chosen, part->waits_chosen);
		h->prog_runs = add_capped(h->prog_runs, part->prog_runs);
		h->prog_ns = add_capped(h->prog_ns, part->prog_ns);
		h->self_cpu_ns = add_capped(h->self_cpu_ns, part->self_cpu_ns);
		h->machine_ns =
			add_capped(h->machine_ns, part->machine_ns ?
							  part->machine_ns :
							  mul_capped(part->window_ns, part->ncpu));
		measured &= part->prog_runs || !part->switches_seen;
	}
	if (!measured)
		h->prog_runs = h->prog_ns = 0;
}

/* CPUs and kernel memory: the maximum of each machine, summed over machines. */
static int merge_machines(struct profile_header *h, const struct profile *const *parts, size_t len,
			  const struct merge_times *times)
{
	struct {
		u64 bytes;
		u32 ncpu;
	} *machines = mem_array(times->machines, sizeof(*machines));
	size_t i;

	if (!machines)
		return -ENOMEM;
	for (i = 0; i < len; i++) {
		const struct merge_window *w = &times->windows[i];
		const struct profile_header *part = &parts[w->part]->hdr;

		if (part->ncpu > machines[w->machine].ncpu)
			machines[w->machine].ncpu = part->ncpu;
		if (part->kernel_bytes > machines[w->machine].bytes)
			machines[w->machine].bytes = part->kernel_bytes;
	}
	for (i = 0; i < times->machines; i++) {
		h->ncpu += machines[i].ncpu;
		h->kernel_bytes = add_capped(h->kernel_bytes, machines[i].bytes);
	}
	mem_free(machines);
	return 0;
}

/* The selection of one part, and all of another. */
static void merge_whole(struct profile_header *h, const struct profile *p)
{
	struct profile_budget budget;

	if (p->hdr.selection) {
		h->whole_off_ns = add_capped(h->whole_off_ns, p->hdr.whole_off_ns);
		h->whole_wall_ns = add_capped(h->whole_wall_ns, p->hdr.whole_wall_ns);
		h->whole_on_ns = add_capped(h->whole_on_ns, p->hdr.whole_on_ns);
		h->whole_threads += p->hdr.whole_threads;
		return;
	}
	profile__budget(p, &budget);
	h->whole_off_ns =
		add_capped(h->whole_off_ns, budget.listed_blocked_ns + budget.listed_runq_ns);
	h->whole_wall_ns = add_capped(h->whole_wall_ns, budget.wall_ns);
	h->whole_on_ns = add_capped(h->whole_on_ns, budget.listed_on_ns);
	h->whole_threads += budget.threads;
}

static void merge_visits(struct profile_header *h, const struct profile_header *part)
{
	if (h->visit_hz < part->visit_hz)
		h->visit_hz = part->visit_hz;
	if (h->visit_late_max_ns < part->visit_late_max_ns)
		h->visit_late_max_ns = part->visit_late_max_ns;
	h->visit_sources |= part->visit_sources;
	h->visited_ns = add_capped(h->visited_ns, part->visited_ns);
	h->visits = add_capped(h->visits, part->visits);
	h->visits_changed = add_capped(h->visits_changed, part->visits_changed);
	h->visit_passes = add_capped(h->visit_passes, part->visit_passes);
	h->visit_passes_missed = add_capped(h->visit_passes_missed, part->visit_passes_missed);
	h->visit_late_ns = add_capped(h->visit_late_ns, part->visit_late_ns);
}

static void merge_measured(struct profile_header *h, const struct profile_header *part)
{
	h->measured |= part->measured;
	h->measured_ns = add_capped(h->measured_ns, part->measured_ns);
	h->measure_hits = add_capped(h->measure_hits, part->measure_hits);
	h->measure_cost_ns = add_capped(h->measure_cost_ns, part->measure_cost_ns);
}

int merge_header(struct builder *b, const struct profile *const *parts, size_t len,
		 const struct merge_times *times)
{
	const struct profile_header *first = &parts[times->windows[0].part]->hdr;
	struct profile_header *h = builder__header(b);
	size_t i;
	int r = 0;

	for (i = 0; i < ARRAY_LEN(texts) && !r; i++)
		r = merge_text(b, parts, len, &texts[i]);
	if (!r)
		r = merge_machines(h, parts, len, times);
	if (r)
		return r;
	h->begin_wall_ns = times->windows[0].begin_ns;
	h->begin_mono_ns = first->begin_mono_ns;
	h->window_ns = times->covered_ns;
	h->gap_ns = times->gap_ns;
	h->overlap_ns = times->overlap_ns;
	h->min_ns = ~0ULL;
	merge_periods(h, parts, len);
	merge_costs(h, parts, len);
	for (i = 0; i < len; i++) {
		const struct profile_header *part = &parts[i]->hdr;

		widen(&h->min_ns, &h->max_ns, part->min_ns, part->max_ns);
		h->windows += part->windows ? part->windows : 1;
		h->filtered |= part->filtered;
		h->wakers |= part->wakers;
		if (h->max_moments < part->max_moments)
			h->max_moments = part->max_moments;
		h->unknown |= part->unknown;
		if (h->on_cpu_hz < part->on_cpu_hz)
			h->on_cpu_hz = part->on_cpu_hz;
		h->on_cpu_samples = add_capped(h->on_cpu_samples, part->on_cpu_samples);
		merge_visits(h, part);
		merge_measured(h, part);
		h->sides |= part->sides;
		if (part->hist_unit_ns)
			h->hist_unit_ns = part->hist_unit_ns; /* all that have one have the same */
		if (h->selection)
			merge_whole(h, parts[i]);
	}
	return 0;
}
