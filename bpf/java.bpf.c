/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Identifies interpreted Java methods. An interpreter frame has its Method at a fixed offset, which
 * leads to the ConstMethod and to the symbols of its names. When a class is unloaded, its memory is
 * soon reused for another class of the same shape, at the same addresses. So the number of a method
 * is a hash of its addresses and of the names themselves. The names are read each time, except for
 * a method that has been the same for a second, which is not checked again for some ms. User space
 * finds the layout in the tables that each JVM has for debuggers.
 *
 * When a number is new, its names are sent to user space at once, because threads that are stopped,
 * or a JVM that exits, are soon gone. Nothing that is read is trusted; what cannot be read is
 * skipped, and the walk continues.
 */
#include "lib/runtime/java.bpf.h"
#include "lib/code.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/walk_read.bpf.h"

/* Parts of a record. */
enum java_part {
	PART_NONE = 0,
	PART_POOL,
	PART_CLASS,
	PART_CLASS_NAME,
	PART_NAME_INDEX,
	PART_NAME,
	PART_SIGNATURE_INDEX,
	PART_SIGNATURE,
	PART_TEXTS, /* two for each: its length and its bytes */
	PART_CNT = PART_TEXTS + 2 * CS_METHOD_TEXTS,
};

static __always_inline int read_word(struct user_walk *w, u64 *dst, u64 addr)
{
	u64 word = 0;
	int r = user_ptr(addr) ? walk_read(w, &word, sizeof(word), addr) : WALK_DONE;

	if (!r)
		*dst = word;
	return r;
}

/* The address of a symbol in the pool, by the index at `addr`. */
static __always_inline int read_index(struct user_walk *w, u64 *dst, u64 addr, u32 entries)
{
	u16 index = 0;
	int r = walk_read(w, &index, sizeof(index), addr);

	if (!r)
		*dst = w->java.pool + entries + 8 * (u64)index;
	return r;
}

static __always_inline int read_text(struct user_walk *w, u32 part)
{
	const struct cs_java *java = &w->java.facts;
	struct cs_method_event *ev = &w->java.event;
	u32 i = part >> 1, n;
	u64 symbol;
	u16 len = 0;
	int r;

	if (i >= CS_METHOD_TEXTS)
		return WALK_DONE;
	symbol = w->java.at[i];
	if (!user_ptr(symbol))
		return WALK_DONE;
	if (!(part & 1)) {
		r = walk_read(w, &len, sizeof(len), symbol + java->symbol_len);
		if (!r)
			ev->len[i] = len;
		return r;
	}
	n = ev->len[i];
	if (n > CS_METHOD_TEXT_SZ)
		n = CS_METHOD_TEXT_SZ;
	if (!n)
		return WALK_DONE;
	r = walk_read(w, ev->text[i], n, symbol + java->symbol_body);
	if (r == WALK_DONE)
		ev->len[i] = 0;
	return r;
}

/* One part of a record. A global function: the verifier reads it once. */
__noinline int java_part(struct user_walk *w)
{
	const struct cs_java *java;
	struct java_walk *j;
	u64 code;

	if (!w)
		return WALK_DONE;
	j = &w->java;
	java = &j->facts;
	code = j->event.addr;
	switch (j->part) {
	case PART_POOL:
		return read_word(w, &j->pool, code + java->const_pool);
	case PART_CLASS:
		return read_word(w, &j->at[0], j->pool + java->pool_holder);
	case PART_CLASS_NAME:
		return read_word(w, &j->at[0], j->at[0] + java->klass_name);
	case PART_NAME_INDEX:
		return read_index(w, &j->at[1], code + java->const_name, java->pool_entries);
	case PART_NAME:
		return read_word(w, &j->at[1], j->at[1]);
	case PART_SIGNATURE_INDEX:
		return read_index(w, &j->at[2], code + java->const_signature, java->pool_entries);
	case PART_SIGNATURE:
		return read_word(w, &j->at[2], j->at[2]);
	default:
		return read_text(w, j->part - PART_TEXTS);
	}
}

static __always_inline u64 place_of(const struct user_walk *w)
{
	return code_mix(code_mix(w->image, w->java.method), w->java.event.addr) | 1;
}

/* NULL in an iterator, which can be preempted by a user of it. */
static __always_inline struct java_place *find_place(const struct user_walk *w, u64 place)
{
	u32 slot = (place >> 20 & (JAVA_PLACES - 1)) + (w->nested ? JAVA_PLACES : 0);

	return w->sleeping ? NULL : bpf_map_lookup_elem(&java_places, &slot);
}

static __always_inline bool is_known(struct user_walk *w)
{
	u64 place = place_of(w);
	struct java_place *p = find_place(w, place);
	u32 i;

	for (i = 0; p && i < JAVA_ROOMS; i++) {
		const struct java_known *known = &p->room[i];

		if (known->place != place)
			continue;
		if (!code_is_believed(known->since_ns, known->ns, w->now_ns))
			return false;
		w->java.code = known->code;
		return true;
	}
	return false;
}

