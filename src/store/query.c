/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The statement is prepared on the empty database first. An authorizer then says whether it only
 * reads, and which tables it needs: rows of threads and waits are made from blocks, which takes
 * some 10 ms a window, while sums are copied by the thousands.
 *
 * The views of docs/query.md are temporary ones, which hide the tables of the same name. So they
 * are there only while the statement is; views of the file refer to its own tables at any time.
 */
#include "store/query.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "profile/label/cgroup_words.h"
#include "recording/database.h"
#include "store/query_priv.h"

static const char views[] =
	"CREATE TEMP VIEW windows AS SELECT id AS window, begin, window_ns / 1e9 AS seconds, host,"
	" kernel, version, ncpu, processes, threads, on_ns / 1e9 AS on_s,"
	" (preempted_ns + runq_ns) / 1e9 AS runq_s, blocked_ns / 1e9 AS blocked_s, switches,"
	" wakeups, period_ns / 1e6 AS period_ms, CASE WHEN window_ns * ncpu > 0 THEN"
	" 100.0 * (prog_ns + self_cpu_ns) / (window_ns * ncpu) END AS cost_percent"
	" FROM main.windows;"
	"CREATE TEMP VIEW totals AS SELECT n.id AS window, n.begin, n.host, c.cause, c.waits,"
	" (c.blocked_ns + c.runq_ns) / 1e9 AS seconds, c.blocked_ns / 1e9 AS blocked_s,"
	" c.runq_ns / 1e9 AS runq_s, c.max_ns / 1e6 AS max_ms"
	" FROM main.causes c JOIN main.windows n ON n.id = c.window;"
	"CREATE TEMP VIEW losses AS SELECT n.id AS window, n.begin, n.host, l.loss, l.events,"
	" l.ns / 1e9 AS seconds, l.sentence"
	" FROM main.losses l JOIN main.windows n ON n.id = l.window;"
	"CREATE TEMP VIEW threads AS SELECT n.id AS window, n.begin, n.host, t.tgid, t.process,"
	" t.tid, t.comm, t.cgroup, cgroup_unit(t.cgroup) AS unit,"
	" cgroup_container(t.cgroup) AS container, cgroup_pod(t.cgroup) AS pod,"
	" t.wall_ns / 1e9 AS wall_s, t.on_ns / 1e9 AS on_s,"
	" (t.preempted_ns + t.runq_ns) / 1e9 AS runq_s, t.blocked_ns / 1e9 AS blocked_s,"
	" t.switches, t.wakeups, t.threads, t.processes,"
	" name_container(t.container_name) AS container_name,"
	" name_pod(t.container_name) AS pod_name,"
	" name_namespace(t.container_name) AS namespace, t.gap_wait_ns / 1e9 AS gap_wait_s"
	" FROM main.tasks t JOIN main.windows n ON n.id = t.window;"
	"CREATE TEMP VIEW waits AS SELECT n.begin, n.host, w.window, coalesce(t.tgid, 0) AS tgid,"
	" coalesce(t.process, '') AS process, coalesce(t.tid, 0) AS tid,"
	" coalesce(t.comm, '') AS comm, w.cause, w.class, coalesce(o.kind, '') AS object,"
	" coalesce(o.name, '') AS name, coalesce(o.peer, '') AS peer,"
	" CASE o.kind WHEN 'futex' THEN o.file ELSE '' END AS file,"
	" CASE o.kind WHEN 'file' THEN o.file ELSE '' END AS device,"
	" coalesce(o.port, 0) AS port, w.owner_tid, coalesce(h.comm, '') AS owner_comm,"
	" w.count AS waits, (w.blocked_ns + w.runq_ns) / 1e9 AS seconds, w.max_ns / 1e6 AS max_ms,"
	" coalesce(t.cgroup, '') AS cgroup, cgroup_unit(t.cgroup) AS unit,"
	" cgroup_container(t.cgroup) AS container, cgroup_pod(t.cgroup) AS pod,"
	" name_container(t.container_name) AS container_name,"
	" name_pod(t.container_name) AS pod_name,"
	" name_namespace(t.container_name) AS namespace"
	" FROM main.waits w JOIN main.windows n ON n.id = w.window"
	" LEFT JOIN main.tasks t ON t.window = w.window AND t.task = w.task"
	" LEFT JOIN main.objects o ON o.window = w.window AND o.object = w.object"
	" LEFT JOIN main.tasks h ON h.window = w.window AND h.task = w.owner;";

static const char no_views[] = "DROP VIEW temp.windows; DROP VIEW temp.totals;"
			       "DROP VIEW temp.losses; DROP VIEW temp.threads;"
			       "DROP VIEW temp.waits;";

/* Tables that have rows without blocks. */
static bool is_sum(const char *table)
{
	static const char *const sums[] = { "windows",	 "causes", "losses",	  "imports",
					    "recording", "totals", "cause_times", "window_times" };

	for (size_t i = 0; i < ARRAY_LEN(sums); i++) {
		if (!strcmp(table, sums[i]))
			return true;
	}
	return false;
}

