/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the file is opened, for writing, for reading, and for recovery.
 *
 * Writing uses a write-ahead log, so that a commit is one append and the file itself is never half
 * written. When it is finished, the log is merged into the file, which then says that it has none.
 *
 * SQLite refuses a file whose first page is damaged, or that is shorter than this page says. But
 * the only two tables that matter begin at pages 2 and 3 in every recording. So the file is mapped
 * privately, and its first page is replaced by that of an empty recording.
 */
#include "recording/database.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "recording/schema.h"

/* Milliseconds that a reader waits for the moment in which a writer takes in its log. */
#define BUSY_MS 2000
/* In the header of a database file, big endian. */
#define AT_PAGES 28

static int errno_of(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_TOOBIG:
		return -EFBIG;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
	case SQLITE_CANTOPEN:
		return -EACCES;
	case SQLITE_IOERR:
	case SQLITE_PROTOCOL:
		return -EIO;
	default: /* also a table that is not there */
		return -EBADMSG;
	}
}

int database__fail(const struct database *d, struct err *err)
{
	int r = d->db ? errno_of(sqlite3_extended_errcode(d->db)) : -ENOMEM;

	if (r == -ENOMEM)
		return err__nomem(err);
	return err__set(err, r, "'%s': %s", d->path, sqlite3_errmsg(d->db));
}

int database__exec(struct database *d, const char *sql, struct err *err)
{
	return sqlite3_exec(d->db, sql, NULL, NULL, NULL) ? database__fail(d, err) : 0;
}

int database__prepare(struct database *d, const char *sql, sqlite3_stmt **ret_stmt, struct err *err)
{
	*ret_stmt = NULL;
	if (sqlite3_prepare_v2(d->db, sql, -1, ret_stmt, NULL))
		return database__fail(d, err);
	return 0;
}

int database__step(struct database *d, sqlite3_stmt *stmt, struct err *err)
{
	int code = sqlite3_step(stmt);

	if (code == SQLITE_ROW)
		return 1;
	return code == SQLITE_DONE ? 0 : database__fail(d, err);
}

int database__number(struct database *d, const char *sql, s64 *ret, struct err *err)
{
	sqlite3_stmt *stmt;
	int r = database__prepare(d, sql, &stmt, err);

	*ret = 0;
	if (!r)
		r = database__step(d, stmt, err);
	if (r > 0)
		*ret = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

int database__block(struct database *d, u32 window, enum block_kind kind, u8 **ret_data,
		    size_t *ret_sz)
{
	sqlite3_stmt *stmt;
	int r = database__prepare(d, "SELECT data FROM blocks WHERE id = ?1", &stmt, NULL);
	const void *blob;

	*ret_data = NULL;
	*ret_sz = 0;
	if (!r) {
		sqlite3_bind_int64(stmt, 1, (s64)window * SCHEMA_BLOCK_IDS + kind);
		r = database__step(d, stmt, NULL);
	}
	if (r > 0) {
		blob = sqlite3_column_blob(stmt, 0);
		*ret_sz = (size_t)sqlite3_column_bytes(stmt, 0);
		/* one more, because zero bytes are no allocation */
		*ret_data = blob || !*ret_sz ? mem_alloc(*ret_sz + 1) : NULL;
		if (!*ret_data)
			r = -ENOMEM;
		else if (*ret_sz)
			memcpy(*ret_data, blob, *ret_sz);
	}
	sqlite3_finalize(stmt);
	return r;
}

static int write_ahead(struct database *d, struct err *err)
{
	return database__exec(d, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", err);
}

static int set_up(struct database *d, bool file, struct err *err)
{
	char header[128];
	int r;

	snprintf(header, sizeof(header),
		 "PRAGMA page_size = %d; PRAGMA application_id = %d; PRAGMA user_version = %d",
		 SCHEMA_PAGE_SZ, SCHEMA_APPLICATION_ID, SCHEMA_FORMAT);
	r = database__exec(d, header, err);
	if (!r && file)
		r = write_ahead(d, err);
	if (!r)
		r = database__exec(d, "BEGIN", err);
	if (!r)
		r = database__exec(d, schema_first, err);
	return r;
}

int database__create(struct database *d, const char *path, struct err *err)
{
	int fd, r;

	*d = (struct database){ .path = path ? path : "recording" };
	if (path) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno == EEXIST)
			return err__set(err, -errno, "'%s' exists: name a new file, or remove it",
					path);
		if (fd < 0)
			return err__set(err, -errno, "cannot make '%s': %s", path, err_str(errno));
		close(fd);
	}
	if (sqlite3_open_v2(path ? path : ":memory:", &d->db, SQLITE_OPEN_READWRITE, NULL))
		return database__fail(d, err);
	r = set_up(d, path, err);
	if (!r)
		r = database__exec(d, schema_rest, err);
	return r ? r : database__exec(d, "COMMIT", err);
}

