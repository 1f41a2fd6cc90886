/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words of the schema are part of the file and sealed with it: a flipped bit in a view would
 * make wrong numbers as surely as one in a table. Whoever changes them raises SCHEMA_MINOR.
 *
 * Rows of a window have its number first in their key, so that windows can be taken out one by one.
 */
#include "recording/schema.h"

const char schema_first[] =
	"CREATE TABLE blocks(id INTEGER PRIMARY KEY,"
	" window INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL);"
	"CREATE TABLE windows(id INTEGER PRIMARY KEY,"
	" begin TEXT NOT NULL, begin_wall_ns INTEGER NOT NULL, begin_mono_ns INTEGER NOT NULL,"
	" window_ns INTEGER NOT NULL, host TEXT NOT NULL, kernel TEXT NOT NULL,"
	" arch TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,"
	" target TEXT NOT NULL, hooks TEXT NOT NULL, ncpu INTEGER NOT NULL,"
	" period_ns INTEGER NOT NULL, filtered INTEGER NOT NULL,"
	" processes INTEGER NOT NULL, threads INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
	" on_ns INTEGER NOT NULL, preempted_ns INTEGER NOT NULL, runq_ns INTEGER NOT NULL,"
	" blocked_ns INTEGER NOT NULL, unaccounted_ns INTEGER NOT NULL,"
	" listed_waits INTEGER NOT NULL, listed_blocked_ns INTEGER NOT NULL,"
	" listed_runq_ns INTEGER NOT NULL, switches INTEGER NOT NULL,"
	" preemptions INTEGER NOT NULL, wakeups INTEGER NOT NULL, migrations INTEGER NOT NULL,"
	" prog_ns INTEGER NOT NULL, self_cpu_ns INTEGER NOT NULL);";

const char schema_rest[] =
	"CREATE TABLE recording(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE tasks(window INTEGER NOT NULL, task INTEGER NOT NULL,"
	" tgid INTEGER NOT NULL, tid INTEGER NOT NULL, process TEXT NOT NULL,"
	" comm TEXT NOT NULL, kthread INTEGER NOT NULL, born INTEGER NOT NULL,"
	" exited INTEGER NOT NULL, execed INTEGER NOT NULL,"
	" start_boottime_ns INTEGER NOT NULL, cgroup_id INTEGER NOT NULL,"
	" begin_ns INTEGER NOT NULL, wall_ns INTEGER NOT NULL, on_ns INTEGER NOT NULL,"
	" preempted_ns INTEGER NOT NULL, runq_ns INTEGER NOT NULL,"
	" blocked_ns INTEGER NOT NULL, blocked_s_ns INTEGER NOT NULL,"
	" blocked_d_ns INTEGER NOT NULL, blocked_i_ns INTEGER NOT NULL,"
	" unaccounted_ns INTEGER NOT NULL, switches INTEGER NOT NULL,"
	" preemptions INTEGER NOT NULL, wakeups INTEGER NOT NULL, migrations INTEGER NOT NULL,"
	" PRIMARY KEY(window, task)) WITHOUT ROWID;"
	"CREATE TABLE causes(window INTEGER NOT NULL, cause TEXT NOT NULL,"
	" waits INTEGER NOT NULL, blocked_ns INTEGER NOT NULL, runq_ns INTEGER NOT NULL,"
	" max_ns INTEGER NOT NULL, PRIMARY KEY(window, cause)) WITHOUT ROWID;"
	"CREATE TABLE losses(window INTEGER NOT NULL, loss TEXT NOT NULL,"
	" events INTEGER NOT NULL, ns INTEGER NOT NULL, sentence TEXT NOT NULL,"
	" PRIMARY KEY(window, loss)) WITHOUT ROWID;"
	"CREATE VIEW window_times AS SELECT id AS window, begin, window_ns / 1e9 AS seconds,"
	" host, target, processes, threads, on_ns / 1e9 AS on_s,"
	" (preempted_ns + runq_ns) / 1e9 AS runq_s, blocked_ns / 1e9 AS blocked_s,"
	" unaccounted_ns / 1e9 AS unaccounted_s FROM windows;"
	"CREATE VIEW thread_times AS SELECT window, tgid, process, tid, comm,"
	" wall_ns / 1e9 AS wall_s, on_ns / 1e9 AS on_s,"
	" (preempted_ns + runq_ns) / 1e9 AS runq_s, blocked_ns / 1e9 AS blocked_s,"
	" switches, preemptions, wakeups, migrations FROM tasks;"
	"CREATE VIEW process_times AS SELECT window, tgid, process,"
	" count(DISTINCT tid) AS threads, sum(wall_ns) / 1e9 AS wall_s,"
	" sum(on_ns) / 1e9 AS on_s, sum(preempted_ns + runq_ns) / 1e9 AS runq_s,"
	" sum(blocked_ns) / 1e9 AS blocked_s, sum(switches) AS switches"
	" FROM tasks GROUP BY window, tgid, process;"
	"CREATE VIEW cause_times AS SELECT window, cause, waits,"
	" (blocked_ns + runq_ns) / 1e9 AS seconds,"
	" 100.0 * (blocked_ns + runq_ns) /"
	" nullif(sum(blocked_ns + runq_ns) OVER (PARTITION BY window), 0) AS percent,"
	" (blocked_ns + runq_ns) / 1e6 / nullif(waits, 0) AS mean_ms, max_ns / 1e6 AS max_ms"
	" FROM causes;"
	"INSERT INTO recording VALUES('what', 'A recording of coldspot: where threads waited, and"
	" for how long'),('format', 1),('minor', 0),"
	"('read it', 'coldspot report FILE; coldspot check FILE tells whether it is sound');";

/* NULL rows: not by window. */
static const struct {
	const char *name;
	const char *rows;
	const char *count;
} tables[] = {
	[SEALED_SCHEMA] = { "sqlite_master",
			    "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name",
			    NULL },
	[SEALED_RECORDING] = { "recording", "SELECT * FROM recording ORDER BY key", NULL },
	[SEALED_WINDOWS] = { "windows", "SELECT * FROM windows WHERE id = ?1",
			     "SELECT count(*) FROM windows" },
	[SEALED_TASKS] = { "tasks", "SELECT * FROM tasks WHERE window = ?1 ORDER BY task",
			   "SELECT count(*) FROM tasks" },
	[SEALED_CAUSES] = { "causes", "SELECT * FROM causes WHERE window = ?1 ORDER BY cause",
			    "SELECT count(*) FROM causes" },
	[SEALED_LOSSES] = { "losses", "SELECT * FROM losses WHERE window = ?1 ORDER BY loss",
			    "SELECT count(*) FROM losses" },
};

const char *sealed_table_name(enum sealed_table table)
{
	return tables[table].name;
}

const char *sealed_table_rows(enum sealed_table table)
{
	return tables[table].rows;
}

const char *sealed_table_count(enum sealed_table table)
{
	return tables[table].count;
}
