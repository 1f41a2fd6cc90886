/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A jitdump is a log of records: code was created (with its name, its bytes, and before that a
 * record of its source lines) or moved. We keep names, addresses and lines, and skip the code.
 *
 *	file     header (40 bytes, or as many as it says), records
 *	record   u32 kind, u32 total size, u64 time, then by kind:
 *	LOAD     u32 pid, u32 tid, u64 vma, u64 address, u64 size, u64 number, name, code
 *	MOVE     u32 pid, u32 tid, u64 vma, u64 old address, u64 new address, u64 size, u64 number
 *	DEBUG    u64 address, u64 count, count times: u64 address, u32 line, u32 column, file
 *
 * Records are in order of time, so their order decides. The times are ignored, because the writer
 * chose the clock.
 */
#include "symbol/jitdump.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/map64.h"
#include "base/mem.h"
#include "symbol/code_log.h"
#include "symbol/growing.h"

#define MAGIC 0x4a695444 /* "JiTD" */
#define HEADER_SZ 40
#define HEADER_MAX_SZ 4096
#define RECORD_HEAD_SZ 16
#define NAME_MAX_SZ 4096
#define ROWS_MAX (4UL << 20)
/* "The same file as the previous row", in place of a name. */
#define SAME_FILE "\xff"
/* V8 adds the header of the ELF file that `perf inject` will make around the code. */
#define ELF_HEADER_SZ 0x40

enum record_kind {
	RECORD_LOAD = 0,
	RECORD_MOVE = 1,
	RECORD_DEBUG = 2,
	RECORD_CLOSE = 3,
};

/* Applies from this byte of the function on. */
struct row {
	u32 off;
	u32 line;
	u32 file; /* in log.names */
};

/* The rows of one function, at the same index as its entry in the log. */
struct rows {
	u32 first;
	u32 len;
};

struct jitdump {
	struct code_log log;
	struct vec rows; /* struct row */
	struct vec of_entry; /* struct rows */
	struct map64 by_number; /* of the code, to the entry */
	u64 debug_addr; /* of the last rows */
	struct rows debug;
	struct growing file;
	bool begun; /* the header was read */
};

static int init(struct jitdump *jd)
{
	*jd = (struct jitdump){ 0 };
	vec__init(&jd->rows, sizeof(struct row));
	vec__init(&jd->of_entry, sizeof(struct rows));
	map64__init(&jd->by_number);
	return code_log__init(&jd->log);
}

static void done(struct jitdump *jd)
{
	code_log__done(&jd->log);
	vec__done(&jd->rows);
	vec__done(&jd->of_entry);
	map64__done(&jd->by_number);
}

int jitdump__new(struct jitdump **ret, struct err *err)
{
	struct jitdump *jd = mem_alloc(sizeof(*jd));

	if (!jd)
		return err__nomem(err);
	if (init(jd)) {
		jitdump__free(jd);
		return err__nomem(err);
	}
	*ret = jd;
	return 0;
}

void jitdump__free(struct jitdump *jd)
{
	if (!jd)
		return;
	done(jd);
	mem_free(jd);
}

/* Adds a function with its rows. -ENOMEM or 0. */
static int add_code(struct jitdump *jd, u64 addr, u64 sz, const char *name, u64 number,
		    struct rows rows)
{
	struct rows *copy;
	u32 id;
	int r = code_log__add(&jd->log, addr, sz, name, strlen(name), &id);

	if (r == -ENOSPC)
		jd->log.dropped++;
	if (r)
		return r == -ENOMEM ? r : 0;
	copy = vec__push(&jd->of_entry);
	if (!copy)
		return -ENOMEM;
	*copy = rows;
	return map64__set(&jd->by_number, number, id);
}

