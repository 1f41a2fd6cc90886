/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window is one transaction. Its blocks come first, the most important ones least likely to be
 * truncated: threads, then code, then waits, then the rows for queries. The head is written last,
 * because it seals everything else, but is still at the beginning of the file, because it is small
 * enough to be stored in the tree itself.
 */
#include "recording/writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "recording/code_chain.h"
#include "recording/database.h"
#include "recording/rows.h"
#include "recording/schema.h"
#include "recording/window.h"

struct recorder {
	struct database d;
	u32 windows; /* written */
	bool lean; /* only sums for queries */
	struct code_chain chain; /* used if it is lean */
};

/* A window being written. */
struct adding {
	struct recorder *rec;
	u32 window;
	const struct recording_cause *causes;
	size_t causes_len;
	const struct recording_label *labels;
	struct window_head head;
	struct vec sections[BLOCK_KIND_CNT]; /* u8 */
	struct vec stored[BLOCK_KIND_CNT]; /* u8 */
};

static int create(const char *path, struct recorder **ret, struct err *err)
{
	struct recorder *rec = mem_alloc(sizeof(*rec));
	int r;

	if (!rec)
		return err__nomem(err);
	r = database__create(&rec->d, path, err);
	if (r)
		recorder__free(rec);
	else
		*ret = rec;
	return r;
}

int recorder__create(const char *path, struct recorder **ret, struct err *err)
{
	return create(path, ret, err);
}

int recorder__create_in_memory(struct recorder **ret, struct err *err)
{
	return create(NULL, ret, err);
}

int recorder__create_lean(const char *path, struct recorder **ret, struct err *err)
{
	int r = create(path, ret, err);

	if (r)
		return r;
	(*ret)->lean = true;
	r = database__exec(&(*ret)->d, "INSERT INTO recording VALUES('rows', 'sums')", err);
	if (r) {
		recorder__free(*ret);
		*ret = NULL;
	}
	return r;
}

/* Whether the tables are those that this version writes. */
static int check_schema(struct recorder *rec, struct err *err)
{
	struct database fresh;
	struct seal want, seen;
	int r = database__create(&fresh, NULL, err);

	if (!r)
		r = rows_seal(&fresh, 0, SEALED_SCHEMA, &want, err);
	if (!r)
		r = rows_seal(&rec->d, 0, SEALED_SCHEMA, &seen, err);
	database__close(&fresh);
	if (r || (want.crc == seen.crc && want.rows == seen.rows))
		return r;
	return err__set(err, -EOPNOTSUPP, "'%s' has the tables of another version", rec->d.path);
}

/* A number in the file that must be `want`. */
static int check_number(struct recorder *rec, const char *sql, s64 want, struct err *err)
{
	s64 seen;
	int r = database__number(&rec->d, sql, &seen, err);

	if (r || seen == want)
		return r;
	return err__set(err, -EBADMSG, "'%s' is no recording of coldspot, or is damaged",
			rec->d.path);
}

/* What is added must be what the file says of itself. */
static int check_minor(struct recorder *rec, struct err *err)
{
	s64 minor;
	int r = database__number(&rec->d, "SELECT value FROM recording WHERE key = 'minor'", &minor,
				 err);

	if (r || minor == SCHEMA_MINOR)
		return r;
	return err__set(err, -EOPNOTSUPP,
			"'%s' has minor version %lld of the format, not %d: begin a new file",
			rec->d.path, minor, SCHEMA_MINOR);
}

static int find_last(struct recorder *rec, struct err *err)
{
	s64 last = 0, lean = 0;
	int r = check_number(rec, "PRAGMA application_id", SCHEMA_APPLICATION_ID, err);

	if (!r)
		r = check_number(rec, "PRAGMA user_version", SCHEMA_FORMAT, err);
	if (!r)
		r = check_minor(rec, err);
	if (!r)
		r = check_schema(rec, err);
	if (!r)
		r = database__number(&rec->d, "SELECT max(id) FROM windows", &last, err);
	if (!r)
		r = check_number(rec, "SELECT max(id) FROM blocks",
				 last ? last * SCHEMA_BLOCK_IDS + BLOCK_WAITS : 0, err);
	if (!r)
		r = database__number(&rec->d,
				     "SELECT count(*) FROM recording WHERE key = 'rows'"
				     " AND value = 'sums'",
				     &lean, err);
	if (!r && (last < 0 || last > SCHEMA_WINDOW_MAX))
		r = err__set(err, -EBADMSG, "'%s' is damaged: its last window is %lld", rec->d.path,
			     (long long)last);
	rec->windows = (u32)last;
	rec->lean = lean;
	return r;
}