static __always_inline void keep_in(struct java_known *known, u64 place, const struct user_walk *w)
{
	if (known->place != place || known->code != w->java.code || w->now_ns < known->ns)
		known->since_ns = w->now_ns;
	known->place = place;
	known->code = w->java.code;
	known->ns = w->now_ns;
}

/* In its own entry, or the least recently used one. */
__noinline int java_keep(struct user_walk *w)
{
	struct java_place *p;
	u64 place, oldest_ns = ~0ULL;
	u32 i, oldest = 0;

	if (!w)
		return 0;
	place = place_of(w);
	p = find_place(w, place);
	if (!p)
		return 0;
	for (i = 0; i < JAVA_ROOMS; i++) {
		if (p->room[i].place == place) {
			oldest = i;
			break;
		}
		if (p->room[i].ns < oldest_ns) {
			oldest_ns = p->room[i].ns;
			oldest = i;
		}
	}
	barrier_var(oldest);
	keep_in(&p->room[oldest & (JAVA_ROOMS - 1)], place, w);
	return 0;
}

/* A hash of the names that were read. A global function: its loops are verified once. */
__noinline u64 java_hash(struct user_walk *w)
{
	struct cs_method_event *ev;
	u32 i, k, n;
	u64 h = 0, v;

	if (!w)
		return 0;
	ev = &w->java.event;
	for (i = 0; i < CS_METHOD_TEXTS; i++) {
		n = ev->len[i];
		h = code_mix(h, n);
		for (k = 0; k < CS_METHOD_TEXT_SZ / 8; k++) {
			if (k * 8 >= n)
				break;
			v = *(u64 *)(ev->text[i] + k * 8);
			/* bytes after the end belong to another text */
			if (n - k * 8 < 8)
				v &= (1ULL << 8 * (n & 7)) - 1;
			h = code_mix(h, v);
		}
	}
	return h;
}

static __always_inline void begin(struct user_walk *w, const struct cs_java *java)
{
	struct cs_method_event *ev = &w->java.event;
	u32 i;

	ev->kind = CS_EVENT_METHOD;
	ev->tgid = w->tgid;
	ev->image = w->image;
	ev->pad = 0;
	for (i = 0; i < CS_METHOD_TEXTS; i++)
		ev->len[i] = 0;
	w->java.facts = *java;
	w->java.part = PART_POOL;
}

static __always_inline void tell(struct user_walk *w)
{
	struct code_key key = { .image = w->image, .code = w->java.code };
	u8 told = 1;

	if (bpf_map_lookup_elem(&codes, &key))
		return;
	w->java.event.code = w->java.code;
	/* The process may exit soon. */
	if (bpf_ringbuf_output(&events, &w->java.event, sizeof(w->java.event), BPF_RB_FORCE_WAKEUP))
		STAT_INC(method_lost); /* sent again when it is next seen */
	else
		bpf_map_update_elem(&codes, &key, &told, BPF_ANY);
}

/* Reads the names. If a part fails, later ones stay unread. */
static __always_inline int read_names(struct user_walk *w)
{
	int i, r = WALK_ON;
	u64 h;

	for (i = 0; i < PART_CNT; i++) {
		if (w->java.part >= PART_CNT)
			break;
		r = java_part(w);
		if (r == WALK_NEED)
			return r;
		if (r)
			break;
		w->java.part++;
	}
	w->java.part = PART_NONE;
	h = code_mix(code_mix(java_hash(w), w->java.method), w->java.event.addr);
	w->java.code = code_number(h, CS_CODE_JAVA);
	tell(w);
	if (!r)
		java_keep(w);
	return WALK_ON;
}

/* The method of the current frame; WALK_ON even if it has none. */
static __always_inline int find_method(struct user_walk *w, const struct cs_java *java, bool *ret)
{
	u64 fp = walk_use_fp(w), method = 0, code = 0;
	int r;

	*ret = false;
	/*
	 * A frame under construction gets its Method last: there is none below the end of the
	 * stack.
	 */
	if (fp & 7 || fp < w->sp || fp - w->sp < CS_JAVA_FRAME_METHOD)
		return WALK_ON;
	r = walk_word(w, fp - CS_JAVA_FRAME_METHOD, &method);
	if (r || !user_ptr(method))
		return r;
	r = read_word(w, &code, method + java->method_const);
	if (r || !user_ptr(code))
		return r == WALK_NEED ? r : WALK_ON;
	w->java.method = method;
	w->java.event.addr = code;
	*ret = true;
	return WALK_ON;
}

__noinline int java_frame(struct user_walk *w)
{
	struct cs_java *java;
	bool found;
	u64 image;
	int r;

	if (!w)
		return WALK_DONE;
	if (w->java.part)
		return read_names(w);
	w->java.code = 0;
	image = w->image;
	java = bpf_map_lookup_elem(&jvms, &image);
	if (!java || w->ip < java->start || w->ip >= java->end)
		return WALK_ON;
	r = find_method(w, java, &found);
	if (r || !found || is_known(w))
		return r;
	/* The words of the stack identify a method only if it is trusted. */
	w->trail_len = TRAIL_LOST;
	begin(w, java);
	return read_names(w);
}
