/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording contains its numbers twice, in blocks and in query tables. Both are compared with
 * their checksums. Then each window is recorded again, in memory, and its rows must be the same.
 * This finds faults of the writer, for which all checksums are correct.
 */
#include "recording/check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "profile/profile.h"
#include "recording/reader_priv.h"
#include "recording/rows.h"

/* Number of faults of one kind that SQLite lists before it stops. */
#define LISTED_FAULTS 20

struct checking {
	struct recording *rec;
	recording_fault_fn *fault;
	void *ctx;
	struct recording_checked *sum;
	s64 minor; /* version of the file; 0 if it is unreadable */
	s64 lean; /* it has only sums for queries */
	u64 rows[SEALED_CNT]; /* of all windows */
};

static void __attribute__((format(printf, 2, 3))) tell(struct checking *c, const char *fmt, ...)
{
	char text[640];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	c->fault(c->ctx, text);
	c->sum->faults++;
}

static void check_trees(struct checking *c)
{
	sqlite3_stmt *stmt;
	struct err err = { 0 };
	const char *line;
	char sql[64];
	int r;

	snprintf(sql, sizeof(sql), "PRAGMA integrity_check(%d)", LISTED_FAULTS);
	r = database__prepare(&c->rec->d, sql, &stmt, &err);
	while (!r && (r = database__step(&c->rec->d, stmt, &err)) > 0) {
		line = (const char *)sqlite3_column_text(stmt, 0);
		if (!line || strcmp(line, "ok") != 0)
			tell(c, "SQLite: %s", line ? line : "no answer");
		r = 0;
	}
	if (r)
		tell(c, "%s", err.msg);
	sqlite3_finalize(stmt);
}

static void check_number(struct checking *c, const char *what, const char *sql, u64 want)
{
	struct err err = { 0 };
	s64 seen;

	if (database__number(&c->rec->d, sql, &seen, &err))
		tell(c, "%s", err.msg);
	else if ((u64)seen != want)
		tell(c, "%s: %lld where %llu should be", what, seen, want);
}

static void check_header(struct checking *c)
{
	check_number(c, "application id of the file", "PRAGMA application_id",
		     SCHEMA_APPLICATION_ID);
	check_number(c, "format of the file", "PRAGMA user_version", SCHEMA_FORMAT);
	/* its id, window and kind are redundant */
	check_number(c, "blocks of an unknown window or kind",
		     "SELECT count(*) FROM blocks WHERE window <> id / 8 OR"
		     " kind IS NOT CASE id % 8 WHEN 0 THEN 'head' WHEN 1 THEN 'tasks'"
		     " WHEN 2 THEN 'code' WHEN 3 THEN 'waits' END",
		     0);
	check_number(c, "blocks", "SELECT count(*) FROM blocks",
		     recording__windows_len(c->rec) * BLOCK_KIND_CNT);
}

/* Whether the file is new enough to have this table. */
static bool has_table(const struct checking *c, enum sealed_table table)
{
	return c->minor >= sealed_table_minor(table);
}

static void check_seals(struct checking *c, size_t idx)
{
	const struct window_head *head = recording__head(c->rec, idx);
	u32 window = recording__window(c->rec, idx)->id, table;
	struct err err = { 0 };
	struct seal seen;

	for (table = 0; table < SEALED_CNT; table++) {
		const struct seal *seal = &head->tables[table];

		if (!seal->is_set && !has_table(c, table))
			continue;
		if (!seal->is_set)
			tell(c, "window %u: it does not seal the table %s", window,
			     sealed_table_name(table));
		else if (rows_seal(&c->rec->d, window, table, &seen, &err))
			tell(c, "window %u: the table %s: %s", window, sealed_table_name(table),
			     err.msg);
		else if (seen.crc != seal->crc || seen.rows != seal->rows)
			tell(c, "window %u: the table %s fails its checksum (%u rows of %u)",
			     window, sealed_table_name(table), seen.rows, seal->rows);
		c->rows[table] += seal->rows;
	}
}

static void check_waits(struct checking *c, u32 window)
{
	char what[64], sql[512];

	snprintf(what, sizeof(what), "window %u: causes that differ from their waits", window);
	snprintf(sql, sizeof(sql),
		 "SELECT count(*) FROM"
		 " (SELECT cause, sum(waits), sum(blocked_ns), sum(runq_ns), max(max_ns) FROM"
		 " (SELECT cause, waits, blocked_ns, runq_ns, max_ns, 1 AS of FROM causes"
		 " WHERE window = %u UNION ALL"
		 " SELECT cause, -sum(count), -sum(blocked_ns), -sum(runq_ns), max(max_ns), -1"
		 " FROM waits WHERE window = %u GROUP BY cause)"
		 " GROUP BY cause HAVING sum(of) <> 0 OR sum(waits) <> 0 OR sum(blocked_ns) <> 0"
		 " OR sum(runq_ns) <> 0 OR min(max_ns) <> max(max_ns))",
		 window, window);
	check_number(c, what, sql, 0);
}

/* Causes cannot be recomputed here, but both tables that have them must add up to the list. */
static void check_causes(struct checking *c, size_t idx)
{
	const struct window_head *head = recording__head(c->rec, idx);
	u32 window = recording__window(c->rec, idx)->id;
	char what[64], sql[128];

	snprintf(what, sizeof(what), "window %u: waits of all causes", window);
	snprintf(sql, sizeof(sql), "SELECT coalesce(sum(waits), 0) FROM causes WHERE window = %u",
		 window);
	check_number(c, what, sql, head->listed_waits);
	snprintf(what, sizeof(what), "window %u: ns of all causes", window);
	snprintf(sql, sizeof(sql), "SELECT sum(blocked_ns + runq_ns) FROM causes WHERE window = %u",
		 window);
	check_number(c, what, sql, head->listed_blocked_ns + head->listed_runq_ns);
	if (has_table(c, SEALED_WAITS) && !c->lean)
		check_waits(c, window);
}

