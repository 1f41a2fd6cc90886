/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Tells interpreted methods of Java apart. A frame of the interpreter has its Method at a fixed
 * place, so what is read is one word of the stack, and one of the Method: the address of its
 * ConstMethod, because the memory of a Method is used again when its class was unloaded.
 *
 * The names of a method that is met for the first time are read at once: threads that are told to
 * end, and all of a JVM that ends, are soon gone. User space has found the way to them in the
 * tables that each JVM has for debuggers. Nothing that is read is believed; what cannot be read is
 * left out, and the walk goes on.
 */
#include "lib/java.bpf.h"
#include "lib/code.bpf.h"
#include "lib/maps.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/walk_read.bpf.h"

/* Parts of what is told. */
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

/* Where the address of a symbol is in the pool, by the index that is at `addr`. */
static __always_inline int read_index(struct user_walk *w, u64 *dst, u64 addr, u32 entries)
{
	u16 index = 0;
	int r = walk_read(w, &index, sizeof(index), addr);

	if (!r)
		*dst = w->java.pool + entries + 8 * (u64)index;
	return r;
}

static __always_inline int read_text(struct user_walk *w, const struct cs_java *java, u32 part)
{
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

/* One part of what is told. A global function: the verifier reads it once. */
__noinline int java_part(struct user_walk *w)
{
	struct java_walk *j;
	struct cs_java *java;
	u64 image, code;
	u32 part;

	if (!w)
		return WALK_DONE;
	j = &w->java;
	image = w->image;
	java = bpf_map_lookup_elem(&javas, &image);
	if (!java)
		return WALK_DONE;
	code = j->event.addr;
	part = j->part;
	switch (part) {
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
		return read_text(w, java, part - PART_TEXTS);
	}
}

static __always_inline void begin(struct user_walk *w, u64 code)
{
	struct cs_method_event *ev = &w->java.event;
	u32 i;

	ev->kind = CS_EVENT_METHOD;
	ev->tgid = w->tgid;
	ev->image = w->image;
	ev->code = w->java.code;
	ev->addr = code;
	ev->pad = 0;
	for (i = 0; i < CS_METHOD_TEXTS; i++)
		ev->len[i] = 0;
	w->java.part = PART_POOL;
}

/* Where a part fails, user space is told of the method without what comes behind it. */
static __always_inline int tell(struct user_walk *w)
{
	struct code_key key = { .image = w->image, .code = w->java.code };
	u8 told = 1;
	int i, r;

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
	/* The process may soon be gone. */
	if (bpf_ringbuf_output(&events, &w->java.event, sizeof(w->java.event), BPF_RB_FORCE_WAKEUP))
		STAT_INC(code_lost); /* the next time it is seen, it is told again */
	else
		bpf_map_update_elem(&codes, &key, &told, BPF_ANY);
	return WALK_ON;
}

/* The method of the present frame; WALK_ON without one too. */
static __always_inline int find_method(struct user_walk *w, const struct cs_java *java,
				       u64 *ret_code)
{
	u64 fp = walk_use_fp(w), method = 0, code = 0;
	int r;

	if (fp & 7 || fp < w->sp)
		return WALK_ON;
	r = walk_word(w, fp - CS_JAVA_FRAME_METHOD, &method);
	if (r || !user_ptr(method))
		return r;
	r = read_word(w, &code, method + java->method_const);
	if (r || !user_ptr(code))
		return r == WALK_NEED ? r : WALK_ON;
	w->java.code = code_number(code_mix(code_mix(0, method), code));
	*ret_code = code;
	return WALK_ON;
}

__noinline int java_frame(struct user_walk *w)
{
	struct code_key key = {};
	struct cs_java *java;
	u64 image, code = 0;
	int r;

	if (!w)
		return WALK_DONE;
	if (w->java.part)
		return tell(w);
	w->java.code = 0;
	image = w->image;
	java = bpf_map_lookup_elem(&javas, &image);
	if (!java || w->ip < java->start || w->ip >= java->end)
		return WALK_ON;
	r = find_method(w, java, &code);
	if (r || !w->java.code)
		return r;
	key.image = image;
	key.code = w->java.code;
	if (bpf_map_lookup_elem(&codes, &key))
		return WALK_ON;
	begin(w, code);
	return tell(w);
}