int database__reopen(struct database *d, const char *path, struct err *err)
{
	*d = (struct database){ .path = path };
	if (sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READWRITE, NULL))
		return database__fail(d, err);
	sqlite3_busy_timeout(d->db, BUSY_MS);
	return write_ahead(d, err);
}

/* Restricts what a hostile file can make us do. */
static void guard(struct database *d)
{
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(d->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_exec(d->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
}

int database__open(struct database *d, const char *path, struct err *err)
{
	*d = (struct database){ .path = path };
	if (sqlite3_open_v2(path, &d->db, SQLITE_OPEN_READONLY, NULL))
		return database__fail(d, err);
	sqlite3_busy_timeout(d->db, BUSY_MS);
	guard(d);
	return 0;
}

/* The first page of an empty recording; freed with sqlite3_free(). */
static unsigned char *empty_page(struct err *err)
{
	struct database d = { .path = "recording" };
	unsigned char *page = NULL;
	sqlite3_int64 sz;

	if (sqlite3_open_v2(":memory:", &d.db, SQLITE_OPEN_READWRITE, NULL))
		database__fail(&d, err);
	else if (!set_up(&d, false, err) && !database__exec(&d, "COMMIT", err))
		page = sqlite3_serialize(d.db, "main", &sz, 0);
	database__close(&d);
	return page;
}

static int map(struct database *d, struct err *err)
{
	int fd = open(d->path, O_RDONLY | O_CLOEXEC), r = 0;
	struct stat st;
	void *p;

	if (fd < 0)
		return err__set(err, -errno, "cannot read '%s': %s", d->path, err_str(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size <= SCHEMA_PAGE_SZ) {
		close(fd);
		return err__set(err, -EBADMSG, "'%s' is cut off before its first window", d->path);
	}
	p = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		r = err__set(err, -errno, "cannot read '%s': %s", d->path, err_str(errno));
	} else {
		d->map = p;
		d->map_sz = (size_t)st.st_size;
	}
	close(fd);
	return r;
}

/* A partial last page is padded with zeros, as in mappings. */
static size_t replace_first(struct database *d, const unsigned char *page)
{
	size_t pages = (d->map_sz + SCHEMA_PAGE_SZ - 1) / SCHEMA_PAGE_SZ;
	unsigned char *to = d->map;
	u32 i;

	memcpy(to, page, SCHEMA_PAGE_SZ);
	for (i = 0; i < 4; i++)
		to[AT_PAGES + i] = (unsigned char)(pages >> (24 - 8 * i));
	return pages * SCHEMA_PAGE_SZ;
}

int database__open_bare(struct database *d, const char *path, struct err *err)
{
	unsigned char *page;
	size_t sz;
	int r;

	*d = (struct database){ .path = path };
	r = map(d, err);
	if (r)
		return r;
	page = empty_page(err);
	if (!page)
		return -ENOMEM;
	sz = replace_first(d, page);
	sqlite3_free(page);
	if (sqlite3_open_v2(":memory:", &d->db, SQLITE_OPEN_READWRITE, NULL))
		return database__fail(d, err);
	guard(d);
	if (sqlite3_deserialize(d->db, "main", d->map, (s64)sz, (s64)sz,
				SQLITE_DESERIALIZE_READONLY))
		return database__fail(d, err);
	return 0;
}

void database__close(struct database *d)
{
	sqlite3_close(d->db);
	d->db = NULL;
	if (d->map)
		munmap(d->map, d->map_sz);
	d->map = NULL;
}
