/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Reports a code object to user space when it is first seen in a program: names and line table are
 * copied at once, because the function may soon be gone. What cannot be read is skipped, and the
 * walk continues.
 */
#include "lib/maps.bpf.h"
#include "lib/runtime/python_read.bpf.h"
#include "lib/stats.bpf.h"

__noinline int python_news_begin(struct user_walk *w)
{
	struct python_walk *py;
	struct cs_code_event *ev;

	if (!w)
		return 0;
	py = &w->py;
	ev = &py->event;
	ev->kind = CS_EVENT_CODE;
	ev->tgid = w->tgid;
	ev->image = w->image;
	ev->code = py->key;
	ev->version = py->facts.version;
	ev->first_line = int_at(w, py->facts.code_line);
	ev->lines_len = 0;
	ev->pad = 0;
	ev->file_len = 0;
	ev->name_len = 0;
	py->file = word_at(w, py->facts.code_file);
	py->name = word_at(w, py->facts.code_name);
	py->lines = word_at(w, py->facts.code_lines);
	ev->lines_addr = py->lines + py->facts.bytes_data;
	py->part = 0;
	py->phase = PYTHON_NEWS;
	return 0;
}

/* The head of a string: its length, the width of a character, and where they are. */
static __always_inline int read_string_head(struct user_walk *w, u64 *str, u32 *ret_len,
					    u32 *ret_char)
{
	const struct cs_python *facts = &w->py.facts;
	int r = fetch(w, *str, facts->str_state + 4);
	u32 state, width;
	u64 len;

	if (r)
		return r;
	/* Bits of the state: interned:2, kind:3, compact:1, ascii:1; the same in 3.8 to 3.13. */
	state = int_at(w, facts->str_state);
	width = state >> 2 & 7;
	len = word_at(w, facts->str_len);
	if (!(state & 0x20) || !width || len > (1U << 20))
		return WALK_ON; /* not created by a compiler */
	*ret_char = state & 0x40 ? 0 : width;
	*ret_len = len * width;
	*str += state & 0x40 ? facts->str_ascii : facts->str_compact;
	return WALK_ON;
}

/* Its last bytes. */
static __always_inline int read_string(struct user_walk *w, u8 *dst, u64 addr, u32 len)
{
	u32 n = len;

	if (n > CS_CODE_NAME_SZ)
		n = CS_CODE_NAME_SZ;
	if (!n)
		return WALK_ON;
	return walk_read(w, dst, n, addr + len - n);
}

static __always_inline int read_lines_head(struct user_walk *w)
{
	int r = fetch(w, w->py.lines + w->py.facts.bytes_len, 8);
	u64 len = word_at(w, 0);

	if (!r && len <= (1U << 24))
		w->py.event.lines_len = len;
	return r;
}

static __always_inline int read_lines(struct user_walk *w)
{
	u32 n = w->py.event.lines_len;

	if (n > CS_CODE_LINES_SZ)
		n = CS_CODE_LINES_SZ;
	if (!n)
		return WALK_ON;
	return walk_read(w, w->py.event.lines, n, w->py.event.lines_addr);
}

/* One part of the record of a code object. A global function: the verifier reads it once. */
__noinline int python_news_part(struct user_walk *w)
{
	struct python_walk *py;
	struct cs_code_event *ev;

	if (!w)
		return WALK_DONE;
	py = &w->py;
	ev = &py->event;

	switch (py->part) {
	case 0:
		return read_string_head(w, &py->file, &ev->file_len, &ev->file_char);
	case 1:
		return read_string(w, ev->file, py->file, ev->file_len);
	case 2:
		return read_string_head(w, &py->name, &ev->name_len, &ev->name_char);
	case 3:
		return read_string(w, ev->name, py->name, ev->name_len);
	case 4:
		return read_lines_head(w);
	default:
		return read_lines(w);
	}
}

/* Unreadable parts are not sent. */
static __always_inline void drop_part(struct cs_code_event *ev, u32 part)
{
	if (part < 2)
		ev->file_len = 0;
	else if (part < 4)
		ev->name_len = 0;
	else
		ev->lines_len = 0;
}

#define PYTHON_PARTS 6

static __always_inline void send(struct user_walk *w)
{
	struct code_key key = { .image = w->image, .code = w->py.key };
	u8 one = 1;

	if (bpf_ringbuf_output(&events, &w->py.event, sizeof(w->py.event), 0))
		STAT_INC(code_lost); /* sent again when it is next seen */
	else
		bpf_map_update_elem(&codes, &key, &one, BPF_ANY);
}

__noinline int python_news(struct user_walk *w)
{
	int i, r;

	if (!w)
		return WALK_DONE;
	for (i = 0; i < PYTHON_PARTS; i++) {
		if (w->py.part >= PYTHON_PARTS)
			break;
		r = python_news_part(w);
		if (r == WALK_NEED)
			return r;
		if (r)
			drop_part(&w->py.event, w->py.part);
		w->py.part++;
	}
	send(w);
	w->py.phase = PYTHON_FRAME;
	return w->py.last ? WALK_DONE : WALK_ON;
}
