/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The wall clock may be changed while an agent runs, and each window records it again, but the
 * monotonic clock of a boot is continuous. So each boot has one anchor, its earliest window, from
 * which the others are measured.
 */
#include "profile/windows/merge_time.h"

#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"

struct machine {
	const struct profile *anchor; /* the earliest window */
	u64 reached_ns; /* end of what its windows have covered so far */
};

static bool is_one_boot(const struct profile *a, const struct profile *b)
{
	if (a->hdr.boot || b->hdr.boot)
		return strcmp(profile__str(a, a->hdr.boot), profile__str(b, b->hdr.boot)) == 0;
	return strcmp(profile__str(a, a->hdr.host), profile__str(b, b->hdr.host)) == 0;
}

/* The machine of a part; a new one if none matches. */
static u32 machine_of(struct machine *machines, u32 *len, const struct profile *p)
{
	u32 i;

	for (i = 0; i < *len; i++) {
		struct machine *m = &machines[i];

		if (!is_one_boot(m->anchor, p))
			continue;
		if (p->hdr.begin_mono_ns < m->anchor->hdr.begin_mono_ns)
			m->anchor = p;
		return i;
	}
	machines[(*len)++].anchor = p;
	return i;
}

static u64 add_capped(u64 a, u64 b)
{
	return a + b < a ? ~0ULL : a + b;
}

static void place(struct merge_window *w, const struct profile *p, const struct profile *anchor)
{
	u64 since = p->hdr.begin_mono_ns - anchor->hdr.begin_mono_ns;

	w->begin_ns = add_capped(anchor->hdr.begin_wall_ns, since);
	w->end_ns = add_capped(w->begin_ns, add_capped(p->hdr.window_ns, p->hdr.gap_ns));
}

static int by_begin(const void *a, const void *b)
{
	const struct merge_window *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

/* Takes a window that begins no earlier than those before; returns how much of it is new. */
static u64 reach(u64 *reached_ns, const struct merge_window *w)
{
	u64 from = w->begin_ns > *reached_ns ? w->begin_ns : *reached_ns;

	if (w->end_ns <= from)
		return 0;
	*reached_ns = w->end_ns;
	return w->end_ns - from;
}

static void measure(struct merge_times *t, const struct profile *const *parts, size_t len,
		    struct machine *machines)
{
	u64 reached_ns = 0, inner_ns = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		const struct merge_window *w = &t->windows[i];
		const struct profile_header *h = &parts[w->part]->hdr;
		struct machine *m = &machines[w->machine];

		if (m->reached_ns && w->begin_ns > m->reached_ns)
			t->gap_ns += w->begin_ns - m->reached_ns;
		t->overlap_ns += w->end_ns - w->begin_ns - reach(&m->reached_ns, w);
		t->covered_ns += reach(&reached_ns, w);
		t->gap_ns += h->gap_ns;
		t->overlap_ns += h->overlap_ns;
		inner_ns += h->gap_ns;
	}
	t->covered_ns -= inner_ns < t->covered_ns ? inner_ns : t->covered_ns;
}

int merge_times__init(struct merge_times *t, const struct profile *const *parts, size_t len)
{
	struct machine *machines = mem_array(len, sizeof(*machines));
	u32 i;

	memset(t, 0, sizeof(*t));
	t->windows = mem_array(len, sizeof(*t->windows));
	if (!machines || !t->windows) {
		mem_free(machines);
		return -ENOMEM;
	}
	for (i = 0; i < len; i++) {
		t->windows[i].part = i;
		t->windows[i].machine = machine_of(machines, &t->machines, parts[i]);
	}
	for (i = 0; i < len; i++)
		place(&t->windows[i], parts[i], machines[t->windows[i].machine].anchor);
	qsort(t->windows, len, sizeof(*t->windows), by_begin);
	measure(t, parts, len, machines);
	mem_free(machines);
	return 0;
}

void merge_times__done(struct merge_times *t)
{
	mem_free(t->windows);
	memset(t, 0, sizeof(*t));
}
