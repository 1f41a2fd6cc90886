/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* How a walk gets memory of its process: read at once, or asked for while the thread sleeps. */
#include "lib/walk.bpf.h"

/* The kernel's page size; a read of user memory that crosses a page may fail as a whole. */
#define READ_PAGE 4096

__noinline int walk_load(struct user_walk *w, u64 addr)
{
	u64 sz;

	if (!w)
		return WALK_DONE;
	w->chunk_len = 0;
	if (w->sleeping) {
		if (w->need_failed) {
			w->need_failed = 0;
			return walk_end(w, CS_END_FAULT);
		}
		w->need_addr = addr;
		return WALK_NEED;
	}
	sz = READ_PAGE - (addr & (READ_PAGE - 1));
	if (sz < 8)
		sz = 8; /* a word across two pages: only this one */
	if (sz > WALK_CHUNK)
		sz = WALK_CHUNK;
	if (bpf_probe_read_user(w->chunk, sz, (const void *)addr))
		return walk_end(w, CS_END_FAULT);
	w->chunk_addr = addr;
	w->chunk_len = sz;
	return WALK_ON;
}