/*
 * `view` is the view that reads, if any: its tables are seen, too, so the name of a view alone
 * decides nothing.
 */
static int authorize(void *arg, int action, const char *a, const char *b, const char *db,
		     const char *view)
{
	struct store_query *q = arg;

	(void)db;
	(void)view;
	if (!q->guarded)
		return SQLITE_OK;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_FUNCTION:
		return b && !sqlite3_stricmp(b, "load_extension") ? SQLITE_DENY : SQLITE_OK;
	case SQLITE_READ:
		/* a temporary view named like a table of the file is seen by its own tables */
		q->needs_all |= a && !is_sum(a);
		q->needs_requests |= a && query_requests_has(a);
		return SQLITE_OK;
	default:
		return SQLITE_DENY;
	}
}

/* What a text says: a path of a cgroup, or the name of a container. */
struct text_function {
	const char *name;
	bool is_name; /* else a path */
	size_t off; /* of the text in struct cgroup_words */
};

static const struct text_function text_functions[] = {
	{ "cgroup_unit", false, offsetof(struct cgroup_words, unit) },
	{ "cgroup_container", false, offsetof(struct cgroup_words, container) },
	{ "cgroup_pod", false, offsetof(struct cgroup_words, pod) },
	{ "name_namespace", true, offsetof(struct cgroup_words, namespace) },
	{ "name_pod", true, offsetof(struct cgroup_words, pod_name) },
	{ "name_container", true, offsetof(struct cgroup_words, container_name) },
};

static void put_words(sqlite3_context *ctx, int len, sqlite3_value **args)
{
	const struct text_function *f = sqlite3_user_data(ctx);
	const char *text = (const char *)sqlite3_value_text(args[0]);
	struct cgroup_words w;

	(void)len;
	text = text ? text : "";
	cgroup_words_of(f->is_name ? "" : text, f->is_name ? text : "", &w);
	sqlite3_result_text(ctx, (const char *)&w + f->off, -1, SQLITE_TRANSIENT);
}

/* 0, or an error of SQLite. */
static int add_functions(struct database *d, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(text_functions); i++) {
		if (sqlite3_create_function(d->db, text_functions[i].name, 1,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
					    (void *)(uintptr_t)&text_functions[i], put_words, NULL,
					    NULL))
			return database__fail(d, err);
	}
	return 0;
}