static int add_load(struct jitdump *jd, struct view *rec)
{
	char name[NAME_MAX_SZ];
	struct view text;
	u64 addr, sz, number;
	struct rows rows = { 0 };

	view__u64(rec); /* pid, tid */
	view__u64(rec); /* vma */
	addr = view__u64(rec);
	sz = view__u64(rec);
	number = view__u64(rec);
	if (rec->bad)
		return 0;
	text = *rec;
	view__copy(&text, name, sizeof(name));
	if (jd->debug_addr == addr)
		rows = jd->debug;
	jd->debug = (struct rows){ 0 };
	jd->debug_addr = 0;
	return add_code(jd, addr, sz, name, number, rows);
}

static int add_move(struct jitdump *jd, struct view *rec)
{
	u64 addr, sz, number, id;
	char name[NAME_MAX_SZ];
	struct view text;
	struct rows rows;

	view__u64(rec); /* pid, tid */
	view__u64(rec); /* vma */
	view__u64(rec); /* old address */
	addr = view__u64(rec);
	sz = view__u64(rec);
	number = view__u64(rec);
	if (rec->bad || !map64__get(&jd->by_number, number, &id))
		return 0;
	/* copied: adding a name may move the names */
	text = view__of_str(code_log__name(&jd->log, (u32)id));
	view__copy(&text, name, sizeof(name));
	rows = *(const struct rows *)vec__at(&jd->of_entry, id);
	return add_code(jd, addr, sz, name, number, rows);
}

/* Some versions of V8 write freed memory in place of the name. */
static bool is_text(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++) {
		if ((u8)*s < 0x20 || *s == 0x7f)
			return false;
	}
	return true;
}

/* One row of a debug record; false if it is cut off. */
static bool take_row(struct view *rec, u64 *ret_addr, u32 *ret_line, const char **ret_file)
{
	*ret_addr = view__u64(rec);
	*ret_line = view__u32(rec);
	view__u32(rec); /* column */
	*ret_file = view__cstr(rec);
	return *ret_file;
}

/* Makes the rows of the code at `addr`, which are the last ones, relative to its start. */
static void settle_rows(struct jitdump *jd, bool behind_header)
{
	struct row *rows = jd->rows.data;
	u32 i;

	for (i = 0; behind_header && i < jd->debug.len; i++)
		rows[jd->debug.first + i].off -= ELF_HEADER_SZ;
}

static int add_debug(struct jitdump *jd, struct view *rec)
{
	u64 addr = view__u64(rec), count = view__u64(rec), row_addr;
	bool behind_header = true;
	const char *file;
	u32 line, file_id = 0;

	jd->debug_addr = addr;
	jd->debug = (struct rows){ .first = (u32)jd->rows.len };
	for (; count && take_row(rec, &row_addr, &line, &file); count--) {
		struct row *row;

		if (row_addr < addr || row_addr - addr > UINT32_MAX || jd->rows.len >= ROWS_MAX ||
		    jd->log.names.bytes.len >= CODE_LOG_NAMES_MAX_SZ)
			continue;
		if (strcmp(file, SAME_FILE) != 0 &&
		    strtab__add(&jd->log.names, is_text(file) ? file : "", &file_id))
			return -ENOMEM;
		row = vec__push(&jd->rows);
		if (!row)
			return -ENOMEM;
		*row = (struct row){ (u32)(row_addr - addr), line, file_id };
		behind_header = behind_header && row->off >= ELF_HEADER_SZ;
		jd->debug.len++;
	}
	settle_rows(jd, behind_header);
	return 0;
}

static int add_record(struct jitdump *jd, u32 kind, struct view *rec)
{
	switch (kind) {
	case RECORD_LOAD:
		return add_load(jd, rec);
	case RECORD_MOVE:
		return add_move(jd, rec);
	case RECORD_DEBUG:
		return add_debug(jd, rec);
	default:
		/* unwinding information, the end, and what later versions add */
		return 0;
	}
}

/* Bytes of the header, 0 if it is incomplete. */
static s64 take_header(struct jitdump *jd, struct view bytes)
{
	u32 magic, version, sz;

	if (view__left(&bytes) < HEADER_SZ)
		return 0;
	magic = view__u32(&bytes);
	version = view__u32(&bytes);
	sz = view__u32(&bytes);
	if (magic != MAGIC || !version || sz < HEADER_SZ || sz > HEADER_MAX_SZ)
		return -EINVAL;
	jd->begun = true;
	return sz;
}

