/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A suspended coroutine has what it awaits on top of its stack of values. Nothing is atomic: what
 * is read may be the memory of something else by then, so every object is known by its type, every
 * function by the type of its code, and the caller reads the task and its outermost coroutine again
 * behind it all.
 */
#include "async/py_chain.h"

#include <errno.h>
#include <string.h>

/* PyFrameObject, to 3.10. */
#define FRAME_VALUES 64 /* f_valuestack */
#define FRAME_TOP 72 /* f_stacktop, to 3.9 */
#define FRAME_DEPTH 80 /* f_stackdepth, 3.10 */
#define FRAME_STATE_310 108
#define FRAME_END_310 112
/* _PyInterpreterFrame, from 3.11 on. */
#define INSIDE_TOP 64 /* stacktop, an int */
#define INSIDE_LOCALS PY_FRAME_FIELDS_SZ /* localsplus */
#define VALUES_MAX 65536
/* A byte, signed; gi_frame_state and f_state. 3.13 has another one for what awaits nothing. */
#define STATE_NEW_310 (-2)
#define STATE_NEW_313 (-3)
#define STATE_YIELDS_313 (-2)
#define STATE_RUNS 0

_Static_assert(PY_FRAME_SZ <= PY_CORO_SZ, "both are read to one place");
_Static_assert(FRAME_END_310 <= PY_FRAME_SZ, "");

void py_chain__begin(struct py_chain *c, u64 coro, u32 depth)
{
	c->want = coro ? PY_WANT_OBJECT : PY_WANT_NOTHING;
	c->addr = coro;
	c->sz = PY_CORO_SZ;
	c->hops = 0;
	c->bad = false;
	c->coro = 0;
	c->state = PY_CORO_UNKNOWN;
	c->root_at = 0;
	c->root_sz = 0;
	c->root_code = 0;
	c->root_name = 0;
	c->thread = 0;
	c->only_root = false;
	c->runs = false;
	c->len = 0;
	c->depth = depth && depth < CS_STACK_MAX ? depth : CS_STACK_MAX;
	c->cut = false;
}

static void end(struct py_chain *c, bool bad)
{
	c->want = PY_WANT_NOTHING;
	c->bad = c->bad || bad;
}

static void want_object(struct py_chain *c, u64 addr)
{
	if (!py_plausible(addr)) {
		end(c, false);
		return;
	}
	c->want = PY_WANT_OBJECT;
	c->addr = addr;
	c->sz = PY_CORO_SZ;
}

static enum py_coro_state state_of_byte(const struct py_layout *l, signed char state)
{
	signed char fresh = l->off->version >= (3U << 8 | 13) ? STATE_NEW_313 : STATE_NEW_310;

	if (state == fresh)
		return PY_CORO_NEW;
	return state == STATE_RUNS ? PY_CORO_RUNS : state < 0 ? PY_CORO_WAITS : PY_CORO_OVER;
}

/* `frame` has the bytes of its frame. */
static enum py_coro_state state_of(const struct py_layout *l, const struct py_chain *c,
				   const u8 *frame)
{
	switch (l->off->frames) {
	case PY_FRAMES_INSIDE:
		return state_of_byte(l, (signed char)c->buf[l->off->running]);
	case PY_FRAMES_DEPTH:
		return state_of_byte(l, (signed char)frame[FRAME_STATE_310]);
	default:
		if (c->runs)
			return PY_CORO_RUNS;
		return (s32)py_word(frame, l->python.frame_instr) < 0 ? PY_CORO_NEW : PY_CORO_WAITS;
	}
}

/* Where the value on top is; 0: there is none. `locals`: variables below the values. */
static u64 top_of(const struct py_layout *l, const u8 *frame, u64 frame_addr, u32 locals)
{
	u64 values = py_word(frame, FRAME_VALUES), top;
	s32 depth;

	switch (l->off->frames) {
	case PY_FRAMES_INSIDE:
		depth = (s32)py_word(frame, INSIDE_TOP);
		if (depth < 1 || depth > VALUES_MAX || (u32)depth <= locals)
			return 0;
		return frame_addr + INSIDE_LOCALS + ((u32)depth - 1) * sizeof(u64);
	case PY_FRAMES_DEPTH:
		depth = (s32)py_word(frame, FRAME_DEPTH);
		return depth < 1 || depth > VALUES_MAX ? 0 :
							 values + ((u32)depth - 1) * sizeof(u64);
	default:
		top = py_word(frame, FRAME_TOP);
		return top > values ? top - sizeof(u64) : 0;
	}
}

static void push(struct py_chain *c, const struct python_frame *f)
{
	if (c->len == c->depth) {
		memmove(c->links, c->links + 1, (c->len - 1) * sizeof(*c->links));
		c->len--;
		c->cut = true;
	}
	c->links[c->len++] = *f;
}

/* What of the outermost one says whether it ran. */
static void keep_root(struct py_chain *c, const struct py_layout *l)
{
	bool inside = l->off->frames == PY_FRAMES_INSIDE;

	c->root_at = inside ? c->coro : c->addr;
	c->root_sz = inside ? l->off->frame + INSIDE_LOCALS : PY_FRAME_SZ;
	memcpy(c->root, c->buf, c->root_sz);
}

