/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Repeats walks that met a file without a table once the table exists. Without this, the first
 * waits of a young program, which may be its only ones, have no callers. docs/adr/0040.
 */
#include "lib/postpone.bpf.h"
#include "lib/event.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stack_walk.bpf.h"
#include "lib/walk_read.bpf.h"

/* Turns of a walk: frames, and pieces of memory to fetch. */
#define POSTPONED_TURNS (4 * CS_STACK_MAX)

/*
 * Copies page by page: a page that was never touched, such as the middle of a large array, cannot
 * be read, nor can memory behind the end of the stack.
 */
static __always_inline void copy_stack(struct cs_postponed *to)
{
	u32 i, off = 0, sz = POSTPONE_PAGE - (to->sp & (POSTPONE_PAGE - 1));

	for (i = 0; i < CS_POSTPONED_PAGES; i++) {
		barrier_var(off);
		barrier_var(sz);
		if (off > CS_POSTPONED_SZ - POSTPONE_PAGE || sz > POSTPONE_PAGE)
			break;
		if (!bpf_probe_read_user(to->bytes + off, sz, (const void *)(to->sp + off))) {
			to->pages |= 1U << i;
			to->len = off + sz;
		}
		off += sz;
		sz = POSTPONE_PAGE;
	}
}

struct word_search {
	struct user_walk *w;
	struct cs_postponed *to;
};

/* Each word that only looks like an address costs a search of the process's mappings. */
#define MISSES_MAX 64

/* Without branches: each would be two paths for the verifier. */
static __always_inline bool is_known(const struct cs_postponed *to, u64 addr)
{
	u64 i, found = 0, n = to->maps_len;

	for (i = 0; i < CS_POSTPONED_MAPS; i++) {
		u64 in = addr - to->map[i].start, sz = to->map[i].end - to->map[i].start;

		/* i < n, and in < sz, by the sign bits of differences */
		found |= (i - n) & (in - sz) & ~in;
		barrier_var(found);
	}
	return found >> 63;
}

static __always_inline void add_map(struct cs_postponed *to, const struct walk_map *from)
{
	u32 n = to->maps_len;
	struct cs_postponed_map *map;

	if (n >= CS_POSTPONED_MAPS)
		return;
	map = &to->map[n];
	map->start = from->start;
	map->end = from->end;
	map->off = from->off;
	map->module = from->module;
	map->exec = from->exec;
	to->maps_len = n + 1;
}

/* The word itself is looked up, as a walk does: a caller's address is that of an instruction. */
static long find_word(u32 i, struct word_search *ctx)
{
	struct cs_postponed *to = ctx->to;
	u64 off = (u64)i * 8, addr;

	if (off >= to->len || off > CS_POSTPONED_SZ - 8 || to->maps_len >= CS_POSTPONED_MAPS)
		return 1;
	addr = regs_strip_ptrauth(*(u64 *)(to->bytes + off));
	if (addr < POSTPONE_PAGE || addr >= USER_END || is_known(to, addr))
		return 0;
	walk_find_map(ctx->w, addr);
	if (ctx->w->map.end)
		add_map(to, &ctx->w->map);
	else
		to->misses++;
	return to->misses >= MISSES_MAX;
}

__noinline int postpone_maps(struct user_walk *w, struct cs_postponed *to)
{
	struct word_search search = { .w = w, .to = to };

	if (!w || !to)
		return 0;
	walk_find_map(w, to->ip);
	if (w->map.end)
		add_map(to, &w->map);
	bpf_loop(CS_POSTPONED_SZ / 8, find_word, &search, 0);
	return 0;
}

__noinline int postpone_walk(struct user_walk *w)
{
	struct cs_postponed *to;

	if (!w || !postpone_may())
		return 0;
	to = bpf_ringbuf_reserve(&events, sizeof(*to), 0);
	if (!to)
		return 0;
	postpone_fill(to, w);
	copy_stack(to);
	postpone_maps(w, to);
	/* The process may be gone soon. */
	bpf_ringbuf_submit(to, BPF_RB_FORCE_WAKEUP);
	return 1;
}

/* Fetches what the walk asked for from the copy, up to the end of its page. */
static __always_inline void fetch_copy(struct user_walk *w, const struct cs_postponed *from)
{
	u64 addr = w->need_addr, off = addr - from->sp;
	u32 page = (u32)(addr / POSTPONE_PAGE - from->sp / POSTPONE_PAGE);
	u32 n = POSTPONE_PAGE - (addr & (POSTPONE_PAGE - 1));

	w->chunk_len = 0;
	if (off >= CS_POSTPONED_SZ || !(from->pages >> (page & 31) & 1) || n < 8) {
		w->need_failed = 1;
		return;
	}
	barrier_var(off);
	if (off >= CS_POSTPONED_SZ)
		return;
	bpf_probe_read_kernel(w->chunk, WALK_CHUNK, from->bytes + off);
	w->chunk_addr = addr;
	w->chunk_len = n < WALK_CHUNK ? n : WALK_CHUNK;
}

struct postponed_turns {
	struct user_walk *w;
	const struct cs_postponed *from;
};

static long postponed_turn(u32 i, struct postponed_turns *ctx)
{
	int r = walk_step(ctx->w);

	if (r == WALK_NEED)
		fetch_copy(ctx->w, ctx->from);
	return r && r != WALK_NEED;
}

static __always_inline void begin_walk(struct user_walk *w, const struct cs_postponed *from)
{
	u32 i;

	stack_init(&w->stack, CS_STACK_USER);
	w->ip = from->ip;
	w->sp = from->sp;
	w->fp = from->fp;
	w->bx = from->bx;
	w->lr = from->lr;
	w->bx_known = from->bx_known;
	stack_walk_reset(w, true);
	for (i = 0; i < CS_POSTPONED_REGS; i++)
		w->reg[i] = from->reg[i];
	w->mm = 0; /* its mappings are in image_maps */
	w->vdso = 0;
	w->maps_version = 0;
	w->now_ns = bpf_ktime_get_ns();
	w->image = from->image;
	w->tgid = from->tgid;
	w->host_tgid = from->host_tgid;
	w->tid = from->tid;
	w->tls = from->tls;
	w->tables_gen = control.tables_gen;
	w->trail_sp = from->sp;
}

/* Repeats the walk in the map `postponed`, with the mappings of its image in `image_maps`. */
SEC("syscall")
int walk_postponed(void *ctx)
{
	u32 zero = 0;
	struct cs_postponed_walk *p = bpf_map_lookup_elem(&postponed, &zero);
	struct scratch *scr = bpf_map_lookup_elem(&drain_scratch, &zero);
	struct postponed_turns turns;

	if (!p || !scr)
		return 1;
	begin_walk(&scr->walk, &p->from);
	turns.w = &scr->walk;
	turns.from = &p->from;
	if (bpf_loop(POSTPONED_TURNS, postponed_turn, &turns, 0) >= POSTPONED_TURNS)
		scr->walk.stack.end = CS_END_DEPTH;
	bpf_probe_read_kernel(&p->stack, sizeof(p->stack), &scr->walk.stack);
	return 0;
}
