/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A g is never freed, so an address that was once in the list can always be read. What does not
 * look the same behind the stack as before it is torn, and is not read again: a second try would
 * succeed more often in long waits than in short ones.
 */
#include "async/go/go_reader.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* Bytes from the reason on that change whenever a goroutine stops running: its trackingSeq. */
#define MOVED_BYTES 16

struct chunk {
	struct go_reader *r;
	const struct go_layout *l;
	struct go_threads *threads;
	struct task_memory *mem;
	const struct task_pass *pass;
	const u64 *at; /* addresses */
	size_t n;
	struct task_piece first[GO_CHUNK];
	struct task_piece second[2 * GO_CHUNK]; /* stacks, then the structs again */
	bool dead[GO_CHUNK];
};

void go_reader__init(struct go_reader *r)
{
	vec__init(&r->list, sizeof(u64));
}

void go_reader__done(struct go_reader *r)
{
	if (r && r->list.elem_sz)
		vec__done(&r->list);
}

static u32 status_of(const struct go_layout *l, const u8 *g)
{
	return (u32)go_word(g, l->shape.status) & ~(u32)GO_SCAN;
}

static bool has_stack(u32 status)
{
	return status == GO_WAITING || status == GO_RUNNABLE || status == GO_SYSCALL ||
	       status == GO_PREEMPTED;
}

/* Before Go 1.23 the frame pointer of a system call is that of an earlier wait. */
static bool goes_by_sizes(const struct go_layout *l, const u8 *g)
{
	return l->shape.call_sp && status_of(l, g) == GO_SYSCALL;
}

/* Where its stack begins, and the code of its leaf. */
static u64 sp_of(const struct go_layout *l, const u8 *g)
{
	return go_word(g, goes_by_sizes(l, g) ? l->shape.call_sp : GO_G_SP);
}

static u64 pc_of(const struct go_layout *l, const u8 *g)
{
	return go_word(g, goes_by_sizes(l, g) ? l->shape.call_sp + 8 : GO_G_PC);
}

/* False: more of the stack must be copied. */
static bool walk_bytes(struct chunk *c, const u8 *g, const struct go_stack_bytes *s)
{
	const struct go_layout *l = c->l;
	struct host_stack *ret = &c->r->stack;

	return goes_by_sizes(l, g) ?
		       go_stack__walk_sizes(s, l->functions, l->bias,
					    (struct go_leaf){ pc_of(l, g), false }, c->pass->depth,
					    ret) :
		       go_stack__walk(s, pc_of(l, g), go_word(g, l->shape.bp), c->pass->depth, ret);
}

static void read_structs(struct chunk *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->first[i] = (struct task_piece){ c->at[i], c->r->before[i], c->l->sz, false };
	task_memory__read_pieces(c->mem, c->first, c->n);
	for (size_t i = 0; i < c->n; i++) {
		const u8 *g = c->r->before[i];
		u32 status = c->first[i].ok ? status_of(c->l, g) : GO_DEAD;

		c->first[i].ok = c->first[i].ok && go_word(g, GO_G_SELF) == c->at[i];
		c->dead[i] = status == GO_DEAD || status == GO_IDLE || !c->at[i];
	}
}

/* How much of its stack; 0: none of it. */
static size_t stack_bytes(const struct chunk *c, size_t i)
{
	const u8 *g = c->r->before[i];
	u64 sp = sp_of(c->l, g), hi = go_word(g, GO_G_STACK_HI);

	if (!c->first[i].ok || c->dead[i] || !has_stack(status_of(c->l, g)) ||
	    sp < go_word(g, GO_G_STACK_LO) || sp >= hi)
		return 0;
	return hi - sp < GO_STACK_BYTES ? hi - sp : GO_STACK_BYTES;
}

