/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of the schema is part of the file and sealed with it: a flipped bit in a view would make
 * wrong numbers just as one in a table. Raise SCHEMA_MINOR when changing it.
 *
 * Rows of a window have its number first in their key, so that windows can be removed one by one.
 */
#include "recording/schema.h"

const char schema_first[] = "CREATE TABLE blocks(id INTEGER PRIMARY KEY,"
			    " window INTEGER NOT NULL, kind TEXT NOT NULL, data BLOB NOT NULL);"
			    "CREATE TABLE windows(id INTEGER PRIMARY KEY,"
			    " begin TEXT NOT NULL, begin_wall_ns INTEGER, begin_mono_ns INTEGER,"
			    " window_ns INTEGER, host TEXT NOT NULL, kernel TEXT NOT NULL,"
			    " arch TEXT NOT NULL, version TEXT NOT NULL, command TEXT NOT NULL,"
			    " target TEXT NOT NULL, hooks TEXT NOT NULL, ncpu INTEGER,"
			    " period_ns INTEGER NOT NULL, filtered INTEGER NOT NULL,"
			    " processes INTEGER, threads INTEGER, wall_ns INTEGER,"
			    " on_ns INTEGER, preempted_ns INTEGER, runq_ns INTEGER,"
			    " blocked_ns INTEGER NOT NULL, unaccounted_ns INTEGER,"
			    " listed_waits INTEGER, listed_blocked_ns INTEGER NOT NULL,"
			    " listed_runq_ns INTEGER NOT NULL, switches INTEGER,"
			    " preemptions INTEGER, wakeups INTEGER, migrations INTEGER,"
			    " prog_ns INTEGER NOT NULL, self_cpu_ns INTEGER NOT NULL);";

