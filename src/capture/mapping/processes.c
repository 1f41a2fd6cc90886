/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Mappings belong to an image (one program in one address space), not to a PID, which may be
 * reused. A forked child has the mappings of its parent until it calls exec or loads something: our
 * BPF programs copy them, and nothing is read for it until requested.
 *
 * Nothing is kept: the programs look an address up when they see it, so earlier mappings are of no
 * use to them, and would take the room of current ones.
 */
#include "capture/mapping/processes.h"

#include <errno.h>

#include "base/clock.h"
#include "base/log.h"

struct process {
	u64 image;
	u32 tgid;
};

/* The dynamic loader needs about 1 ms for its first libraries. */
#define YOUNG_FIRST_NS (2 * NSEC_PER_MSEC)
#define YOUNG_GROWTH 5
#define YOUNG_LAST_NS (2 * NSEC_PER_SEC)

struct young {
	size_t idx; /* in list */
	u64 due_mono_ns;
	u64 interval_ns;
};

void processes__init(struct processes *ps, processes_put_fn *put, void *arg)
{
	vec__init(&ps->list, sizeof(struct process));
	vec__init(&ps->young, sizeof(struct young));
	map64__init(&ps->by_image);
	map64__init(&ps->current);
	ps->put = put;
	ps->arg = arg;
}

void processes__done(struct processes *ps)
{
	vec__done(&ps->list);
	vec__done(&ps->young);
	map64__done(&ps->by_image);
	map64__done(&ps->current);
}

/* Reports the mappings of a process. -ESRCH if it has exited; a zombie has none either. */
static int read_maps(struct processes *ps, const struct process *p)
{
	struct maps maps;
	struct err err;
	int r = maps__read(&maps, p->tgid, &err);

	if (r) {
		log_debug("maps of %u: %s", p->tgid, err.msg);
		return r;
	}
	r = maps.len ? ps->put(ps->arg, p->image, p->tgid, &maps) : -ESRCH;
	maps__done(&maps);
	return r;
}

static struct process *find(const struct processes *ps, u64 image)
{
	u64 idx;

	return image && map64__get(&ps->by_image, image, &idx) ? vec__at(&ps->list, idx) : NULL;
}

/* Whether the process is still the one that was seen. */
static bool is_current(const struct processes *ps, const struct process *p)
{
	u64 latest;

	return map64__get(&ps->current, p->tgid, &latest) && latest == p->image;
}

static int add_young(struct processes *ps, size_t idx)
{
	struct young *y = vec__push(&ps->young);

	if (!y)
		return -ENOMEM;
	y->idx = idx;
	y->interval_ns = YOUNG_FIRST_NS;
	y->due_mono_ns = clock_mono_ns() + YOUNG_FIRST_NS;
	return 0;
}

int processes__see(struct processes *ps, u32 tgid, u64 image, u64 parent)
{
	struct process *p = find(ps, image);
	int r;

	if (p) {
		r = parent || !is_current(ps, p) ? 0 : read_maps(ps, p);
		return r == -ENOMEM ? r : 0;
	}
	p = vec__push(&ps->list);
	if (!p)
		return -ENOMEM;
	*p = (struct process){ .image = image, .tgid = tgid };
	r = map64__set(&ps->by_image, image, ps->list.len - 1);
	if (!r)
		r = map64__set(&ps->current, tgid, image);
	if (r || parent)
		return r;
	r = read_maps(ps, p);
	return r == -ESRCH ? 0 : r == -ENOMEM ? r : add_young(ps, ps->list.len - 1);
}

u64 processes__tick(struct processes *ps, u64 now_mono_ns)
{
	u64 next = ~0ULL;

	for (size_t i = 0; i < ps->young.len;) {
		struct young *y = vec__at(&ps->young, i);
		struct process *p = vec__at(&ps->list, y->idx);
		bool due = y->due_mono_ns <= now_mono_ns;

		if (due) {
			y->interval_ns *= YOUNG_GROWTH;
			y->due_mono_ns = now_mono_ns + y->interval_ns;
		}
		if (due &&
		    (!is_current(ps, p) || read_maps(ps, p) || y->interval_ns > YOUNG_LAST_NS)) {
			*y = *(struct young *)vec__at(&ps->young, ps->young.len - 1);
			ps->young.len--;
			continue;
		}
		if (y->due_mono_ns < next)
			next = y->due_mono_ns;
		i++;
	}
	return next;
}