/* The frame at `addr`, read to `frame`. */
static int take_frame(struct py_chain *c, const struct py_reading *r, const u8 *frame, u64 addr)
{
	const struct cs_python *layout = &r->l->python;
	enum py_coro_state state = state_of(r->l, c, frame);
	u64 object = py_word(frame, layout->frame_code), top;
	const struct py_code *code;
	int ret = py_codes__get(r->codes, r->p, r->l, object, &code);

	if (ret)
		return ret;
	if (!c->root_at) {
		keep_root(c, r->l);
		c->state = state;
		c->root_code = code ? code->number : 0;
		c->root_name = code ? code->name : 0;
	}
	if (!code) {
		end(c, state != PY_CORO_OVER);
		return 0;
	}
	push(c, &(struct python_frame){
			.instr = python_instr(layout, py_word(frame, layout->frame_instr), object),
			.code = code->number });
	top = state == PY_CORO_WAITS && !c->only_root ? top_of(r->l, frame, addr, code->locals) : 0;
	if (!py_plausible(top)) {
		end(c, false);
		return 0;
	}
	c->want = PY_WANT_TOP;
	c->addr = top;
	c->sz = sizeof(u64);
	return 0;
}

static int take_coro(struct py_chain *c, const struct py_reading *r)
{
	const struct py_offsets *off = r->l->off;

	c->coro = c->addr;
	if (c->sz < PY_CORO_SZ) { /* a coroutine has more bytes than could be read */
		end(c, true);
		return 0;
	}
	if (off->frames == PY_FRAMES_INSIDE) {
		/* only what is yielded is on top, not awaited */
		if (off->version >= (3U << 8 | 13) &&
		    (signed char)c->buf[off->running] == STATE_YIELDS_313)
			memset(c->buf + off->frame + INSIDE_TOP, 0, sizeof(u32));
		return take_frame(c, r, c->buf + off->frame, c->addr + off->frame);
	}
	c->addr = py_word(c->buf, off->frame);
	if (!py_plausible(c->addr)) {
		c->state = c->root_at ? c->state : PY_CORO_OVER;
		end(c, false);
		return 0;
	}
	c->want = PY_WANT_FRAME;
	c->sz = PY_FRAME_SZ;
	c->runs = off->running && c->buf[off->running];
	return 0;
}

static int take_object(struct py_chain *c, const struct py_reading *r)
{
	switch (py_types__kind(r->types, r->mem, py_word(c->buf, PY_OB_TYPE))) {
	case PY_CORO:
		return take_coro(c, r);
	case PY_WRAPPER:
		want_object(c, py_word(c->buf, PY_HELD));
		return 0;
	default: /* a future, a task, or what other code made */
		end(c, false);
		return 0;
	}
}

/* A step, of which the bytes are there. */
static int take(struct py_chain *c, const struct py_reading *r)
{
	switch (c->want) {
	case PY_WANT_OBJECT:
		return take_object(c, r);
	case PY_WANT_FRAME:
		return take_frame(c, r, c->buf, c->addr);
	case PY_WANT_TOP:
		want_object(c, py_word(c->buf, 0));
		return 0;
	default:
		return 0;
	}
}

/* The end of memory may be near: a wrapper or future is smaller than a coroutine. */
static void retry_smaller(struct py_chain *c)
{
	if (c->want == PY_WANT_OBJECT && c->sz > PY_SMALL_SZ)
		c->sz = PY_SMALL_SZ;
	else
		end(c, true);
}

int py_chains__read(struct py_chain *const *chains, size_t n, const struct py_reading *r)
{
	struct task_piece pieces[TASK_MEMORY_PIECES];
	struct py_chain *of[TASK_MEMORY_PIECES];
	size_t len;
	int ret = 0;

	do {
		len = 0;
		for (size_t i = 0; i < n && len < TASK_MEMORY_PIECES; i++) {
			struct py_chain *c = chains[i];

			if (c->want && c->hops++ == PY_HOPS_MAX)
				end(c, true);
			if (!c->want)
				continue;
			of[len] = c;
			pieces[len++] = (struct task_piece){ c->addr, c->buf, c->sz, false };
		}
		task_memory__read_pieces(r->mem, pieces, len);
		for (size_t i = 0; !ret && i < len; i++) {
			if (pieces[i].ok)
				ret = take(of[i], r);
			else
				retry_smaller(of[i]);
		}
	} while (len && !ret);
	return ret;
}

/* While it runs, all of it changes. To 3.9 its frame does not say whether it does. */
static bool still_runs(const struct py_layout *l, const u8 *now)
{
	return l->off->frames == PY_FRAMES_POINTERS ||
	       (signed char)now[l->off->frames == PY_FRAMES_INSIDE ? l->off->running :
								     FRAME_STATE_310] == STATE_RUNS;
}

bool py_chain__is_torn(const struct py_chain *c, const struct py_layout *l, const u8 *now)
{
	u32 frame = l->off->frames == PY_FRAMES_INSIDE ? l->off->frame : 0;
	u32 top = l->off->frames == PY_FRAMES_INSIDE ? INSIDE_TOP :
		  l->off->frames == PY_FRAMES_DEPTH  ? FRAME_DEPTH :
						       FRAME_TOP;
	u32 instr = frame + l->python.frame_instr;

	if (c->state == PY_CORO_RUNS)
		return !still_runs(l, now);
	return memcmp(c->root + instr, now + instr, sizeof(u32)) != 0 ||
	       memcmp(c->root + frame + top, now + frame + top, sizeof(u32)) != 0 ||
	       (l->off->frames == PY_FRAMES_INSIDE &&
		c->root[l->off->running] != now[l->off->running]) ||
	       (l->off->frames == PY_FRAMES_DEPTH &&
		c->root[FRAME_STATE_310] != now[FRAME_STATE_310]);
}

void py_chain__frames(const struct py_chain *c, struct python_frames *ret)
{
	ret->len = c->len;
	for (u32 i = 0; i < c->len; i++)
		ret->frame[i] = c->links[c->len - 1 - i];
}
