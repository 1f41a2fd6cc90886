/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows for queries, and their checksums. Checksums are computed from what SQLite returns, not from
 * what was inserted: the same function then serves for checking a file, and for columns that a
 * newer version adds.
 */
#include "recording/rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "recording/block/crc32c.h"
#include "recording/row.h"

#define WINDOW_COLUMNS 32
#define TASK_COLUMNS 31
#define CAUSE_COLUMNS 6
#define LOSS_COLUMNS 5
#define IMPORT_COLUMNS 3

static bool has(const struct profile *p, u32 unknown)
{
	return !(p->hdr.unknown & unknown);
}

static int insert_window(struct database *d, u32 window, const struct profile *p,
			 const struct window_head *head, struct err *err)
{
	const struct profile_header *h = &p->hdr;
	struct profile_budget sum;
	struct row row;
	char begin[64];
	int r;
	u32 i;

	if (profile__budget(p, &sum))
		return err__nomem(err);
	r = row__begin(&row, d, "windows", WINDOW_COLUMNS, "", err);
	if (r)
		return r;
	clock_format_wall(h->begin_wall_ns, begin, sizeof(begin));
	row__u64(&row, window);
	row__text(&row, has(p, UNKNOWN_BEGIN) ? begin : "");
	row__known_all(&row, has(p, UNKNOWN_BEGIN), (u64[]){ h->begin_wall_ns, h->begin_mono_ns },
		       2);
	row__known(&row, has(p, UNKNOWN_WINDOW), h->window_ns);
	for (i = 0; i < HEAD_BOOT; i++)
		row__text(&row, head->strings[i]);
	row__known(&row, has(p, UNKNOWN_MACHINE), h->ncpu);
	row__numbers(&row, (u64[]){ h->period_ns, h->filtered }, 2);
	row__known(&row, has(p, UNKNOWN_PROCESSES | UNKNOWN_NUMBERS), sum.processes);
	row__known(&row, has(p, UNKNOWN_THREADS | UNKNOWN_NUMBERS), sum.threads);
	row__known_all(&row, has(p, UNKNOWN_ON_CPU), (u64[]){ sum.wall_ns, sum.on_ns }, 2);
	row__u64(&row, sum.preempted_ns);
	row__known(&row, has(p, UNKNOWN_RUNQ), sum.runq_ns);
	row__u64(&row, sum.blocked_ns);
	row__known(&row, has(p, UNKNOWN_ON_CPU), sum.unaccounted_ns);
	row__known(&row, has(p, UNKNOWN_COUNTS), head->listed_waits);
	row__numbers(&row, (u64[]){ head->listed_blocked_ns, head->listed_runq_ns }, 2);
	row__known_all(&row, has(p, UNKNOWN_ON_CPU),
		       (u64[]){ sum.switches, sum.preemptions, sum.wakeups, sum.migrations }, 4);
	row__numbers(&row, (u64[]){ h->prog_ns, h->self_cpu_ns }, 2);
	r = row__end(&row, err);
	sqlite3_finalize(row.stmt);
	return r;
}

static void put_task(struct row *row, const struct profile *p, const struct profile_task *t)
{
	bool alone = !t->parts;
	u64 blocked = 0;
	u32 i;

	for (i = 0; i < PROFILE_STATES; i++)
		blocked += t->blocked_ns[i];
	row__known(row, alone && has(p, UNKNOWN_PROCESSES), t->tgid);
	row__known(row, alone && has(p, UNKNOWN_THREADS), t->tid);
	row__text(row, profile__str(p, t->group_comm));
	row__text(row, profile__str(p, t->comm));
	row__numbers(row,
		     (u64[]){ !!(t->flags & TASK_KTHREAD), !!(t->flags & TASK_BORN),
			      !!(t->flags & TASK_EXITED), !!(t->flags & TASK_EXECED) },
		     4);
	row__known(row, alone && has(p, UNKNOWN_BEGIN), t->start_boottime_ns);
	row__u64(row, t->cgroup_id);
	row__known(row, has(p, UNKNOWN_ON_CPU), t->begin_ns);
	row__known_all(row, has(p, UNKNOWN_ON_CPU), (u64[]){ t->wall_ns, t->on_ns }, 2);
	row__u64(row, t->preempted_ns);
	row__known(row, has(p, UNKNOWN_RUNQ), t->runq_ns);
	row__u64(row, blocked);
	/* in the order of "RSDTtXZPI" */
	row__known_all(row, has(p, UNKNOWN_STATES),
		       (u64[]){ t->blocked_ns[1], t->blocked_ns[2], t->blocked_ns[8] }, 3);
	row__known_all(row, has(p, UNKNOWN_ON_CPU),
		       (u64[]){ t->unaccounted_ns, t->switches, t->preemptions, t->wakeups,
				t->migrations },
		       5);
	row__text(row, profile__str(p, t->cgroup));
	row__known(row, !alone && has(p, UNKNOWN_THREADS), t->threads);
	row__known(row, !alone && has(p, UNKNOWN_PROCESSES), t->processes);
	row__text(row, profile__str(p, t->container));
	row__u64(row, t->gap_wait_ns);
}

