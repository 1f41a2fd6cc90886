/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/rounds.h"

#include <errno.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"

void rounds__init(struct rounds *r, u32 hz)
{
	*r = (struct rounds){ .hz = hz, .random = clock_mono_ns() ^ (u64)getpid() << 32 };
}

u64 rounds__draw(struct rounds *r)
{
	r->random = hash_u64(r->random + 1);
	return r->random;
}

static u64 next_gap_ns(struct rounds *r)
{
	u64 period_ns = NSEC_PER_SEC / r->hz;

	return period_ns / 2 + rounds__draw(r) % (period_ns + 1);
}

void rounds__start(struct rounds *r)
{
	r->due_ns = clock_mono_ns() + next_gap_ns(r);
}

void rounds__begin(const struct rounds *r, struct round_counts *counts)
{
	u64 late_ns = clock_mono_ns() - r->due_ns;

	counts->rounds++;
	counts->late_ns += late_ns;
	if (late_ns > counts->late_max_ns)
		counts->late_max_ns = late_ns;
}

void rounds__end(struct rounds *r)
{
	r->due_ns += next_gap_ns(r);
	if (r->due_ns < clock_mono_ns())
		rounds__start(r);
}

int rounds__wait(const struct rounds *r, int wake_fd, u64 until_ns, bool *ret_due)
{
	struct pollfd fd = { .fd = wake_fd, .events = POLLIN };
	u64 now_ns = clock_mono_ns(), end_ns = r->due_ns < until_ns ? r->due_ns : until_ns;
	u64 left_ns = end_ns > now_ns ? end_ns - now_ns : 0;
	struct timespec ts = { (time_t)(left_ns / NSEC_PER_SEC), (long)(left_ns % NSEC_PER_SEC) };
	int n = ppoll(&fd, wake_fd >= 0, &ts, NULL);

	*ret_due = !n && clock_mono_ns() >= r->due_ns;
	return n < 0 ? -errno : n;
}
