/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/python_code.h"

#include <string.h>

#include "abi/stack.h"
#include "base/hash.h"

/* The type of a code object, by the bits that do not depend on where its file was loaded. */
#define TYPE_BITS 0xfff
/* Longer ones were not made by a compiler. */
#define STRING_CHARS_MAX (1U << 20)
#define LINES_MAX (1U << 24)
/* Bits of PyASCIIObject.state: interned:2, kind:3, compact:1, ascii:1; the same in 3.8 to 3.13. */
#define STATE_COMPACT 0x20
#define STATE_ASCII 0x40

static u64 word_at(const struct python_code_object *o, u16 off)
{
	return python_word(o->bytes, off);
}

static u32 int_at(const struct python_code_object *o, u16 off)
{
	return (u32)word_at(o, off);
}

bool python_code_object__read(struct python_code_object *o, struct process *p, u64 addr,
			      const struct cs_python *layout)
{
	o->addr = addr;
	memset(o->bytes, 0, sizeof(o->bytes));
	return layout->code_sz <= sizeof(o->bytes) &&
	       process__read(p, addr, o->bytes, layout->code_sz) &&
	       (word_at(o, layout->code_ob_type) & TYPE_BITS) == layout->code_type;
}

u64 python_code_object__number(const struct python_code_object *o, const struct cs_python *layout)
{
	const u64 parts[] = { o->addr, word_at(o, layout->code_file), word_at(o, layout->code_name),
			      word_at(o, layout->code_lines), int_at(o, layout->code_line) };

	/* cs_pc_code() has no room for more, and CPython's have no bit of another runtime */
	return cs_pc_code_addr(
		cs_pc_code(hash_bytes(parts, sizeof(parts)) & (CS_CODE_RUNTIME - 1), 0));
}

/* The last bytes of a string. *ret_len: of all of them; 0: unreadable. */
static void read_string(struct process *p, u64 addr, const struct cs_python *layout,
			u8 dst[CS_CODE_NAME_SZ], u32 *ret_len, u32 *ret_char)
{
	u32 state, width, n;
	u64 chars;

	if (!process__read(p, addr + layout->str_state, &state, sizeof(state)) ||
	    !process__read(p, addr + layout->str_len, &chars, sizeof(chars)))
		return;
	width = state >> 2 & 7;
	if (!(state & STATE_COMPACT) || !width || chars > STRING_CHARS_MAX)
		return;
	addr += state & STATE_ASCII ? layout->str_ascii : layout->str_compact;
	n = (u32)chars * width < CS_CODE_NAME_SZ ? (u32)chars * width : CS_CODE_NAME_SZ;
	if (!n || !process__read(p, addr + chars * width - n, dst, n))
		return;
	*ret_len = (u32)chars * width;
	*ret_char = state & STATE_ASCII ? 0 : width;
}

static void read_lines(struct process *p, u64 addr, const struct cs_python *layout,
		       struct cs_code_event *ev)
{
	u64 len;
	u32 n;

	ev->lines_addr = addr + layout->bytes_data;
	if (!process__read(p, addr + layout->bytes_len, &len, sizeof(len)) || !len ||
	    len > LINES_MAX)
		return;
	n = len < CS_CODE_LINES_SZ ? (u32)len : CS_CODE_LINES_SZ;
	if (process__read(p, ev->lines_addr, ev->lines, n))
		ev->lines_len = (u32)len;
}

void python_code_object__describe(const struct python_code_object *o, struct process *p,
				  const struct cs_python *layout, struct cs_code_event *ret)
{
	*ret = (struct cs_code_event){
		.kind = CS_EVENT_CODE,
		.tgid = p->tgid,
		.image = p->image,
		.code = python_code_object__number(o, layout),
		.version = layout->version,
		.first_line = int_at(o, layout->code_line),
	};
	read_string(p, word_at(o, layout->code_file), layout, ret->file, &ret->file_len,
		    &ret->file_char);
	read_string(p, word_at(o, layout->code_name), layout, ret->name, &ret->name_len,
		    &ret->name_char);
	read_lines(p, word_at(o, layout->code_lines), layout, ret);
}

int python_code_object__take(const struct python_code_object *o, struct process *p,
			     const struct cs_python *layout, struct python_codes *codes)
{
	struct cs_code_event ev;

	if (python_codes__has(codes, p->image, python_code_object__number(o, layout)))
		return 0;
	python_code_object__describe(o, p, layout, &ev);
	return python_codes__take(codes, &ev, sizeof(ev));
}

u32 python_instr(const struct cs_python *layout, u64 word, u64 code)
{
	s64 instr;

	if (layout->instr == CS_PYTHON_INSTR_PTR)
		instr = (s64)(word - code - layout->code_instr);
	else
		instr = (s32)word;
	if (instr < 0)
		return 0;
	if (layout->instr != CS_PYTHON_INSTR_UNITS)
		instr >>= 1;
	return cs_pc_instr(cs_pc_code(0, (u64)instr));
}