static int insert_tasks(struct database *d, u32 window, const struct profile *p, struct err *err)
{
	struct row row;
	int r = row__begin(&row, d, "tasks", TASK_COLUMNS, "", err);
	u32 i;

	for (i = 1; i < p->tasks_len && !r; i++) {
		row__numbers(&row, (u64[]){ window, i }, 2);
		put_task(&row, p, &p->tasks[i]);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

static int insert_losses(struct database *d, u32 window, const struct profile *p, struct err *err)
{
	struct row row;
	int r = row__begin(&row, d, "losses", LOSS_COLUMNS, "", err);
	u32 i;

	for (i = 0; i < LOSS_CNT && !r; i++) {
		if (!p->losses[i].events && !p->losses[i].ns)
			continue;
		row__u64(&row, window);
		row__text(&row, loss_name(i));
		row__numbers(&row, (u64[]){ p->losses[i].events, p->losses[i].ns }, 2);
		row__text(&row, loss_sentence(i));
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

/* A row of those that are imported. */
static int insert_import(struct database *d, u32 window, const struct profile *p, struct err *err)
{
	char unknown[256] = "";
	struct row row;
	size_t len = 0;
	u32 i;
	int r;

	if (!p->hdr.source)
		return 0;
	for (i = 0; i < UNKNOWN_BITS; i++) {
		if (p->hdr.unknown >> i & 1)
			len += (size_t)snprintf(unknown + len, sizeof(unknown) - len, "%s%s",
						len ? "," : "",
						unknown_name((enum profile_unknown_bit)i));
	}
	r = row__begin(&row, d, "imports", IMPORT_COLUMNS, "", err);
	if (r)
		return r;
	row__u64(&row, window);
	row__text(&row, profile__str(p, p->hdr.source));
	row__text(&row, unknown);
	r = row__end(&row, err);
	sqlite3_finalize(row.stmt);
	return r;
}

int rows_insert_causes(struct database *d, u32 window, const struct profile *p,
		       const struct recording_cause *causes, size_t len, struct err *err)
{
	struct row row;
	bool counted = !p->hdr.visit_hz; /* visits see time, not waits */
	int r = row__begin(&row, d, "causes", CAUSE_COLUMNS, "", err);
	size_t i;

	for (i = 0; i < len && !r; i++) {
		const struct recording_cause *c = &causes[i];

		row__u64(&row, window);
		row__text(&row, c->name);
		row__known(&row, c->waits || (counted && has(p, UNKNOWN_COUNTS)), c->waits);
		row__numbers(&row, (u64[]){ c->blocked_ns, c->runq_ns }, 2);
		row__known(&row, c->max_ns || (counted && has(p, UNKNOWN_LENGTHS)), c->max_ns);
		r = row__end(&row, err);
	}
	sqlite3_finalize(row.stmt);
	return r;
}

int rows_insert_sums(struct database *d, u32 window, const struct profile *p,
		     const struct window_head *head, struct err *err)
{
	int r = insert_window(d, window, p, head, err);

	if (!r)
		r = insert_losses(d, window, p, err);
	return r ? r : insert_import(d, window, p, err);
}

int rows_insert(struct database *d, u32 window, const struct profile *p,
		const struct window_head *head, struct err *err)
{
	int r = rows_insert_sums(d, window, p, head, err);

	if (!r)
		r = insert_tasks(d, window, p, err);
	if (!r)
		r = rows_insert_objects(d, window, p, err);
	if (!r)
		r = rows_insert_on_cpu(d, window, p, err);
	if (!r)
		r = rows_insert_histograms(d, window, p, err);
	if (!r)
		r = rows_insert_wakes(d, window, p, err);
	return r;
}

static u32 sum_number(u32 crc, u64 value)
{
	u8 bytes[8];
	u32 i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = (u8)(value >> 8 * i);
	return crc32c(crc, bytes, sizeof(bytes));
}

/*
 * One byte for the type as SQLite numbers it (1 integer, 2 real, 3 text, 4 blob, 5 null), then
 * eight bytes, little endian: the number, the bits of the real, or the size of what follows.
 */
static u32 sum_value(u32 crc, sqlite3_stmt *stmt, int col)
{
	u8 type = (u8)sqlite3_column_type(stmt, col);
	const void *bytes;
	double real;
	u64 bits = 0;

	crc = crc32c(crc, &type, 1);
	if (type == SQLITE_INTEGER)
		return sum_number(crc, (u64)sqlite3_column_int64(stmt, col));
	if (type == SQLITE_FLOAT) {
		real = sqlite3_column_double(stmt, col);
		memcpy(&bits, &real, sizeof(bits));
		return sum_number(crc, bits);
	}
	if (type == SQLITE_NULL)
		return crc;
	bytes = sqlite3_column_blob(stmt, col);
	bits = (u64)sqlite3_column_bytes(stmt, col);
	crc = sum_number(crc, bits);
	return bytes ? crc32c(crc, bytes, bits) : crc;
}

int rows_sum(struct database *d, u32 window, const char *sql, struct seal *ret, struct err *err)
{
	sqlite3_stmt *stmt;
	int r = database__prepare(d, sql, &stmt, err), i;

	*ret = (struct seal){ .is_set = true };
	if (!r && sqlite3_bind_parameter_count(stmt))
		sqlite3_bind_int64(stmt, 1, window);
	while (!r && (r = database__step(d, stmt, err)) > 0) {
		for (i = 0; i < sqlite3_column_count(stmt); i++)
			ret->crc = sum_value(ret->crc, stmt, i);
		ret->rows++;
		r = 0;
	}
	sqlite3_finalize(stmt);
	return r;
}

int rows_seal(struct database *d, u32 window, enum sealed_table table, struct seal *ret,
	      struct err *err)
{
	return rows_sum(d, window, sealed_table_rows(table), ret, err);
}
