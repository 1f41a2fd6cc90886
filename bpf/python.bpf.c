/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Reads the frames of CPython: a state machine with one step per object, because in the walk of a
 * sleeping thread any read may have to wait for memory (WALK_NEED) and be repeated.
 *
 * The thread state is found through thread-local storage: CPython keeps it under a pthread key, and
 * a value is a thread state if its thread_id is this thread's pthread_self(). That needs no symbol,
 * is correct in every PID namespace and after fork, and works for 3.8 to 3.13, even while the
 * thread does not hold the GIL. Only the 32 keys that glibc keeps in the thread itself are checked.
 *
 * Nothing that is read is trusted. A code object must have the type PyCode_Type (by the bits of its
 * address that do not depend on where the file was loaded); if not, the rest of the stack has no
 * Python frames, which is counted. A code object is freed with the last use of its function (a
 * module's when it has been imported), so its memory is soon reused for another one. It is
 * therefore identified in a stack by a hash of its address and of the parts it points to, at the
 * cost of one more read per frame. An object is not read again for a hundredth of the time for
 * which it has been the same, up to 10 ms. That time is 100 ms at least, in which it was read every
 * 20 ms: what exec() creates never gets that old.
 */
#include "lib/code.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/runtime/python_read.bpf.h"
#include "lib/stats.bpf.h"

/* One step per frame, plus those that find the thread state; two for one that is reported. */
#define PYTHON_STEPS 40
#define PYTHON_ROUNDS 30 /* of this many steps */

/*
 * Where pthread keys may be, relative to the thread pointer. On x86-64 it is glibc's struct
 * pthread, with specific_1stblock (pairs of sequence number and value) at 0x310 since 2.4; on arm64
 * that struct precedes the thread pointer and its size differs, so all of it is searched.
 */
#if defined(__TARGET_ARCH_x86)
#define TLS_FIRST 0x318
#define TLS_STRIDE 16
#define TLS_SLOTS 32
#define THREAD_ID_BEHIND 0
#else
#define TLS_FIRST (-2560)
#define TLS_STRIDE 8
#define TLS_SLOTS 320
#define THREAD_ID_BEHIND 4096 /* pthread_self() is at most this far before the thread pointer */
#endif

#define PYTHON_PAGE_MASK 4095

/* When a code object is not read again; CODE_KNOWN_NS is the longest time. */
#define BELIEVED_AGE_NS 100000000ULL
#define BELIEVED_GAP_NS 20000000ULL
#define BELIEVED_SHARE 100

#define PRINT_SEED 0x9e3779b97f4a7c15ULL

#define SHIM_OWNER 3 /* FRAME_OWNED_BY_CSTACK */

/* A field of the frame, which is in the window. */
static __always_inline const u8 *frame_at(const struct user_walk *w, u32 off)
{
	return w->py.window + (w->py.window_at & (CS_PYTHON_WINDOW_SZ - 8)) +
	       (off & (CS_PYTHON_BUF_SZ - 8));
}

static __always_inline u64 frame_word(const struct user_walk *w, u32 off)
{
	return *(u64 *)frame_at(w, off);
}

static __always_inline u8 frame_byte(const struct user_walk *w, u32 off)
{
	return *(frame_at(w, off) + (off & 7));
}

/*
 * How much before a frame is read with it: a walk goes from callees to callers, which precede them.
 * Not more than its page, because what precedes that may be unreadable, which takes a page fault to
 * find out.
 */
static __always_inline u32 window_before(const struct user_walk *w, u64 addr, u32 sz)
{
	u32 before = addr & PYTHON_PAGE_MASK, most = (CS_PYTHON_WINDOW_SZ - sz) & ~7U;

	if (w->sleeping || w->py.facts.instr != CS_PYTHON_INSTR_PTR)
		return 0;
	return before < most ? before : most;
}

/* Brings a frame into the window. */
static __always_inline int fetch_frame(struct user_walk *w, u64 addr)
{
	struct python_walk *py = &w->py;
	u32 sz = py->facts.frame_sz, before;
	u64 off = addr - py->window_addr;
	int r;

	if (sz > CS_PYTHON_BUF_SZ || !user_ptr(addr))
		return WALK_DONE;
	if (py->window_addr && off < CS_PYTHON_WINDOW_SZ && off + sz <= py->window_len) {
		py->window_at = off;
		return WALK_ON;
	}
	before = window_before(w, addr, sz);
	sz += before;
	r = walk_read(w, py->window, sz, addr - before);
	py->window_addr = r || !before ? 0 : addr - before;
	py->window_len = sz;
	py->window_at = before;
	return r;
}

/* A frame of the walk, or of the print. */
static __always_inline int push(struct user_walk *w, u64 pc)
{
	u32 n = w->stack.len;

	if (w->py.printing) {
		w->py.print = code_mix(w->py.print, pc);
		return ++w->py.printed < CS_STACK_MAX ? WALK_ON : WALK_DONE;
	}
	if (n >= w->limit || n >= CS_STACK_MAX)
		return WALK_DONE; /* the walk notices it when it adds the next native frame */
	w->stack.pc[n] = pc;
	w->stack.len = n + 1;
	w->stack.flags |= CS_STACK_PRIVATE;
	return WALK_ON;
}

/* The interpreter loop runs no more frames. */
static __always_inline int end_loop(struct user_walk *w)
{
	if (!w->py.printing)
		return WALK_DONE;
	w->py.print = code_mix(w->py.print, 0); /* no frame has this number */
	return WALK_ON;
}

/* The walk that follows a print that failed finds the reason, and counts it. */
static __always_inline int fail_print(struct user_walk *w)
{
	w->py.print = 0;
	return WALK_DONE;
}

static __always_inline int give_up(struct user_walk *w)
{
	if (w->py.printing)
		return fail_print(w);
	STAT_INC(python_failed);
	w->trail_len = TRAIL_LOST;
	w->py.phase = PYTHON_OFF;
	return WALK_DONE;
}

static __always_inline int start(struct user_walk *w)
{
	struct python_walk *py = &w->py;
	u64 image = w->image;
	u32 *slot = bpf_map_lookup_elem(&python_slots, &image);

	if (!slot && py->printing)
		return fail_print(w);
	py->slot = slot ? *slot : 0;
	py->scan = !slot;
	py->phase = PYTHON_SLOT;
	return WALK_ON;
}

static __always_inline int next_slot(struct user_walk *w)
{
	if (w->py.printing)
		return fail_print(w);
	w->py.slot = w->py.scan ? w->py.slot + 1 : 0;
	w->py.scan = 1;
	w->py.phase = PYTHON_SLOT;
	return WALK_ON;
}

static __always_inline int read_slot(struct user_walk *w)
{
	u64 tls = w->tls;
	int r;

	if (w->py.slot >= TLS_SLOTS || !tls) {
		if (w->py.printing)
			return fail_print(w);
		STAT_INC(python_no_thread);
		w->trail_len = TRAIL_LOST;
		w->py.phase = PYTHON_OFF;
		return WALK_DONE;
	}
	r = fetch(w, tls + TLS_FIRST + w->py.slot * TLS_STRIDE, 8);
	if (r == WALK_NEED)
		return r;
	w->py.state = word_at(w, 0);
	if (r || !user_ptr(w->py.state))
		return next_slot(w);
	w->py.phase = PYTHON_STATE;
	return WALK_ON;
}

static __always_inline int read_state(struct user_walk *w)
{
	struct python_walk *py = &w->py;
	u64 image = w->image;
	u32 slot = py->slot;
	int r = fetch(w, py->state, py->facts.thread_sz);

	if (r == WALK_NEED)
		return r;
	if (r || w->tls - word_at(w, py->facts.thread_id) > THREAD_ID_BEHIND)
		return next_slot(w);
	if (py->scan)
		bpf_map_update_elem(&python_slots, &image, &slot, BPF_ANY);
	py->frame = word_at(w, py->facts.thread_frame);
	py->phase = py->facts.cframe_frame == CS_PYTHON_NO_OFF ? PYTHON_FRAME : PYTHON_CFRAME;
	return WALK_ON;
}

static __always_inline int read_cframe(struct user_walk *w)
{
	int r = fetch(w, w->py.frame + w->py.facts.cframe_frame, 8);

	if (r == WALK_NEED)
		return r;
	if (r)
		return give_up(w);
	w->py.frame = word_at(w, 0);
	w->py.phase = PYTHON_FRAME;
	return WALK_ON;
}

/* In units of 2 bytes. */
static __always_inline u64 instr_of(const struct user_walk *w)
{
	const struct cs_python *facts = &w->py.facts;
	s64 instr;

	if (facts->instr == CS_PYTHON_INSTR_PTR)
		instr = frame_word(w, facts->frame_instr) - w->py.code - facts->code_instr;
	else
		instr = *(s32 *)frame_at(w, facts->frame_instr);
	if (instr < 0)
		return 0; /* it has not started */
	return facts->instr == CS_PYTHON_INSTR_UNITS ? instr : (u64)instr >> 1;
}

static __always_inline int read_frame(struct user_walk *w)
{
	struct python_walk *py = &w->py;
	int r;

	if (!py->frame)
		return WALK_DONE;
	r = fetch_frame(w, py->frame);
	if (r == WALK_NEED)
		return r;
	if (r)
		return give_up(w);
	py->frame = frame_word(w, py->facts.frame_back);
	if (py->facts.entry == CS_PYTHON_ENTRY_SHIM &&
	    frame_byte(w, py->facts.frame_entry) == SHIM_OWNER)
		return end_loop(w);
	py->last =
		py->facts.entry == CS_PYTHON_ENTRY_ALL ||
		(py->facts.entry == CS_PYTHON_ENTRY_MARK && frame_byte(w, py->facts.frame_entry));
	py->code = frame_word(w, py->facts.frame_code);
	py->globals = frame_word(w, py->facts.frame_globals);
	py->instr = instr_of(w);
	py->phase = PYTHON_CODE;
	return WALK_ON;
}

static __always_inline u64 code_key(const struct user_walk *w)
{
	const struct cs_python *facts = &w->py.facts;
	u64 h = code_mix(w->py.code, word_at(w, facts->code_file));

	h = code_mix(h, word_at(w, facts->code_name));
	h = code_mix(h, word_at(w, facts->code_lines));
	h = code_mix(h, int_at(w, facts->code_line));
	return code_number(h, 0);
}

static __always_inline struct python_known *known_slot(struct user_walk *w)
{
	return &w->py.known[code_mix(w->py.code, w->py.globals) & (CS_PYTHON_KNOWN - 1)];
}

static __always_inline bool is_same(const struct user_walk *w, const struct python_known *known)
{
	return known->code == w->py.code && known->globals == w->py.globals &&
	       known->image == w->image;
}

/* See above. */
static __always_inline bool is_believed(const struct python_known *known, u64 now_ns)
{
	u64 age = known->ns - known->since_ns, unread = now_ns - known->ns;

	return age >= BELIEVED_AGE_NS && unread <= CODE_KNOWN_NS && unread * BELIEVED_SHARE <= age;
}

static __always_inline bool is_known(struct user_walk *w)
{
	const struct python_known *known = known_slot(w);

	if (!is_same(w, known) || !is_believed(known, w->now_ns))
		return false;
	w->py.key = known->key;
	return true;
}

static __always_inline void keep_known(struct user_walk *w)
{
	struct python_known *known = known_slot(w);

	if (!is_same(w, known) || known->key != w->py.key ||
	    w->now_ns - known->ns > BELIEVED_GAP_NS)
		known->since_ns = w->now_ns;
	known->image = w->image;
	known->code = w->py.code;
	known->globals = w->py.globals;
	known->key = w->py.key;
	known->ns = w->now_ns;
}

/* Whether user space has the code object in buf. */
static __always_inline bool is_reported(struct user_walk *w)
{
	const struct python_known *known = known_slot(w);
	struct code_key key = {};

	if (is_same(w, known) && known->key == w->py.key)
		return true;
	key.image = w->image;
	key.code = w->py.key;
	return bpf_map_lookup_elem(&codes, &key);
}

static __always_inline int next_frame(struct user_walk *w)
{
	w->py.phase = PYTHON_FRAME;
	return w->py.last ? end_loop(w) : WALK_ON;
}

static __always_inline int read_code(struct user_walk *w)
{
	struct python_walk *py = &w->py;
	int r;

	if (is_known(w)) {
		r = push(w, cs_pc_code(py->key, py->instr));
		return r ? r : next_frame(w);
	}
	r = fetch(w, py->code, py->facts.code_sz);
	if (r == WALK_NEED)
		return r;
	if (r || (word_at(w, py->facts.code_ob_type) & 0xfff) != py->facts.code_type)
		return give_up(w);
	py->key = code_key(w);
	r = push(w, cs_pc_code(py->key, py->instr));
	if (r)
		return r;
	if (!is_reported(w)) {
		if (py->printing)
			return fail_print(w);
		python_news_begin(w);
		return WALK_ON;
	}
	keep_known(w);
	return next_frame(w);
}

static __always_inline int read_frame_and_code(struct user_walk *w)
{
	int r = read_frame(w);

	return r || w->py.phase != PYTHON_CODE ? r : read_code(w);
}

/* WALK_DONE: this interpreter loop has no more frames. */
__noinline int python_step(struct user_walk *w)
{
	if (!w)
		return WALK_DONE;
	switch (w->py.phase) {
	case PYTHON_START:
		return start(w);
	case PYTHON_SLOT:
		return read_slot(w);
	case PYTHON_STATE:
		return read_state(w);
	case PYTHON_CFRAME:
		return read_cframe(w);
	case PYTHON_FRAME:
		return read_frame_and_code(w);
	case PYTHON_CODE:
		return read_code(w);
	case PYTHON_NEWS:
		return python_news(w);
	default:
		return WALK_DONE;
	}
}

/* Sets the layout of a file's CPython; false: it is unknown. */
static __always_inline bool use_facts(struct user_walk *w, u32 module)
{
	struct python_walk *py = &w->py;
	struct cs_python *facts = bpf_map_lookup_elem(&pythons, &module);

	py->module = module;
	py->phase = PYTHON_START;
	py->facts.ranges = 0;
	if (facts)
		__builtin_memcpy(&py->facts, facts, sizeof(py->facts));
	return facts;
}

/* Whether a byte is in an interpreter loop. */
static __always_inline bool in_loop(struct user_walk *w, u64 off)
{
	struct python_walk *py = &w->py;
	u32 i;

	if (w->map.module != py->module) {
		if (py->met)
			w->trail_len = TRAIL_LOST; /* a print is of one CPython */
		use_facts(w, w->map.module);
	}
	if (py->phase == PYTHON_OFF)
		return false;
	for (i = 0; i < CS_PYTHON_RANGES; i++) {
		if (i < py->facts.ranges && off >= py->facts.eval[i].start &&
		    off < py->facts.eval[i].end)
			return true;
	}
	return false;
}

/*
 * Some of the steps: two nested loops, each verified once; a single one would be verified step by
 * step.
 */
__noinline int python_steps(struct user_walk *w)
{
	int i, r = WALK_ON;

	if (!w)
		return WALK_DONE;
	for (i = 0; i < PYTHON_STEPS && r == WALK_ON; i++)
		r = python_step(w);
	return r;
}

static __always_inline int python_rounds(struct user_walk *w)
{
	int i, r = WALK_ON;

	for (i = 0; i < PYTHON_ROUNDS && r == WALK_ON; i++)
		r = python_steps(w);
	return r;
}

__noinline int python_frames(struct user_walk *w, u64 off)
{
	if (!w)
		return WALK_DONE;
	if (!w->py.busy && !in_loop(w, off))
		return WALK_ON;
	w->py.met = 1;
	w->py.busy = 1;
	if (python_rounds(w) == WALK_NEED)
		return WALK_NEED;
	w->py.busy = 0;
	return WALK_ON;
}

__noinline u64 python_print(struct user_walk *w, u32 module)
{
	u64 print = 0;

	if (!w)
		return 0;
	python_reset(w);
	w->py.printing = 1;
	w->py.printed = 0;
	w->py.print = PRINT_SEED;
	if (use_facts(w, module) && python_rounds(w) == WALK_DONE)
		print = w->py.print;
	w->py.printing = 0;
	return print;
}