/* Whether queries on the file return the same as on `d`, which was built from its blocks. */
static int compare_answers(struct checking *c, struct database *d, u32 window, const char *table,
			   const char *sql, struct err *err)
{
	struct seal seen, made;
	int r = rows_sum(d, window, sql, &made, err);

	/* an unreadable table is reported elsewhere */
	if (!r && !rows_sum(&c->rec->d, window, sql, &seen, NULL) &&
	    (made.crc != seen.crc || made.rows != seen.rows))
		tell(c, "window %u: the table %s does not say what its blocks say", window, table);
	return r;
}

/*
 * All columns of waits except causes and classes, which are not in the blocks. NULL is 0 here:
 * before coldspot knew better, counts of visited waits were 0.
 */
static const char unlabelled_waits[] =
	"SELECT task, object, owner, owner_tid, coalesce(sum(count), 0), sum(blocked_ns),"
	" sum(runq_ns), coalesce(max(max_ns), 0) FROM waits WHERE window = ?1"
	" GROUP BY task, object, owner, owner_tid ORDER BY task, object, owner, owner_tid";

static const char unlabelled_places[] =
	"SELECT task, stack, coalesce(sum(count), 0), sum(ns) FROM place_waits WHERE window = ?1"
	" GROUP BY task, stack ORDER BY task, stack";

/* The same rows from the profile as read. */
static int record_again(struct checking *c, size_t idx, const struct profile *p, struct err *err)
{
	static const enum sealed_table again[] = { SEALED_WINDOWS,     SEALED_TASKS,
						   SEALED_OBJECTS,     SEALED_ON_CPU,
						   SEALED_HISTOGRAMS,  SEALED_WAKES,
						   SEALED_STACK_NODES, SEALED_STACK_FRAMES,
						   SEALED_IMPORTS };
	u32 window = recording__window(c->rec, idx)->id;
	struct window_head head;
	struct database d;
	int r = database__create(&d, NULL, err);
	size_t i;

	window_head__of(&head, p);
	if (!r)
		r = c->lean ? rows_insert_sums(&d, window, p, &head, err) :
			      rows_insert(&d, window, p, &head, err);
	if (!r && !c->lean)
		r = rows_insert_waits(&d, window, p, NULL, "", err);
	if (!r && !c->lean)
		r = rows_insert_places(&d, window, p, NULL, "", err);
	for (i = 0; i < ARRAY_LEN(again) && !r; i++) {
		if (has_table(c, again[i]))
			r = compare_answers(c, &d, window, sealed_table_name(again[i]),
					    sealed_table_rows_of(again[i], (u32)c->minor), err);
	}
	if (!r && has_table(c, SEALED_WAITS))
		r = compare_answers(c, &d, window, "waits", unlabelled_waits, err);
	if (!r && has_table(c, SEALED_PLACE_WAITS))
		r = compare_answers(c, &d, window, "place_waits", unlabelled_places, err);
	database__close(&d);
	return r;
}

static int check_window(struct checking *c, size_t idx, struct err *err)
{
	struct profile_budget sum;
	struct profile *p;
	struct err why = { 0 };
	int r = recording__read(c->rec, idx, &p, &why);

	if (r == -ENOMEM || r == -EOPNOTSUPP)
		return err__set(err, r, "%s", why.msg);
	if (r)
		return 0; /* its loss is already reported as damage */
	r = profile__budget(p, &sum) ? err__nomem(err) : 0;
	c->sum->threads += sum.threads;
	c->sum->waits += p->waits_len - 1;
	c->sum->stacks += p->stacks_len - 1;
	/* rows of a newer version have columns that this version does not know */
	if (!r && !c->rec->is_bare && c->minor <= SCHEMA_MINOR)
		r = record_again(c, idx, p, err);
	profile__free(p);
	return r;
}

static void check_tables(struct checking *c)
{
	char what[64];
	u32 table;
	size_t i;

	for (i = 0; i < recording__windows_len(c->rec); i++) {
		check_seals(c, i);
		check_causes(c, i);
	}
	for (table = 0; table < SEALED_CNT; table++) {
		const char *sql = sealed_table_count(table);

		snprintf(what, sizeof(what), "rows of the table %s", sealed_table_name(table));
		if (sql && has_table(c, table))
			check_number(c, what, sql, c->rows[table]);
	}
}

int recording_check(const char *path, recording_fault_fn *fault, void *ctx,
		    struct recording_checked *ret, struct err *err)
{
	struct checking c = { .fault = fault, .ctx = ctx, .sum = ret };
	const char *line;
	int r;
	size_t i;

	*ret = (struct recording_checked){ 0 };
	r = recording__open(path, &c.rec, err);
	if (r)
		return r;
	database__number(&c.rec->d, "SELECT value FROM recording WHERE key = 'minor'", &c.minor,
			 NULL);
	database__number(&c.rec->d,
			 "SELECT count(*) FROM recording WHERE key = 'rows' AND value = 'sums'",
			 &c.lean, NULL);
	ret->windows = recording__windows_len(c.rec);
	for (i = 0; i < ret->windows && !r; i++)
		r = check_window(&c, i, err);
	for (i = 0; (line = recording__damage(c.rec, i)); i++)
		tell(&c, "%s", line);
	if (!r && !c.rec->is_bare) {
		check_trees(&c);
		check_header(&c);
		check_tables(&c);
	}
	recording__close(c.rec);
	return r;
}