static void read_stacks(struct chunk *c)
{
	struct task_piece pieces[2 * GO_CHUNK];
	size_t of[2 * GO_CHUNK], n = 0;

	for (size_t i = 0; i < c->n; i++) {
		c->second[i] = (struct task_piece){ sp_of(c->l, c->r->before[i]), c->r->inner[i],
						    stack_bytes(c, i), false };
		c->second[GO_CHUNK + i] =
			(struct task_piece){ c->at[i], c->r->after[i], c->l->sz, false };
	}
	for (size_t i = 0; i < c->n; i++) {
		of[n] = i;
		if (c->second[i].sz)
			pieces[n++] = c->second[i];
	}
	for (size_t i = 0; i < c->n; i++) {
		of[n] = GO_CHUNK + i;
		if (c->first[i].ok && !c->dead[i])
			pieces[n++] = c->second[GO_CHUNK + i];
	}
	task_memory__read_pieces(c->mem, pieces, n);
	for (size_t i = 0; i < n; i++)
		c->second[of[i]].ok = pieces[i].ok;
}

/* Whether it ran between two readings, or its stack was moved. */
static bool is_torn(const struct go_layout *l, const u8 *a, const u8 *b)
{
	return status_of(l, a) != status_of(l, b) || go_word(a, GO_G_SP) != go_word(b, GO_G_SP) ||
	       sp_of(l, a) != sp_of(l, b) ||
	       go_word(a, GO_G_STACK_LO) != go_word(b, GO_G_STACK_LO) ||
	       go_word(a, l->shape.goid) != go_word(b, l->shape.goid) ||
	       go_word(a, GO_G_M) != go_word(b, GO_G_M) ||
	       memcmp(a + l->shape.reason, b + l->shape.reason, MOVED_BYTES) != 0;
}

/* A stack that is deeper than what was read of all: in one piece, and its struct behind it. */
static bool walk_whole(struct chunk *c, size_t i)
{
	const u8 *g = c->r->before[i];
	u64 sp = sp_of(c->l, g), hi = go_word(g, GO_G_STACK_HI);
	size_t sz = hi - sp < GO_STACK_BYTES_MAX ? hi - sp : GO_STACK_BYTES_MAX;
	const struct go_stack_bytes s = { sp, hi, sz, c->r->whole };
	struct task_piece pieces[2] = { { sp, c->r->whole, sz, false },
					{ c->at[i], c->r->after[i], c->l->sz, false } };

	task_memory__read_pieces(c->mem, pieces, 2);
	if (!pieces[0].ok || !pieces[1].ok || is_torn(c->l, g, c->r->after[i]))
		return false;
	walk_bytes(c, g, &s);
	return true;
}

/* False: torn meanwhile. */
static bool walk(struct chunk *c, size_t i)
{
	const u8 *g = c->r->before[i];
	const struct task_piece *p = &c->second[i];
	const struct go_stack_bytes s = { p->addr, go_word(g, GO_G_STACK_HI), p->sz, p->buf };

	return walk_bytes(c, g, &s) || walk_whole(c, i);
}

static enum task_state state_of(u32 status)
{
	switch (status) {
	case GO_RUNNABLE:
	case GO_PREEMPTED:
		return TASK_READY;
	case GO_RUNNING:
		return TASK_RUNS;
	case GO_SYSCALL:
		return TASK_CALLS;
	case GO_WAITING:
	case GO_COPYSTACK: /* by the collector, while it waits, or by itself: short */
		return TASK_WAITS;
	default:
		return TASK_UNREAD;
	}
}

/*
 * A goroutine that runs, but whose thread is blocked: by a page fault, by a system call that
 * bypasses the runtime, or stopped. Its stack begins where the thread entered the kernel,
 * unless that was on the stack of the scheduler.
 */
static void read_stopped(struct chunk *c, size_t i, struct task_seen *t)
{
	const u8 *g = c->r->before[i];
	u64 sp = t->thread.sp, hi = go_word(g, GO_G_STACK_HI);
	bool has_stack = sp >= go_word(g, GO_G_STACK_LO) && sp < hi;
	size_t sz = hi - sp < GO_STACK_BYTES_MAX ? hi - sp : GO_STACK_BYTES_MAX;
	struct task_piece pieces[2] = { { sp, c->r->whole, sz, false },
					{ c->at[i], c->r->after[i], c->l->sz, false } };
	const struct go_stack_bytes s = { sp, hi, sz, c->r->whole };

	task_memory__read_pieces(c->mem, pieces + !has_stack, has_stack ? 2 : 1);
	t->torn = !pieces[1].ok || is_torn(c->l, g, c->r->after[i]);
	if (t->torn || !pieces[0].ok)
		return;
	go_stack__walk_sizes(&s, c->l->functions, c->l->bias,
			     (struct go_leaf){ t->thread.pc, true }, c->pass->depth, &c->r->stack);
	t->stack = &c->r->stack;
}