/* Bytes of one record, 0 if too little of it is available. */
static s64 take_record(struct jitdump *jd, struct view bytes, bool may_be_cut)
{
	u32 kind = view__u32(&bytes), sz = view__u32(&bytes);
	struct view rec;
	size_t here;
	int r;

	view__u64(&bytes); /* time */
	if (bytes.bad)
		return 0;
	if (sz < RECORD_HEAD_SZ)
		return -EINVAL;
	here = view__left(&bytes);
	/* a load record is usable without its code, which may be larger than any window */
	if (here < sz - RECORD_HEAD_SZ && !may_be_cut)
		return 0;
	rec = view__of(bytes.p, here < sz - RECORD_HEAD_SZ ? here : sz - RECORD_HEAD_SZ);
	r = add_record(jd, kind, &rec);
	return r ? r : (s64)sz;
}

/* Takes complete records; if one record fills the window, takes the part that is there. */
static s64 take_records(void *arg, struct view bytes)
{
	struct jitdump *jd = arg;
	u64 done_sz = 0, len = view__left(&bytes);

	while (done_sz < len) {
		struct view rest = view__of(bytes.p + done_sz, len - done_sz);
		bool fills = !done_sz && len == GROWING_WINDOW_SZ;
		s64 sz = jd->begun ? take_record(jd, rest, fills) : take_header(jd, rest);

		/* records before the damage are done and must not be read again */
		if (sz < 0 && !(sz == -EINVAL && done_sz))
			return sz;
		if (sz <= 0)
			break;
		done_sz += (u64)sz;
	}
	return (s64)done_sz;
}

static int finish(struct jitdump *jd, int r, struct err *err)
{
	if (r < 0 && r != -ENOMEM)
		err__set(err, r, "a jitdump: %s",
			 r == -EINVAL ? "it is damaged, or not a jitdump" : err_str(r));
	/* records before the damage are still usable */
	if (r == -ENOMEM || code_log__settle(&jd->log))
		return err__nomem(err);
	return r;
}

int jitdump__add(struct jitdump *jd, struct view bytes, struct err *err)
{
	s64 n = take_records(jd, bytes);

	return finish(jd, n < 0 ? (int)n : 0, err);
}

int jitdump__update(struct jitdump *jd, int fd, struct err *err)
{
	int r = 0;

	if (growing__is_another(&jd->file, fd)) {
		done(jd);
		r = init(jd);
	}
	if (!r)
		r = growing__read(&jd->file, fd, take_records, jd);
	return finish(jd, r, err);
}

bool jitdump__find(const struct jitdump *jd, u64 addr, const char **ret_name, u64 *ret_start)
{
	u32 id;

	if (!code_log__find(&jd->log, addr, &id))
		return false;
	*ret_name = code_log__name(&jd->log, id);
	*ret_start = code_log__entry(&jd->log, id)->start;
	return true;
}

bool jitdump__line(const struct jitdump *jd, u64 addr, const char **ret_file, u32 *ret_line)
{
	const struct row *best = NULL;
	const struct rows *rows;
	u64 off;
	u32 id, i;

	if (!code_log__find(&jd->log, addr, &id))
		return false;
	rows = vec__at(&jd->of_entry, id);
	off = addr - code_log__entry(&jd->log, id)->start;
	for (i = 0; i < rows->len; i++) {
		const struct row *row = vec__at(&jd->rows, rows->first + i);

		if (row->off <= off && (!best || row->off >= best->off))
			best = row;
	}
	if (!best || !best->file)
		return false;
	*ret_file = strtab__get(&jd->log.names, best->file);
	*ret_line = best->line;
	return true;
}

size_t jitdump__len(const struct jitdump *jd)
{
	return jd->log.entries.len;
}

u64 jitdump__dropped(const struct jitdump *jd)
{
	return jd->log.dropped;
}
