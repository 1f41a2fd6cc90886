/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Damage, by the hundred: recordings that are cut off or have a flipped bit. Either someone says
 * so, or all that can be read is what it was, by the reader and by SQL. What is read of a damaged
 * window has the totals that it had. The cases are chosen by chance that is the same each time;
 * with COLDSPOT_DAMAGE=FILE they are made of that file instead of the committed ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "recorded.h"
#include "recording/check.h"
#include "recording/block/crc32c.h"

/* Of a file; the smaller one is for windows that share their code. */
#define CASES 500
#define FEW 100
#define WINDOWS_MAX 8

static struct workdir dir;

/* A file that is whole, and all that it holds. */
struct original {
	char *bytes;
	size_t sz;
	size_t windows;
	struct profile *profiles[WINDOWS_MAX];
	size_t queries; /* that it can answer */
	u32 sql; /* checksum of what queries give */
};

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int sum_row(void *ctx, int len, char **values, char **names)
{
	u32 *crc = ctx;
	int i;

	for (i = 0; i < len; i++) {
		*crc = crc32c(*crc, names[i], strlen(names[i]) + 1);
		if (values[i])
			*crc = crc32c(*crc, values[i], strlen(values[i]) + 1);
	}
	return 0;
}

static const char *const queries[] = {
	"SELECT * FROM recording ORDER BY key",
	"SELECT * FROM windows ORDER BY id",
	"SELECT * FROM tasks ORDER BY window, task",
	"SELECT * FROM causes ORDER BY window, cause",
	"SELECT * FROM losses ORDER BY window, loss",
	"SELECT id, window, kind, length(data) FROM blocks ORDER BY id",
	"SELECT * FROM window_times",
	"SELECT * FROM thread_times",
	"SELECT * FROM process_times",
	"SELECT * FROM cause_times",
	"SELECT count(*) FROM tasks",
	/* from minor version 1 on */
	"SELECT * FROM objects ORDER BY window, object",
	"SELECT * FROM waits",
	"SELECT * FROM on_cpu ORDER BY window, hot",
	"SELECT * FROM histograms",
	"SELECT * FROM class_times",
	"SELECT * FROM wait_times",
	"SELECT * FROM on_cpu_times",
};
#define QUERIES_MINOR_0 11

/* False when one of the first `len` queries fails, which nobody overlooks. */
static bool sum_queries(const char *path, size_t len, u32 *ret_crc)
{
	sqlite3 *db = NULL;
	bool ok = !sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
	size_t i;

	*ret_crc = 0;
	for (i = 0; i < len && ok; i++)
		ok = !sqlite3_exec(db, queries[i], sum_row, ret_crc, NULL);
	sqlite3_close(db);
	return ok;
}

static void original__init(struct original *o, const char *name)
{
	const char *path = workdir__path(&dir, name);
	struct recording *rec = open_recording(path);
	size_t i;

	o->bytes = workdir__read(&dir, name, &o->sz);
	o->windows = recording__windows_len(rec);
	assert_in_range(o->windows, 1, WINDOWS_MAX);
	for (i = 0; i < o->windows; i++)
		o->profiles[i] = read_window(rec, i);
	recording__close(rec);
	o->queries = ARRAY_LEN(queries);
	if (!sum_queries(path, o->queries, &o->sql))
		o->queries = QUERIES_MINOR_0;
	assert_true(sum_queries(path, o->queries, &o->sql));
}

static void original__done(struct original *o)
{
	size_t i;

	for (i = 0; i < o->windows; i++)
		profile__free(o->profiles[i]);
	mem_free(o->bytes);
}

static bool totals_equal(const struct profile *a, const struct profile *b)
{
	struct profile_budget x, y;

	return !profile__budget(a, &x) && !profile__budget(b, &y) && a->tasks_len == b->tasks_len &&
	       x.wall_ns == y.wall_ns && x.on_ns == y.on_ns && x.runq_ns == y.runq_ns &&
	       x.blocked_ns == y.blocked_ns && x.switches == y.switches;
}

/* Reads all windows. True when everything is there and nothing was said. */
static bool read_all(const struct original *o, const char *path, const char *what)
{
	struct recording *rec = NULL;
	struct profile *p;
	size_t i, whole = 0;
	bool said;
	u32 id;

	if (recording__open(path, &rec, NULL))
		return false;
	for (i = 0; i < recording__windows_len(rec); i++) {
		id = recording__window(rec, i)->id;
		if (id < 1 || id > o->windows)
			fail_msg("%s: there is no window %u", what, id);
		if (recording__read(rec, i, &p, NULL))
			continue;
		if (recorded_equal(p, o->profiles[id - 1]))
			whole++;
		else if (!p->losses[LOSS_DAMAGED].events)
			fail_msg("%s: window %u differs and has no loss", what, id);
		else if (!totals_equal(p, o->profiles[id - 1]))
			fail_msg("%s: window %u has other totals", what, id);
		profile__free(p);
	}
	said = recording__damage(rec, 0);
	recording__close(rec);
	if (!said && whole != o->windows)
		fail_msg("%s: %zu of %zu windows are whole, and nothing is said", what, whole,
			 o->windows);
	return !said;
}