int recorder__continue(const char *path, struct recorder **ret, struct err *err)
{
	struct recorder *rec;
	int r;

	if (access(path, F_OK))
		return err__set(err, -errno, "cannot open '%s': %s", path, err_str(errno));
	rec = mem_alloc(sizeof(*rec));
	if (!rec)
		return err__nomem(err);
	r = database__reopen(&rec->d, path, err);
	if (!r)
		r = find_last(rec, err);
	if (r)
		recorder__free(rec);
	else
		*ret = rec;
	return r;
}

struct database *recorder__database(struct recorder *rec)
{
	return &rec->d;
}

u32 recorder__windows(const struct recorder *rec)
{
	return rec->windows;
}

void recorder__free(struct recorder *rec)
{
	if (!rec)
		return;
	database__close(&rec->d);
	code_chain__end(&rec->chain);
	mem_free(rec);
}

static struct view view_of(const struct vec *bytes)
{
	return view__of(bytes->data, bytes->len);
}

static int seal_block(struct adding *a, enum block_kind kind)
{
	const struct block b = { .kind = kind, .window = a->window, .is_kept = a->rec->lean };

	return block_seal(&b, view_of(&a->sections[kind]), &a->stored[kind]);
}

/* Windows of a store share their code; those of other recordings can be read one by one. */
static int make_code(struct adding *a, const struct profile *p)
{
	if (!a->rec->lean)
		return encode_code(p, &a->sections[BLOCK_CODE]);
	return code_chain__encode(&a->rec->chain, p, a->window, &a->sections[BLOCK_CODE]);
}

static int make_blocks(struct adding *a, const struct profile *p, struct err *err)
{
	int r = encode_tasks(p, &a->sections[BLOCK_TASKS]);
	u32 kind;

	if (!r)
		r = make_code(a, p);
	if (!r)
		r = encode_waits(p, &a->sections[BLOCK_WAITS]);
	for (kind = BLOCK_TASKS; kind < BLOCK_KIND_CNT && !r; kind++)
		r = seal_block(a, kind);
	if (r == -EFBIG)
		return err__set(err, r, "the window is too large for a recording");
	if (r)
		return err__nomem(err);
	for (kind = BLOCK_TASKS; kind < BLOCK_KIND_CNT; kind++)
		a->head.blocks[kind] = block_seal_of(view_of(&a->stored[kind]));
	return 0;
}

static int insert_block(struct adding *a, enum block_kind kind, struct err *err)
{
	struct database *d = &a->rec->d;
	const struct vec *bytes = &a->stored[kind];
	sqlite3_stmt *stmt;
	int r = database__prepare(d, "INSERT INTO blocks VALUES(?1, ?2, ?3, ?4)", &stmt, err);

	if (r)
		return r;
	sqlite3_bind_int64(stmt, 1, (s64)a->window * SCHEMA_BLOCK_IDS + kind);
	sqlite3_bind_int64(stmt, 2, a->window);
	sqlite3_bind_text(stmt, 3, block_kind_name(kind), -1, SQLITE_STATIC);
	sqlite3_bind_blob64(stmt, 4, bytes->data, bytes->len, SQLITE_STATIC);
	r = database__step(d, stmt, err);
	sqlite3_finalize(stmt);
	return r;
}

static int insert_head(struct adding *a, struct err *err)
{
	u32 table;
	int r = 0;

	for (table = 0; table < SEALED_CNT && !r; table++)
		r = rows_seal(&a->rec->d, a->window, table, &a->head.tables[table], err);
	if (r)
		return r;
	r = encode_head(&a->head, &a->sections[BLOCK_HEAD]);
	if (!r)
		r = seal_block(a, BLOCK_HEAD);
	return r ? err__nomem(err) : insert_block(a, BLOCK_HEAD, err);
}