const char schema_rest[] =
	"CREATE TABLE recording(key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID;"
	"CREATE TABLE tasks(window INTEGER NOT NULL, task INTEGER NOT NULL,"
	" tgid INTEGER, tid INTEGER, process TEXT NOT NULL,"
	" comm TEXT NOT NULL, kthread INTEGER NOT NULL, born INTEGER NOT NULL,"
	" exited INTEGER NOT NULL, execed INTEGER NOT NULL,"
	" start_boottime_ns INTEGER, cgroup_id INTEGER NOT NULL,"
	" begin_ns INTEGER, wall_ns INTEGER, on_ns INTEGER,"
	" preempted_ns INTEGER, runq_ns INTEGER,"
	" blocked_ns INTEGER NOT NULL, blocked_s_ns INTEGER,"
	" blocked_d_ns INTEGER, blocked_i_ns INTEGER,"
	" unaccounted_ns INTEGER, switches INTEGER,"
	" preemptions INTEGER, wakeups INTEGER, migrations INTEGER,"
	" cgroup TEXT NOT NULL, threads INTEGER, processes INTEGER, container_name TEXT NOT NULL,"
	" gap_wait_ns INTEGER NOT NULL,"
	" PRIMARY KEY(window, task)) WITHOUT ROWID;"
	"CREATE TABLE causes(window INTEGER NOT NULL, cause TEXT NOT NULL,"
	" waits INTEGER, blocked_ns INTEGER NOT NULL, runq_ns INTEGER NOT NULL,"
	" max_ns INTEGER, PRIMARY KEY(window, cause)) WITHOUT ROWID;"
	"CREATE TABLE losses(window INTEGER NOT NULL, loss TEXT NOT NULL,"
	" events INTEGER NOT NULL, ns INTEGER NOT NULL, sentence TEXT NOT NULL,"
	" PRIMARY KEY(window, loss)) WITHOUT ROWID;"
	"CREATE TABLE objects(window INTEGER NOT NULL, object INTEGER NOT NULL,"
	" kind TEXT NOT NULL, name TEXT NOT NULL, peer TEXT NOT NULL, file TEXT NOT NULL,"
	" futex TEXT NOT NULL, role TEXT NOT NULL, family INTEGER NOT NULL,"
	" type INTEGER NOT NULL, protocol INTEGER NOT NULL, port INTEGER NOT NULL,"
	" number INTEGER NOT NULL, tgid INTEGER NOT NULL, more INTEGER NOT NULL,"
	" dev INTEGER NOT NULL, ino INTEGER NOT NULL, addr INTEGER NOT NULL,"
	" name_off INTEGER NOT NULL, PRIMARY KEY(window, object)) WITHOUT ROWID;"
	"CREATE TABLE waits(window INTEGER NOT NULL, task INTEGER NOT NULL,"
	" cause TEXT NOT NULL, class TEXT NOT NULL, object INTEGER NOT NULL,"
	" owner INTEGER NOT NULL, owner_tid INTEGER NOT NULL, count INTEGER,"
	" blocked_ns INTEGER NOT NULL, runq_ns INTEGER NOT NULL, max_ns INTEGER,"
	" PRIMARY KEY(window, task, cause, class, object, owner, owner_tid)) WITHOUT ROWID;"
	"CREATE TABLE on_cpu(window INTEGER NOT NULL, hot INTEGER NOT NULL,"
	" task INTEGER NOT NULL, ustack INTEGER NOT NULL, kstack INTEGER NOT NULL,"
	" function TEXT NOT NULL, sysno INTEGER NOT NULL, sampled INTEGER NOT NULL,"
	" samples INTEGER NOT NULL, on_ns INTEGER NOT NULL,"
	" PRIMARY KEY(window, hot)) WITHOUT ROWID;"
	"CREATE TABLE histograms(window INTEGER NOT NULL, task INTEGER NOT NULL,"
	" kind TEXT NOT NULL, from_ns INTEGER NOT NULL, below_ns INTEGER,"
	" count INTEGER NOT NULL, PRIMARY KEY(window, task, kind, from_ns)) WITHOUT ROWID;"
	"CREATE TABLE wakes(window INTEGER NOT NULL, task INTEGER NOT NULL,"
	" object INTEGER NOT NULL, waker INTEGER NOT NULL, waker_tid INTEGER NOT NULL,"
	" waker_tgid INTEGER NOT NULL, waker_process TEXT NOT NULL, waker_comm TEXT NOT NULL,"
	" context TEXT NOT NULL, doing TEXT NOT NULL, did_object INTEGER NOT NULL,"
	" count INTEGER NOT NULL, ns INTEGER NOT NULL,"
	" PRIMARY KEY(window, task, object, waker, waker_tid, waker_tgid, waker_process,"
	" waker_comm, context, doing, did_object)) WITHOUT ROWID;"
	"CREATE TABLE stack_nodes(window INTEGER NOT NULL, stack INTEGER NOT NULL,"
	" parent INTEGER NOT NULL, place INTEGER NOT NULL, frame INTEGER NOT NULL,"
	" PRIMARY KEY(window, stack)) WITHOUT ROWID;"
	"CREATE TABLE stack_frames(window INTEGER NOT NULL, frame INTEGER NOT NULL,"
	" function TEXT NOT NULL, module TEXT NOT NULL,"
	" PRIMARY KEY(window, frame)) WITHOUT ROWID;"
	"CREATE TABLE place_waits(window INTEGER NOT NULL, task INTEGER NOT NULL,"
	" cause TEXT NOT NULL, stack INTEGER NOT NULL, count INTEGER,"
	" ns INTEGER NOT NULL, PRIMARY KEY(window, task, cause, stack)) WITHOUT ROWID;"
	"CREATE TABLE imports(window INTEGER PRIMARY KEY, source TEXT NOT NULL,"
	" unknown TEXT NOT NULL);"
	"CREATE VIEW window_times AS SELECT id AS window, begin, window_ns / 1e9 AS seconds,"
	" host, target, processes, threads, on_ns / 1e9 AS on_s,"
	" (preempted_ns + runq_ns) / 1e9 AS runq_s, blocked_ns / 1e9 AS blocked_s,"
	" unaccounted_ns / 1e9 AS unaccounted_s FROM windows;"
	"CREATE VIEW thread_times AS SELECT window, tgid, process, tid, comm,"
	" wall_ns / 1e9 AS wall_s, on_ns / 1e9 AS on_s,"
	" (preempted_ns + runq_ns) / 1e9 AS runq_s, blocked_ns / 1e9 AS blocked_s,"
	" switches, preemptions, wakeups, migrations, threads, processes,"
	" gap_wait_ns / 1e9 AS gap_wait_s FROM tasks;"
	"CREATE VIEW process_times AS SELECT window, tgid, process,"
	" count(DISTINCT tid) + coalesce(sum(threads), 0) AS threads, sum(wall_ns) / 1e9 AS wall_s,"
	" sum(on_ns) / 1e9 AS on_s, sum(preempted_ns + runq_ns) / 1e9 AS runq_s,"
	" sum(blocked_ns) / 1e9 AS blocked_s, sum(switches) AS switches,"
	" count(DISTINCT tgid) + coalesce(sum(processes), 0) AS processes"
	" FROM tasks GROUP BY window, tgid, process;"
	"CREATE VIEW cgroup_times AS SELECT window, CASE WHEN cgroup <> '' THEN cgroup"
	" WHEN cgroup_id THEN 'cgroup ' || cgroup_id ELSE '' END AS cgroup,"
	" count(DISTINCT tgid) + coalesce(sum(processes), 0) AS processes,"
	" count(DISTINCT tid) + coalesce(sum(threads), 0) AS threads,"
	" sum(wall_ns) / 1e9 AS wall_s, sum(on_ns) / 1e9 AS on_s,"
	" sum(preempted_ns + runq_ns) / 1e9 AS runq_s, sum(blocked_ns) / 1e9 AS blocked_s,"
	" sum(switches) AS switches FROM tasks GROUP BY 1, 2;"
	"CREATE VIEW cause_times AS SELECT window, cause, waits,"
	" (blocked_ns + runq_ns) / 1e9 AS seconds,"
	" 100.0 * (blocked_ns + runq_ns) /"
	" nullif(sum(blocked_ns + runq_ns) OVER (PARTITION BY window), 0) AS percent,"
	" (blocked_ns + runq_ns) / 1e6 / nullif(waits, 0) AS mean_ms, max_ns / 1e6 AS max_ms"
	" FROM causes;"
	"CREATE VIEW class_times AS SELECT window, class, sum(count) AS waits,"
	" sum(blocked_ns + runq_ns) / 1e9 AS seconds, max(max_ns) / 1e6 AS max_ms"
	" FROM waits GROUP BY window, class;"
	"CREATE VIEW wait_times AS SELECT w.window, coalesce(t.tgid, 0) AS tgid,"
	" coalesce(t.process, '') AS process, coalesce(t.tid, 0) AS tid,"
	" coalesce(t.comm, '') AS comm,"
	" w.cause, w.class, coalesce(o.kind, '') AS object, coalesce(o.name, '') AS name,"
	" coalesce(o.peer, '') AS peer,"
	" CASE o.kind WHEN 'futex' THEN o.file ELSE '' END AS file,"
	" CASE o.kind WHEN 'file' THEN o.file ELSE '' END AS device,"
	" coalesce(o.port, 0) AS port, w.owner_tid, coalesce(h.comm, '') AS owner_comm,"
	" w.count AS waits, (w.blocked_ns + w.runq_ns) / 1e9 AS seconds,"
	" w.max_ns / 1e6 AS max_ms FROM waits w"
	" LEFT JOIN tasks t ON t.window = w.window AND t.task = w.task"
	" LEFT JOIN objects o ON o.window = w.window AND o.object = w.object"
	" LEFT JOIN tasks h ON h.window = w.window AND h.task = w.owner;"
	"CREATE VIEW on_cpu_times AS SELECT c.window, t.tgid, t.process, t.tid, t.comm,"
	" c.function, sum(c.samples) AS samples, sum(c.on_ns) / 1e9 AS seconds FROM on_cpu c"
	" JOIN tasks t ON t.window = c.window AND t.task = c.task"
	" GROUP BY c.window, c.task, c.function;"
	"CREATE VIEW wake_times AS SELECT w.window, coalesce(t.tgid, 0) AS tgid,"
	" coalesce(t.process, '') AS process, coalesce(t.tid, 0) AS tid,"
	" coalesce(t.comm, '') AS comm, coalesce(o.kind, '') AS object,"
	" coalesce(o.name, '') AS name, w.waker_tgid, w.waker_process, w.waker_tid,"
	" w.waker_comm, w.context, w.doing, coalesce(d.kind, '') AS did_object,"
	" coalesce(d.name, '') AS did_name, w.count AS waits, w.ns / 1e9 AS seconds"
	" FROM wakes w"
	" LEFT JOIN tasks t ON t.window = w.window AND t.task = w.task"
	" LEFT JOIN objects o ON o.window = w.window AND o.object = w.object"
	" LEFT JOIN objects d ON d.window = w.window AND d.object = w.did_object;"
	"CREATE VIEW stacks AS WITH RECURSIVE walk(window, id, depth, node) AS"
	" (SELECT window, stack, 1, stack FROM stack_nodes WHERE place <> 0 UNION ALL"
	" SELECT k.window, k.id, k.depth + 1, n.parent FROM walk k JOIN stack_nodes n"
	" ON n.window = k.window AND n.stack = k.node WHERE n.parent <> 0)"
	" SELECT k.window, k.id, k.depth, f.function AS frame, f.module FROM walk k"
	" JOIN stack_nodes n ON n.window = k.window AND n.stack = k.node"
	" JOIN stack_frames f ON f.window = n.window AND f.frame = n.frame;"
	"CREATE VIEW places AS SELECT w.window, coalesce(t.tgid, 0) AS tgid,"
	" coalesce(t.process, '') AS process, coalesce(t.tid, 0) AS tid,"
	" coalesce(t.comm, '') AS comm, w.cause, coalesce(f.function, '') AS function,"
	" coalesce(c.function, '') AS caller, coalesce(l.module, '') AS library, w.stack,"
	" w.ns / 1e9 AS seconds, w.count FROM place_waits w"
	" LEFT JOIN tasks t ON t.window = w.window AND t.task = w.task"
	" LEFT JOIN stack_nodes n ON n.window = w.window AND n.stack = w.stack"
	" LEFT JOIN stack_frames l ON l.window = w.window AND l.frame = n.frame"
	" LEFT JOIN stack_nodes m ON m.window = w.window AND m.stack = n.place"
	" LEFT JOIN stack_frames f ON f.window = w.window AND f.frame = m.frame"
	" LEFT JOIN stack_nodes o ON o.window = w.window AND o.stack = m.parent"
	" LEFT JOIN stack_frames c ON c.window = w.window AND c.frame = o.frame;"
	"INSERT INTO recording VALUES('what', 'A recording of coldspot: where threads waited, and"
	" for how long'),('format', 1),('minor', 9),"
	"('read it', 'coldspot report FILE; coldspot check FILE tells whether it is sound');";