int store_query__open(struct store_query **ret, struct err *err)
{
	struct store_query *q = mem_alloc(sizeof(*q));
	int r;

	if (!q)
		return err__nomem(err);
	r = recorder__create_in_memory(&q->rec, err);
	if (r) {
		store_query__free(q);
		return r;
	}
	q->d = recorder__database(q->rec);
	r = add_functions(q->d, err);
	if (!r)
		r = query_requests_create(q, err);
	if (r) {
		store_query__free(q);
		return r;
	}
	sqlite3_db_config(q->d->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_set_authorizer(q->d->db, authorize, q);
	*ret = q;
	return 0;
}

void store_query__free(struct store_query *q)
{
	if (!q)
		return;
	query_requests_done(q);
	recorder__free(q->rec);
	mem_free(q);
}

/* Everything that is prepared from here on may only read. */
static int prepare(struct store_query *q, const char *sql, sqlite3_stmt **ret, struct err *err)
{
	const char *rest = "";
	int code;

	q->guarded = true;
	code = sqlite3_prepare_v2(q->d->db, sql, -1, ret, &rest);
	q->guarded = false;
	if (code == SQLITE_NOMEM)
		return err__nomem(err);
	if (code == SQLITE_AUTH)
		return err__set(err, -EINVAL, "a query only reads: it is one SELECT");
	if (code)
		return err__set(err, -EINVAL, "%s", sqlite3_errmsg(q->d->db));
	if (!*ret || rest[strspn(rest, " \t\r\n;")] || !sqlite3_stmt_readonly(*ret))
		return err__set(err, -EINVAL, "a query only reads: it is one SELECT");
	return 0;
}

int store_query__check(struct store_query *q, const char *sql, bool *ret_all, struct err *err)
{
	sqlite3_stmt *stmt = NULL;
	int r;

	q->needs_all = q->needs_requests = false;
	r = database__exec(q->d, views, err);
	if (r)
		return r;
	r = prepare(q, sql, &stmt, err);
	sqlite3_finalize(stmt);
	database__exec(q->d, no_views, NULL);
	*ret_all = q->needs_all;
	return r;
}

struct recorder *store_query__recorder(struct store_query *q)
{
	return q->rec;
}

/* A file: URI, in which some letters stand for themselves no longer. */
static char *uri_of(const char *path)
{
	char *uri = mem_alloc(strlen(path) * 3 + sizeof("file:?mode=ro")), *to = uri;

	if (!uri)
		return NULL;
	memcpy(to, "file:", 5);
	for (to += 5; *path; path++) {
		static const char hex[] = "0123456789abcdef";

		if (strchr("%?#", *path)) {
			*to++ = '%';
			*to++ = hex[(u8)*path >> 4];
			*to++ = hex[(u8)*path & 15];
		} else {
			*to++ = *path;
		}
	}
	memcpy(to, "?mode=ro", sizeof("?mode=ro"));
	return uri;
}

static int run_bound(struct database *d, const char *sql, const char *text, const s64 *numbers,
		     struct err *err)
{
	sqlite3_stmt *stmt;
	int r = database__prepare(d, sql, &stmt, err);

	if (!r && text)
		sqlite3_bind_text(stmt, 1, text, -1, SQLITE_STATIC);
	for (int i = 0; !r && numbers && i < 3; i++)
		sqlite3_bind_int64(stmt, i + 1, numbers[i]);
	if (!r)
		r = database__step(d, stmt, err);
	sqlite3_finalize(stmt);
	return r < 0 ? r : 0;
}

/* The rows of a table, with the numbers of their windows raised by ?1. */
static int copy_table(struct database *d, const char *table, const char *key, const s64 *numbers,
		      struct err *err)
{
	char *sql;
	sqlite3_stmt *stmt;
	char *find = sqlite3_mprintf("SELECT group_concat(name) FROM pragma_table_info(%Q)"
				     " WHERE name <> %Q",
				     table, key);
	int r = find ? database__prepare(d, find, &stmt, err) : err__nomem(err);

	sqlite3_free(find);
	if (r)
		return r;
	r = database__step(d, stmt, err);
	sql = r < 0 ? NULL :
		      sqlite3_mprintf("INSERT INTO main.%s(%s, %s) SELECT ?1 + %s, %s FROM day.%s"
				      " WHERE %s IN (SELECT id FROM day.windows WHERE"
				      " begin_wall_ns < ?3 AND begin_wall_ns + window_ns > ?2)",
				      table, key, sqlite3_column_text(stmt, 0), key,
				      sqlite3_column_text(stmt, 0), table, key);
	if (r >= 0)
		r = sql ? run_bound(d, sql, NULL, numbers, err) : err__nomem(err);
	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return r;
}

static s64 clamped(u64 ns)
{
	return ns > INT64_MAX ? INT64_MAX : (s64)ns;
}

int store_query__add_sums(struct store_query *q, const char *path, u64 from_ns, u64 to_ns,
			  struct err *err)
{
	static const char *const tables[] = { "windows", "causes", "losses", "imports" };
	s64 numbers[3] = { 0, clamped(from_ns), clamped(to_ns) };
	char *uri = uri_of(path);
	int r = uri ? run_bound(q->d, "ATTACH ?1 AS day", uri, NULL, err) : err__nomem(err);

	mem_free(uri);
	if (r)
		return err__wrap(err, r, "%s", path);
	r = database__number(q->d, "SELECT max(id) FROM main.windows", &numbers[0], err);
	for (size_t i = 0; i < ARRAY_LEN(tables) && !r; i++)
		r = copy_table(q->d, tables[i], i ? "window" : "id", numbers, err);
	if (r)
		err__wrap(err, r, "%s", path);
	database__exec(q->d, "DETACH day", NULL);
	return r;
}

static struct query_value value_of(sqlite3_stmt *stmt, int col)
{
	int type = sqlite3_column_type(stmt, col);
	const char *text = (const char *)sqlite3_column_text(stmt, col);

	return (struct query_value){
		.kind = type == SQLITE_NULL			       ? QUERY_NULL :
			type == SQLITE_INTEGER || type == SQLITE_FLOAT ? QUERY_NUMBER :
									 QUERY_TEXT,
		.text = text ? text : "",
	};
}

static int pass(sqlite3_stmt *stmt, struct query_value *values, bool head, query_row_fn *row,
		void *arg, struct err *err)
{
	int len = sqlite3_column_count(stmt);

	for (int i = 0; i < len; i++)
		values[i] =
			head ? (struct query_value){ QUERY_TEXT, sqlite3_column_name(stmt, i) } :
			       value_of(stmt, i);
	return row(arg, values, (size_t)len, head, err);
}

int store_query__run(struct store_query *q, const char *sql, query_row_fn *row, void *arg,
		     struct err *err)
{
	struct query_value *values = NULL;
	sqlite3_stmt *stmt = NULL;
	int r = database__exec(q->d, views, err);

	if (!r)
		r = prepare(q, sql, &stmt, err);
	if (!r) {
		values = mem_array((size_t)sqlite3_column_count(stmt) + 1, sizeof(*values));
		r = values ? pass(stmt, values, true, row, arg, err) : err__nomem(err);
	}
	while (!r && (r = database__step(q->d, stmt, err)) > 0)
		r = pass(stmt, values, false, row, arg, err);
	sqlite3_finalize(stmt);
	mem_free(values);
	return r;
}