static void count_fault(void *ctx, const char *sentence)
{
	u32 *faults = ctx;

	assert_true(strlen(sentence) > 5);
	(*faults)++;
}

/* 1 when `check` finds the file to be damaged. */
static u32 try_damaged(const struct original *o, const char *name, const char *what)
{
	const char *path = workdir__path(&dir, name);
	struct recording_checked sum;
	u32 faults = 0, sql;
	int r;

	read_all(o, path, what);
	r = recording_check(path, count_fault, &faults, &sum, NULL);
	if (r == -ENOMEM || (!r && faults != sum.faults))
		fail_msg("%s: the check gives %d", what, r);
	if (r || faults)
		return 1;
	if (!sum_queries(path, o->queries, &sql) || sql != o->sql)
		fail_msg("%s: queries give something else, and check is content", what);
	return 0;
}

static void flip_bits(const struct original *o, u32 cases)
{
	u64 random = 88172645463325252ULL, at;
	char what[64];
	u32 i, found = 0;

	for (i = 0; i < cases; i++) {
		at = next_random(&random) % (o->sz * 8);
		snprintf(what, sizeof(what), "bit %llu of byte %llu", at % 8, at / 8);
		o->bytes[at / 8] ^= (char)(1 << at % 8);
		workdir__write(&dir, "flipped", o->bytes, o->sz);
		found += try_damaged(o, "flipped", what);
		o->bytes[at / 8] ^= (char)(1 << at % 8);
	}
	printf("# %u of %u flipped bits found, the others change nothing\n", found, i);
	/* some are in pages' free space, but not most */
	assert_true(found > cases / 10);
}

static void cut_off(const struct original *o, u32 cases)
{
	u64 random = 2463534242ULL;
	char what[64];
	size_t sz;
	u32 i;

	for (i = 0; i < cases; i++) {
		sz = next_random(&random) % o->sz;
		snprintf(what, sizeof(what), "cut off at %zu of %zu", sz, o->sz);
		workdir__write(&dir, "cut", o->bytes, sz);
		/* all but zeros at the end is missed */
		if (!try_damaged(o, "cut", what))
			fail_msg("%s: not found", what);
	}
}

/* Makes the file, or takes the one that was asked for. */
static void make(struct original *o, const char *name)
{
	static const char *const texts[] = {
		recorded_text,
		"host db2\nwindow 1s\ntask 4/4 main on=1s\nwait S blocked=1ms count=2\n u main\n "
		"k x\n",
		recorded_text,
		NULL,
	};

	record_file(&dir, name, texts);
	original__init(o, name);
}

static void test_recording__read_finds_flipped_bits(void **state)
{
	struct original o = { 0 };

	(void)state;
	make(&o, "to-flip");
	flip_bits(&o, FEW);
	original__done(&o);
}

static void test_recording__read_reports_a_cut_file(void **state)
{
	struct original o = { 0 };

	(void)state;
	make(&o, "to-cut");
	cut_off(&o, FEW);
	original__done(&o);
}

static void damage_copy(const char *path, size_t len)
{
	struct original o = { 0 };
	char full[4096];

	assert_non_null(realpath(path, full));
	assert_true(workdir__run(&dir, "cp '%s' given", full));
	original__init(&o, "given");
	if (len)
		assert_int_equal(o.queries, len);
	flip_bits(&o, CASES);
	cut_off(&o, CASES);
	original__done(&o);
}

static void test_recording__read_finds_damage_of_a_file_given(void **state)
{
	const char *path = getenv("COLDSPOT_DAMAGE");

	(void)state;
	if (path) {
		damage_copy(path, 0);
		return;
	}
	damage_copy("tests/golden/recording/format1.coldspot", QUERIES_MINOR_0);
	damage_copy("tests/golden/recording/format1.1.coldspot", ARRAY_LEN(queries));
}

/* The number of windows that are whole. */
static size_t saved(const struct original *o, const char *name)
{
	struct recording *rec = open_recording(workdir__path(&dir, name));
	size_t i, whole = 0;
	struct profile *p;

	assert_non_null(recording__damage(rec, 0));
	for (i = 0; i < recording__windows_len(rec); i++) {
		if (recording__read(rec, i, &p, NULL))
			continue;
		whole += recorded_equal(p, o->profiles[recording__window(rec, i)->id - 1]);
		profile__free(p);
	}
	recording__close(rec);
	return whole;
}

static void test_recording__open_saves_what_the_first_page_hides(void **state)
{
	struct original o = { 0 };

	(void)state;
	make(&o, "to-save");
	memset(o.bytes, 0, 4096);
	workdir__write(&dir, "no-first-page", o.bytes, o.sz);
	assert_int_equal(saved(&o, "no-first-page"), o.windows);
	original__done(&o);
}

