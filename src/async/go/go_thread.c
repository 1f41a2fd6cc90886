/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which word of an m is its number differs between versions. It is the one that is the number of a
 * thread of the process in every m that is met; other words are addresses. An m is known by its
 * first word: the goroutine of the scheduler on its thread, which points back to it.
 */
#include "async/go/go_thread.h"

#include <string.h>

#include "async/go/go_layout.h"

/* The first words are g0 and a gobuf. */
#define NUMBER_MIN 48

void go_threads__init(struct go_threads *t, u32 tgid)
{
	*t = (struct go_threads){ 0 };
	memset(t->fits, true, sizeof(t->fits));
	task_threads__init(&t->ids, tgid);
}

void go_threads__done(struct go_threads *t)
{
	if (t)
		task_threads__done(&t->ids);
}

static bool read_m(struct task_memory *mem, u64 at, u8 *m)
{
	u64 back;

	return at && !(at & 7) && task_memory__read(mem, at, m, GO_M_SZ) &&
	       task_memory__read(mem, go_word(m, 0) + GO_G_M, &back, sizeof(back)) && back == at;
}

/* The offset is settled as soon as one is left. */
static void search(struct go_threads *t, const u8 *m)
{
	u32 left = 0, last = 0;

	for (u32 off = NUMBER_MIN; off < GO_M_SZ; off += 8) {
		bool *fits = &t->fits[off / 8];

		*fits = *fits && task_threads__has(&t->ids, go_word(m, off));
		if (!*fits)
			continue;
		left++;
		last = off;
	}
	/* the thread may have ended meanwhile */
	if (!left)
		memset(t->fits, true, sizeof(t->fits));
	t->number = left == 1 ? last : 0;
}

int go_threads__find(struct go_threads *t, struct task_memory *mem, const u8 *g, u32 *ret_tid)
{
	u8 m[GO_M_SZ];

	*ret_tid = 0;
	if (!read_m(mem, go_word(g, GO_G_M), m))
		return 0;
	if (!t->number)
		search(t, m);
	return t->number ? task_threads__find(&t->ids, go_word(m, t->number), ret_tid) : 0;
}
