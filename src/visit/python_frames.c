/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native stack has one frame of the interpreter loop for each time that C code called Python,
 * and Python's own list of frames is divided at the same places (bpf/lib/runtime/python.bpf.h). A
 * blocked thread changes neither. Nothing that is read is trusted: what is not a code object ends
 * the functions of this stack, which is counted.
 */
#include "visit/python_frames.h"

#include "abi/stack.h"
#include "visit/python_code.h"
#include "visit/python_thread.h"

#define SHIM_OWNER 3 /* FRAME_OWNED_BY_CSTACK */

/* Python's list of frames, as far as it was read. */
struct chain {
	struct process *p;
	const struct cs_python *layout;
	u64 next; /* frame; 0: none */
	u8 frame[CS_PYTHON_BUF_SZ];
};

enum step {
	STEP_ON, /* a frame was added, and its loop runs more */
	STEP_LAST, /* it was the last of its loop */
	STEP_END, /* the loop has no more */
	STEP_BAD, /* something could not be read */
};

int python_reader__init(struct python_reader *r)
{
	r->unread = 0;
	r->frames.len = 0;
	return python_codes__init(&r->codes);
}

void python_reader__done(struct python_reader *r)
{
	if (r)
		python_codes__done(&r->codes);
}

static u64 word_at(const struct chain *c, u16 off)
{
	return python_word(c->frame, off);
}

static u8 byte_at(const struct chain *c, u16 off)
{
	return off < sizeof(c->frame) ? c->frame[off] : 0;
}

static bool begin(struct chain *c, struct process *p, u32 tid, const struct cs_python *layout)
{
	u64 state;

	c->p = p;
	c->layout = layout;
	return python_thread_state(p, tid, layout, &state) &&
	       process__read(p, state + layout->thread_frame, &c->next, sizeof(c->next)) &&
	       (layout->cframe_frame == CS_PYTHON_NO_OFF ||
		process__read(p, c->next + layout->cframe_frame, &c->next, sizeof(c->next)));
}

/* The next frame of a loop. -ENOMEM or 0. */
static int step(struct python_reader *r, struct chain *c, u32 loop, enum step *ret)
{
	const struct cs_python *layout = c->layout;
	struct python_frame *f = &r->frames.frame[r->frames.len];
	struct python_code_object o;
	u64 code;

	*ret = STEP_END;
	if (!c->next)
		return 0;
	*ret = STEP_BAD;
	if (layout->frame_sz > sizeof(c->frame) ||
	    !process__read(c->p, c->next, c->frame, layout->frame_sz))
		return 0;
	c->next = word_at(c, layout->frame_back);
	if (layout->entry == CS_PYTHON_ENTRY_SHIM &&
	    byte_at(c, layout->frame_entry) == SHIM_OWNER) {
		*ret = STEP_END;
		return 0;
	}
	code = word_at(c, layout->frame_code);
	if (!python_code_object__read(&o, c->p, code, layout))
		return 0;
	*f = (struct python_frame){ loop,
				    python_instr(layout, word_at(c, layout->frame_instr), code),
				    python_code_object__number(&o, layout) };
	r->frames.len++;
	*ret = layout->entry == CS_PYTHON_ENTRY_ALL || (layout->entry == CS_PYTHON_ENTRY_MARK &&
							byte_at(c, layout->frame_entry)) ?
		       STEP_LAST :
		       STEP_ON;
	return python_code_object__take(&o, c->p, layout, &r->codes);
}

/* The layout of the interpreter whose loop a frame is in, or NULL. */
static const struct cs_python *layout_of(const struct process *p, const struct host_frame *f)
{
	const struct cs_python *layout = f->is_file ? code_files__at(p->files, f->id)->python :
						      NULL;
	u64 off = f->off - !f->exact;

	for (u32 i = 0; layout && i < layout->ranges && i < CS_PYTHON_RANGES; i++) {
		if (off >= layout->eval[i].start && off < layout->eval[i].end)
			return layout;
	}
	return NULL;
}

/* A stack that has no room for more ends at its `len`th native frame. */
static void cut(struct host_stack *s, u32 len)
{
	s->len = len;
	s->end = CS_END_DEPTH;
	if (s->gap > len)
		s->gap = 0;
}

/* The functions of one loop, the `idx`th native frame. *ret_whole: all of them were read. */
static int read_loop(struct python_reader *r, struct chain *c, u32 idx, struct host_stack *s,
		     bool *ret_whole)
{
	enum step last = STEP_ON;
	int error = 0;

	while (!error && last == STEP_ON && r->frames.len + idx + 1 < CS_STACK_MAX)
		error = step(r, c, idx, &last);
	if (last == STEP_ON)
		cut(s, idx + 1);
	*ret_whole = last != STEP_BAD;
	return error;
}

int python_reader__read(struct python_reader *r, struct process *p, u32 tid, struct host_stack *s)
{
	const struct cs_python *layout = NULL;
	struct chain c;
	bool whole = true;
	int error = 0;

	r->frames.len = 0;
	for (u32 i = 0; !error && whole && i < s->len; i++) {
		const struct cs_python *here = layout_of(p, &s->frame[i]);

		if (!here)
			continue;
		if (here != layout)
			whole = begin(&c, p, tid, here);
		layout = here;
		if (whole)
			error = read_loop(r, &c, i, s, &whole);
	}
	r->unread += !whole;
	return error;
}