static int insert_rows(struct adding *a, const struct profile *p, struct err *err)
{
	const char *cause = a->causes_len ? a->causes->name : "";
	struct database *d = &a->rec->d;
	bool lean = a->rec->lean;
	int r = lean ? rows_insert_sums(d, a->window, p, &a->head, err) :
		       rows_insert(d, a->window, p, &a->head, err);

	if (!r)
		r = rows_insert_causes(d, a->window, p, a->causes, a->causes_len, err);
	if (!r && !lean)
		r = rows_insert_waits(d, a->window, p, a->labels, cause, err);
	if (!r && !lean)
		r = rows_insert_places(d, a->window, p, a->labels, cause, err);
	return r;
}

static int insert(struct adding *a, const struct profile *p, struct err *err)
{
	struct database *d = &a->rec->d;
	int r = database__exec(d, "BEGIN IMMEDIATE", err);
	u32 kind;

	if (r)
		return r;
	for (kind = BLOCK_TASKS; kind < BLOCK_KIND_CNT && !r; kind++)
		r = insert_block(a, kind, err);
	if (!r)
		r = insert_rows(a, p, err);
	if (!r)
		r = insert_head(a, err);
	if (!r)
		r = database__exec(d, "COMMIT", err);
	if (r)
		database__exec(d, "ROLLBACK", NULL);
	return r;
}

static int check_causes(const struct window_head *head, const struct recording_cause *causes,
			size_t len, struct err *err)
{
	u64 waits = 0, blocked_ns = 0, runq_ns = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		waits += causes[i].waits;
		blocked_ns += causes[i].blocked_ns;
		runq_ns += causes[i].runq_ns;
	}
	if (waits == head->listed_waits && blocked_ns == head->listed_blocked_ns &&
	    runq_ns == head->listed_runq_ns)
		return 0;
	return err__set(err, -EINVAL, "the causes of the window do not add up to its waits");
}

int recorder__add(struct recorder *rec, const struct profile *p,
		  const struct recording_cause *causes, size_t causes_len,
		  const struct recording_label *labels, struct err *err)
{
	struct adding a = {
		.rec = rec,
		.window = rec->windows + 1,
		.causes = causes,
		.causes_len = causes_len,
		.labels = labels,
	};
	int r = profile__check(p, err);
	u32 i;

	if (r)
		return err__wrap(err, r, "a window that is not sound is not recorded");
	if (rec->windows >= SCHEMA_WINDOW_MAX)
		return err__set(err, -EFBIG, "'%s' has as many windows as it can hold",
				rec->d.path);
	for (i = 0; i < BLOCK_KIND_CNT; i++) {
		vec__init(&a.sections[i], 1);
		vec__init(&a.stored[i], 1);
	}
	window_head__of(&a.head, p);
	r = check_causes(&a.head, causes, causes_len, err);
	if (!r)
		r = make_blocks(&a, p, err);
	if (!r)
		r = insert(&a, p, err);
	if (r) {
		code_chain__end(&rec->chain);
	} else {
		code_chain__took(&rec->chain, a.head.blocks[BLOCK_CODE].crc);
		rec->windows++;
	}
	for (i = 0; i < BLOCK_KIND_CNT; i++) {
		vec__done(&a.sections[i]);
		vec__done(&a.stored[i]);
	}
	return r;
}

int recorder__finish(struct recorder *rec, struct err *err)
{
	struct database *d = &rec->d;
	sqlite3_stmt *stmt;
	int r = database__prepare(d, "PRAGMA journal_mode = DELETE", &stmt, err);

	if (!r)
		r = database__step(d, stmt, err);
	if (r > 0 && strcmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0)
		r = err__set(err, -EBUSY, "'%s' is being read: its '-wal' must stay beside it",
			     d->path);
	sqlite3_finalize(stmt);
	database__close(d);
	return r < 0 ? r : 0;
}

int recorder__write(struct recorder *rec, struct sink *out, struct err *err)
{
	sqlite3_int64 sz = 0;
	unsigned char *bytes = sqlite3_serialize(rec->d.db, "main", &sz, 0);

	if (!bytes)
		return err__nomem(err);
	sink__put(out, bytes, (size_t)sz);
	sqlite3_free(bytes);
	return 0;
}
