/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BPF_PYTHON_WORLD_H
#define BPF_PYTHON_WORLD_H

/*
 * A Python that a test pretends to be: thread state, frames, code objects and strings lie in the
 * memory of the test, in a layout of their own.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "abi/python.h"
#include "base/types.h"

#define MODULE 5
#define LOOP_OFF 0x1040
#define SLOTS 32
#define SLOT_AT 0x318

struct string {
	u64 head[2];
	u64 len;
	u64 hash;
	u32 state;
	u32 pad;
	u64 wide[2]; /* of other than ASCII */
};

/* A string and what belongs to it behind the one head or the other. */
struct text {
	struct string head;
	u8 bytes[4096];
};

struct bytes {
	u64 head[2];
	u64 len;
	u64 hash;
	u8 data[4096];
};

struct code {
	u64 count;
	u64 type;
	const struct text *file;
	const struct text *name;
	const struct bytes *lines;
	u32 line;
	u32 pad;
	u16 instr[64];
};

struct frame {
	const struct frame *back;
	const struct code *code;
	const u16 *instr;
	u64 globals;
	u8 owner;
};

struct state {
	u64 pad[3];
	const struct frame *frame;
	u64 thread_id;
};

/* Everything of one pretended process. */
struct world {
	u8 tls[4096];
	struct state state;
	struct frame frames[8];
	struct code codes[8];
	struct text file;
	struct text names[8];
	struct bytes lines;
};

#define TYPE 0x7f0000000123ULL

static inline struct cs_python facts(u32 entry)
{
	struct cs_python f = {
		.version = 3U << 8 | 12,
		.ranges = 1,
		.eval = { { 0x1000, 0x2000 } },
		.code_type = TYPE & 0xfff,
		.entry = (u8)entry,
		.instr = CS_PYTHON_INSTR_PTR,
		.thread_id = offsetof(struct state, thread_id),
		.thread_frame = offsetof(struct state, frame),
		.cframe_frame = CS_PYTHON_NO_OFF,
		.frame_back = offsetof(struct frame, back),
		.frame_code = offsetof(struct frame, code),
		.frame_instr = offsetof(struct frame, instr),
		.frame_entry = offsetof(struct frame, owner),
		.frame_globals = offsetof(struct frame, globals),
		.code_ob_type = offsetof(struct code, type),
		.code_file = offsetof(struct code, file),
		.code_name = offsetof(struct code, name),
		.code_line = offsetof(struct code, line),
		.code_lines = offsetof(struct code, lines),
		.code_instr = offsetof(struct code, instr),
		.str_len = offsetof(struct string, len),
		.str_state = offsetof(struct string, state),
		.str_ascii = offsetof(struct string, wide),
		.str_compact = sizeof(struct string),
		.bytes_len = offsetof(struct bytes, len),
		.bytes_data = offsetof(struct bytes, data),
		.thread_sz = sizeof(struct state),
		.frame_sz = sizeof(struct frame),
		.code_sz = offsetof(struct code, instr),
	};

	return f;
}

static struct world *world;

static inline void set_ascii(struct text *t, const char *words)
{
	t->head.len = strlen(words);
	t->head.state = 1U << 2 | 0x20 | 0x40;
	memcpy(t->head.wide, words, strlen(words)); /* over the end of `head`, as it is laid out */
}

static inline void set_slot(u32 slot, const void *value)
{
	memcpy(world->tls + SLOT_AT + 16UL * slot, &value, sizeof(value));
}

/* Frame i was called by frame i + 1. Frame i runs function i at unit i. */
static inline void build(u32 frames)
{
	char name[16];
	u32 i;

	memset(world, 0, sizeof(*world));
	for (i = 0; i < frames; i++) {
		world->frames[i].back = i + 1 < frames ? &world->frames[i + 1] : NULL;
		world->frames[i].code = &world->codes[i];
		world->frames[i].instr = &world->codes[i].instr[i];
		world->codes[i].type = TYPE;
		world->codes[i].file = &world->file;
		world->codes[i].name = &world->names[i];
		world->codes[i].lines = &world->lines;
		world->codes[i].line = 10 * i;
		snprintf(name, sizeof(name), "f%u", i);
		set_ascii(&world->names[i], name);
	}
	set_ascii(&world->file, "/a/b.py");
	world->lines.len = 3;
	memcpy(world->lines.data, "abc", 3);
	world->state.frame = &world->frames[0];
	world->state.thread_id = (u64)(uintptr_t)world->tls;
	set_slot(2, &world->state);
}

#endif