/*
 * Also of one that was torn meanwhile: a system call that is too short to be read twice most often
 * has a CPU.
 */
static int look_at_thread(struct chunk *c, size_t i, struct task_seen *t)
{
	const u8 *g = c->r->before[i];
	u32 tid;
	int r;

	if (t->state != TASK_RUNS && t->state != TASK_CALLS)
		return 0;
	r = go_threads__find(c->threads, c->mem, g, &tid);
	if (r || !tid)
		return r;
	r = c->pass->look(c->pass->arg, tid, &t->thread);
	if (r || t->torn)
		return r;
	if (t->state == TASK_RUNS && t->thread.is_blocked)
		read_stopped(c, i, t);
	else
		t->torn = !task_memory__read(c->mem, c->at[i], c->r->after[i], c->l->sz) ||
			  is_torn(c->l, g, c->r->after[i]);
	return 0;
}

static int show(struct chunk *c, size_t i)
{
	const u8 *g = c->r->before[i];
	struct task_seen t = { .state = TASK_UNREAD, .weight = c->pass->one_in };
	int r;

	if (c->dead[i])
		return 0;
	if (!c->first[i].ok)
		return c->pass->each(c->pass->arg, &t);
	t.state = state_of(status_of(c->l, g));
	t.id = go_word(g, c->l->shape.goid);
	t.start = go_word(g, c->l->start);
	if (t.state == TASK_WAITS)
		t.reason = go_layout__reason(c->l, g[c->l->shape.reason]);
	t.torn = !c->second[GO_CHUNK + i].ok || is_torn(c->l, g, c->r->after[i]);
	r = look_at_thread(c, i, &t);
	if (r)
		return r;
	if (!t.torn && c->second[i].ok) {
		t.torn = !walk(c, i);
		t.stack = t.torn ? NULL : &c->r->stack;
	}
	return c->pass->each(c->pass->arg, &t);
}

static int read_chunk(struct chunk *c)
{
	int r = 0;

	read_structs(c);
	read_stacks(c);
	for (size_t i = 0; !r && i < c->n; i++)
		r = show(c, i);
	return r;
}

static int read_list(struct go_reader *r, const struct go_layout *l, struct task_memory *mem)
{
	struct go_slice s;
	u64 *at;

	vec__reset(&r->list);
	if (!task_memory__read(mem, l->all, &s, sizeof(s)) || s.len > GO_LIST_MAX || s.len > s.cap)
		return mem->denied ? -EACCES : -ESRCH;
	at = vec__push_n(&r->list, s.len);
	if (!at)
		return -ENOMEM;
	return task_memory__read(mem, s.ptr, at, s.len * sizeof(u64)) ? 0 : -ESRCH;
}

int go_reader__pass(struct go_reader *r, const struct go_layout *l, struct go_threads *threads,
		    struct task_memory *mem, const struct task_pass *pass, u64 *ret_len)
{
	struct chunk c = {
		.r = r, .l = l, .threads = threads, .mem = mem, .pass = pass, .at = r->chosen
	};
	int ret = read_list(r, l, mem);

	*ret_len = ret ? 0 : r->list.len;
	for (size_t i = pass->random % pass->one_in; !ret && i < r->list.len;) {
		for (c.n = 0; c.n < GO_CHUNK && i < r->list.len; i += pass->one_in)
			r->chosen[c.n++] = *(const u64 *)vec__at(&r->list, i);
		ret = read_chunk(&c);
		if (!ret && mem->gone)
			ret = -ESRCH;
	}
	return ret;
}