/* NULL rows: not by window. */
static const struct {
	const char *name;
	const char *rows;
	const char *count;
	u32 minor;
} tables[] = {
	[SEALED_SCHEMA] = { .name = "sqlite_master",
			    .rows = "SELECT type, name, tbl_name, sql FROM sqlite_master"
				    " ORDER BY name" },
	[SEALED_RECORDING] = { .name = "recording",
			       .rows = "SELECT * FROM recording ORDER BY key" },
	[SEALED_WINDOWS] = { .name = "windows",
			     .rows = "SELECT * FROM windows WHERE id = ?1",
			     .count = "SELECT count(*) FROM windows" },
	[SEALED_TASKS] = { .name = "tasks",
			   .rows = "SELECT * FROM tasks WHERE window = ?1 ORDER BY task",
			   .count = "SELECT count(*) FROM tasks" },
	[SEALED_CAUSES] = { .name = "causes",
			    .rows = "SELECT * FROM causes WHERE window = ?1 ORDER BY cause",
			    .count = "SELECT count(*) FROM causes" },
	[SEALED_LOSSES] = { .name = "losses",
			    .rows = "SELECT * FROM losses WHERE window = ?1 ORDER BY loss",
			    .count = "SELECT count(*) FROM losses" },
	[SEALED_OBJECTS] = { .name = "objects",
			     .rows = "SELECT * FROM objects WHERE window = ?1 ORDER BY object",
			     .count = "SELECT count(*) FROM objects",
			     .minor = 1 },
	[SEALED_WAITS] = { .name = "waits",
			   .rows = "SELECT * FROM waits WHERE window = ?1"
				   " ORDER BY task, cause, class, object, owner, owner_tid",
			   .count = "SELECT count(*) FROM waits",
			   .minor = 1 },
	[SEALED_ON_CPU] = { .name = "on_cpu",
			    .rows = "SELECT * FROM on_cpu WHERE window = ?1 ORDER BY hot",
			    .count = "SELECT count(*) FROM on_cpu",
			    .minor = 1 },
	[SEALED_HISTOGRAMS] = { .name = "histograms",
				.rows = "SELECT * FROM histograms WHERE window = ?1"
					" ORDER BY task, kind, from_ns",
				.count = "SELECT count(*) FROM histograms",
				.minor = 1 },
	[SEALED_WAKES] = { .name = "wakes",
			   .rows = "SELECT * FROM wakes WHERE window = ?1 ORDER BY task, object,"
				   " waker, waker_tid, waker_tgid, waker_process, waker_comm,"
				   " context, doing, did_object",
			   .count = "SELECT count(*) FROM wakes",
			   .minor = 4 },
	[SEALED_STACK_NODES] = { .name = "stack_nodes",
				 .rows = "SELECT * FROM stack_nodes WHERE window = ?1"
					 " ORDER BY stack",
				 .count = "SELECT count(*) FROM stack_nodes",
				 .minor = 5 },
	[SEALED_STACK_FRAMES] = { .name = "stack_frames",
				  .rows = "SELECT * FROM stack_frames WHERE window = ?1"
					  " ORDER BY frame",
				  .count = "SELECT count(*) FROM stack_frames",
				  .minor = 5 },
	[SEALED_PLACE_WAITS] = { .name = "place_waits",
				 .rows = "SELECT * FROM place_waits WHERE window = ?1"
					 " ORDER BY task, cause, stack",
				 .count = "SELECT count(*) FROM place_waits",
				 .minor = 5 },
	[SEALED_IMPORTS] = { .name = "imports",
			     .rows = "SELECT * FROM imports WHERE window = ?1",
			     .count = "SELECT count(*) FROM imports",
			     .minor = 6 },
};