static void test_recording__open_saves_whole_windows_of_a_cut_file(void **state)
{
	struct original o = { 0 };

	(void)state;
	make(&o, "to-shorten");
	/* the first pages are those of the blocks, which are small here */
	workdir__write(&dir, "short", o.bytes, 3 * 4096);
	assert_int_equal(saved(&o, "short"), o.windows);
	original__done(&o);
}

/* A block that fails its checksum takes what it holds, and no more. */
static void test_recording__read_saves_what_other_blocks_hold(void **state)
{
	static const struct {
		const char *kind;
		const char *sentence;
		bool has_waits;
	} blocks[] = {
		{ "code", "window 2: its stacks are lost", true },
		{ "waits", "window 2: its waits are lost", false },
	};
	struct original o = { 0 };
	struct recording *rec;
	struct profile *p;
	size_t i;

	(void)state;
	make(&o, "to-hurt");
	for (i = 0; i < ARRAY_LEN(blocks); i++) {
		workdir__write(&dir, "hurt", o.bytes, o.sz);
		assert_true(workdir__run(&dir,
					 "sqlite3 hurt \"UPDATE blocks SET data = zeroblob(50)"
					 " WHERE window = 2 AND kind = '%s'\"",
					 blocks[i].kind));
		rec = open_recording(workdir__path(&dir, "hurt"));
		p = read_window(rec, 1);
		assert_true(totals_equal(p, o.profiles[1]));
		assert_int_equal(p->losses[LOSS_DAMAGED].events, 2);
		assert_int_equal(p->losses[LOSS_DAMAGED].ns, NSEC_PER_MSEC);
		assert_int_equal(p->waits_len, 2);
		assert_int_equal(p->waits[1].count, blocks[i].has_waits ? 2 : 0);
		assert_int_equal(!!(p->waits[1].flags & WAIT_LOST), !blocks[i].has_waits);
		assert_non_null(strstr(recording__damage(rec, 0), blocks[i].sentence));
		recording__close(rec);
		profile__free(p);
	}
	original__done(&o);
}

static int set_up(void **state)
{
	(void)state;
	workdir__init(&dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

static void run_sql(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL))
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

/* The head of the only window once more, as that of window `id`. */
static void put_head_again(sqlite3 *db, u32 id)
{
	const struct block b = { .kind = BLOCK_HEAD, .window = id };
	sqlite3_stmt *stmt;
	struct vec stored;
	size_t sz;
	u8 *data;

	assert_int_equal(sqlite3_prepare_v2(db, "SELECT data FROM blocks WHERE id = 8", -1, &stmt,
					    NULL),
			 0);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_int_equal(block_open(view__of(sqlite3_column_blob(stmt, 0),
					     (size_t)sqlite3_column_bytes(stmt, 0)),
				    &data, &sz),
			 0);
	sqlite3_finalize(stmt);
	vec__init(&stored, 1);
	assert_int_equal(block_seal(&b, view__of(data, sz), &stored), 0);
	mem_free(data);
	assert_int_equal(sqlite3_prepare_v2(db, "INSERT INTO blocks VALUES(?1, ?2, 'head', ?3)", -1,
					    &stmt, NULL),
			 0);
	sqlite3_bind_int64(stmt, 1, (s64)id * SCHEMA_BLOCK_IDS);
	sqlite3_bind_int64(stmt, 2, id);
	sqlite3_bind_blob64(stmt, 3, stored.data, stored.len, SQLITE_STATIC);
	assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
	sqlite3_finalize(stmt);
	vec__done(&stored);
}

/* Windows far apart, in a file that is large enough for all that would be between them. */
static void test_recording__open_does_not_look_for_ever(void **state)
{
	const char *path = workdir__path(&dir, "far.coldspot");
	struct recording *rec;
	sqlite3 *db = NULL;

	(void)state;
	record_file(&dir, "far.coldspot", (const char *[]){ recorded_text, NULL });
	assert_int_equal(sqlite3_open(path, &db), 0);
	put_head_again(db, 1000);
	put_head_again(db, 70000);
	run_sql(db, "CREATE TABLE large(x); INSERT INTO large VALUES(zeroblob(40000000))");
	sqlite3_close(db);
	rec = open_recording(path);
	assert_int_equal(recording__windows_len(rec), 2);
	assert_int_equal(recording__window(rec, 1)->id, 1000);
	assert_string_equal(recording__damage(rec, 0),
			    "windows 2 to 999 are lost: their heads cannot be read");
	assert_string_equal(recording__damage(rec, 1),
			    "windows 1001 to 70000 are lost: their heads cannot be read");
	recording__close(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recording__open_saves_what_the_first_page_hides),
		cmocka_unit_test(test_recording__open_saves_whole_windows_of_a_cut_file),
		cmocka_unit_test(test_recording__open_does_not_look_for_ever),
		cmocka_unit_test(test_recording__read_saves_what_other_blocks_hold),
		cmocka_unit_test(test_recording__read_finds_flipped_bits),
		cmocka_unit_test(test_recording__read_reports_a_cut_file),
		cmocka_unit_test(test_recording__read_finds_damage_of_a_file_given),
	};

	return cmocka_run_group_tests_name("recording/damage", tests, set_up, tear_down);
}
