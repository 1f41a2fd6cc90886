/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs copy names when a function is first seen, so that even a short-lived function has
 * one. Line tables, however, have no size limit. The rest of a long one is read here, when the
 * record arrives, and accepted only if its beginning is unchanged.
 */
#include "capture/runtime/python_codes.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "abi/stack.h"
#include "base/mem.h"

/* Enough for a function of a million lines. */
#define LINES_MAX_SZ (16UL << 20)

_Static_assert(CS_PC_INSTR_BITS == INTERPRETED_INSTR_BITS, "one place in code, two headers");

struct python_code {
	/* the key */
	u64 image;
	u64 code;
	/* contents of the record */
	u32 version;
	u32 first_line;
	char *file; /* NULL: no record, or given */
	char *name;
	u8 *lines;
	size_t lines_len;
	bool lines_cut;
	u64 bytes; /* counted for it; 0: no record */
};

#define KEY_SZ offsetof(struct python_code, version)

int python_codes__init(struct python_codes *pc)
{
	pc->lines_lost = 0;
	pc->full = 0;
	pc->bytes = 0;
	pc->given = 0;
	pc->bytes_max = PYTHON_CODES_BYTES;
	return intern__init(&pc->table, sizeof(struct python_code), KEY_SZ);
}

static void forget(struct python_code *code)
{
	mem_free(code->file);
	mem_free(code->name);
	mem_free(code->lines);
	code->file = NULL;
	code->name = NULL;
	code->lines = NULL;
}

void python_codes__done(struct python_codes *pc)
{
	u32 id;

	if (!pc)
		return;
	for (id = 1; pc->table.items.data && id < intern__len(&pc->table); id++)
		forget(intern__at(&pc->table, id));
	intern__done(&pc->table);
}

/* A code point as UTF-8; half of a surrogate pair is invalid. */
static size_t put_utf8(char *p, u32 c)
{
	if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		c = '?';
	if (c < 0x80) {
		p[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (char)(0xc0 | c >> 6);
		p[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (char)(0xe0 | c >> 12);
		p[1] = (char)(0x80 | (c >> 6 & 0x3f));
		p[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	p[0] = (char)(0xf0 | c >> 18);
	p[1] = (char)(0x80 | (c >> 12 & 0x3f));
	p[2] = (char)(0x80 | (c >> 6 & 0x3f));
	p[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static u32 next_char(struct view *v, u32 width)
{
	switch (width) {
	case 2:
		return view__u16(v);
	case 4:
		return view__u32(v);
	default:
		return view__u8(v);
	}
}

void python_text(const u8 *chars, u32 len, u32 width, bool mark, char buf[PYTHON_TEXT_SZ])
{
	struct view v = view__of(chars, len < CS_CODE_NAME_SZ ? len : CS_CODE_NAME_SZ);
	size_t at = 0;
	u32 c;

	if (mark && len > CS_CODE_NAME_SZ) {
		memcpy(buf, "...", 3);
		at = 3;
	}
	while (view__left(&v) >= (width ? width : 1)) {
		c = next_char(&v, width);
		if (!c)
			break;
		at += put_utf8(buf + at, c);
	}
	buf[at] = '\0';
}

/* All of a table that was too long for the record; false if it is gone. */
static bool read_lines(struct python_code *code, const struct cs_code_event *ev)
{
	struct iovec local = { .iov_base = code->lines, .iov_len = ev->lines_len };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)ev->lines_addr,
				.iov_len = ev->lines_len };

	return process_vm_readv((pid_t)ev->tgid, &local, 1, &remote, 1, 0) ==
		       (ssize_t)ev->lines_len &&
	       memcmp(code->lines, ev->lines, CS_CODE_LINES_SZ) == 0;
}

static int take_lines(struct python_codes *pc, struct python_code *code,
		      const struct cs_code_event *ev)
{
	code->lines_len = ev->lines_len;
	code->lines_cut = ev->lines_len > CS_CODE_LINES_SZ;
	if (ev->lines_len > LINES_MAX_SZ)
		code->lines_len = CS_CODE_LINES_SZ;
	code->lines = mem_alloc(code->lines_len + 1);
	if (!code->lines)
		return -ENOMEM;
	if (code->lines_cut && ev->lines_len <= LINES_MAX_SZ && read_lines(code, ev)) {
		code->lines_cut = false;
		return 0;
	}
	if (code->lines_cut) {
		code->lines_len = CS_CODE_LINES_SZ;
		pc->lines_lost++;
	}
	memcpy(code->lines, ev->lines, code->lines_len);
	return 0;
}

int python_codes__take(struct python_codes *pc, const struct cs_code_event *ev, size_t sz)
{
	struct python_code key = { 0 }, *code;
	char file[PYTHON_TEXT_SZ], name[PYTHON_TEXT_SZ];
	u32 id;

	if (sz < sizeof(*ev))
		return -EINVAL;
	key.image = ev->image;
	key.code = ev->code;
	if (pc->bytes >= pc->bytes_max) {
		pc->full += !intern__find(&pc->table, &key);
		return 0;
	}
	if (intern__add(&pc->table, &key, &id))
		return -ENOMEM;
	code = intern__at(&pc->table, id);
	if (code->bytes)
		return 0;
	code->version = ev->version;
	code->first_line = ev->first_line;
	python_text(ev->file, ev->file_len, ev->file_char, false, file);
	python_text(ev->name, ev->name_len, ev->name_char, true, name);
	code->file = mem_strdup(file);
	code->name = mem_strdup(name);
	if (code->file && code->name && !take_lines(pc, code, ev)) {
		code->bytes = sizeof(*code) + strlen(file) + strlen(name) + code->lines_len;
		pc->bytes += code->bytes;
		return 0;
	}
	forget(code);
	return -ENOMEM;
}

bool python_codes__has(const struct python_codes *pc, u64 image, u64 code)
{
	struct python_code key = { .image = image, .code = code };

	return intern__find(&pc->table, &key);
}

int python_codes__give(struct python_codes *pc,
		       int (*fn)(void *arg, const struct interpreted_code *code), void *arg)
{
	for (; pc->given + 1 < intern__len(&pc->table); pc->given++) {
		struct python_code *code = intern__at(&pc->table, pc->given + 1);
		struct interpreted_code out = {
			.image = code->image,
			.code = code->code,
			.version = code->version,
			.first_line = code->first_line,
			.file = code->file,
			.name = code->name,
			.lines = view__of(code->lines, code->lines_len),
			.lines_cut = code->lines_cut,
		};
		int r = code->file ? fn(arg, &out) : 0;

		if (r)
			return r;
		forget(code);
	}
	return 0;
}

struct sweep {
	struct python_codes *pc;
	const struct ended *ended;
	u32 given; /* of those that were kept */
	u32 at;
};

static bool goes_on(void *arg, void *item)
{
	struct python_code *code = item;
	struct sweep *sweep = arg;
	bool keep = !ended__has_image(sweep->ended, code->image);

	if (keep)
		sweep->given += sweep->at < sweep->pc->given;
	else
		forget(code);
	sweep->pc->bytes -= keep ? 0 : code->bytes;
	sweep->at++;
	return keep;
}

void python_codes__forget(struct python_codes *pc, const struct ended *ended)
{
	struct sweep sweep = { .pc = pc, .ended = ended };

	intern__retain(&pc->table, goes_on, &sweep);
	pc->given = sweep.given;
}