/* Columns of tasks. Until minor version 7, sums of threads had the numbers 0, not NULL. */
#define TASKS_NAMES " process, comm, kthread, born, exited, execed,"
#define TASKS_TIMES                                                                                \
	" cgroup_id, begin_ns, wall_ns, on_ns, preempted_ns, runq_ns, blocked_ns, blocked_s_ns,"   \
	" blocked_d_ns, blocked_i_ns, unaccounted_ns, switches, preemptions, wakeups, migrations"
#define TASKS_COLUMNS_0                                                                            \
	"window, task, coalesce(tgid, 0), coalesce(tid, 0)," TASKS_NAMES                           \
	" coalesce(start_boottime_ns, 0)," TASKS_TIMES
#define TASKS_COLUMNS_7                                                                            \
	"window, task, tgid, tid," TASKS_NAMES " start_boottime_ns," TASKS_TIMES                   \
	", cgroup, threads, processes"
#define TASKS_COLUMNS_8 TASKS_COLUMNS_7 ", container_name"
#define TASKS_ROWS(columns) "SELECT " columns " FROM tasks WHERE window = ?1 ORDER BY task"

const char *sealed_table_name(enum sealed_table table)
{
	return tables[table].name;
}

u32 sealed_table_minor(enum sealed_table table)
{
	return tables[table].minor;
}

const char *sealed_table_rows(enum sealed_table table)
{
	return tables[table].rows;
}

const char *sealed_table_rows_of(enum sealed_table table, u32 minor)
{
	if (table != SEALED_TASKS || minor >= 9)
		return sealed_table_rows(table);
	if (minor == 8)
		return TASKS_ROWS(TASKS_COLUMNS_8);
	if (minor == 7)
		return TASKS_ROWS(TASKS_COLUMNS_7);
	return minor >= 3 ? TASKS_ROWS(TASKS_COLUMNS_0 ", cgroup") : TASKS_ROWS(TASKS_COLUMNS_0);
}

const char *sealed_table_count(enum sealed_table table)
{
	return tables[table].count;
}
