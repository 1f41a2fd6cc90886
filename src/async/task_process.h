/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_PROCESS_H
#define ASYNC_TASK_PROCESS_H

#include "async/go/go_layout.h"
#include "async/go/go_reader.h"
#include "async/py_reader.h"
#include "async/task/task_memory.h"
#include "async/tokio/tk_reader.h"
#include "base/err.h"
#include "base/types.h"
#include "proc/task.h"
#include "visit/process.h"

/* Whether the tasks of a process can be read. */
enum task_process_state {
	TASK_PROCESS_NEW = 0, /* not looked at, or its run time has not started yet */
	TASK_PROCESS_READ,
	TASK_PROCESS_PLAIN, /* it runs nothing that has tasks */
	TASK_PROCESS_REFUSED, /* `why` says why its tasks cannot be read */
	TASK_PROCESS_GONE,
};

enum task_runtime {
	TASK_RUNTIME_NONE = 0,
	TASK_RUNTIME_GO,
	TASK_RUNTIME_PYTHON,
	TASK_RUNTIME_TOKIO,
};

/* Of run times whose readers serve all processes. */
struct task_readers {
	struct go_reader go;
	struct py_reader py;
	struct tk_reader tk;
};

/* A process and the tasks in it. Not thread-safe. */
struct task_process {
	enum task_process_state state;
	enum task_runtime runtime;
	u32 tgid;
	u64 dev, ino; /* of its program; 0: none */
	u64 start_boottime_ns;
	char comm[PROC_COMM_SZ];
	struct err why;
	bool said; /* there is a notice about it */
	bool is_lost; /* it could not be read any more: task_process__forget() */
	bool was_measured; /* probes were put on, or could not be (tasks_measure.h) */
	u32 serial; /* of its probes; 0: it has none */
	struct task_memory mem;
	struct go_program go;
	struct go_layout layout;
	struct go_threads threads;
	struct py_tasks py;
	struct tk_tasks tokio;
	struct python_codes *records; /* borrowed */
	struct tk_shelf *shelf; /* borrowed */
	struct process walker; /* from addresses to files */
	u64 tasks; /* in its list when it was read last, dead or not */
	u64 passes;
	u64 failed; /* passes that ended early, though the process has not */
	u64 cost_ns; /* CPU time to read one of them, of the last passes, or a guess */
};

/* The rest is borrowed: see process.h; `records` get the functions of Python that tasks run. */
void task_process__init(struct task_process *p, u32 tgid, struct code_files *files,
			struct memory_window *window, struct python_codes *records,
			struct tk_shelf *shelf);
void task_process__done(struct task_process *p);
/*
 * Looks at what it runs, if it is new or runs another program than before. -ENOMEM or 0; sets
 * the state.
 */
int task_process__look(struct task_process *p);
/*
 * Shows its tasks. One that cannot be read any more is_lost. -ENOMEM, or what pass->each returns.
 */
int task_process__pass(struct task_process *p, struct task_readers *readers,
		       const struct task_pass *pass);
/* What was found in it is over: it is looked at again later. */
void task_process__forget(struct task_process *p);
/* Whether it still runs the program that was looked at last. */
bool task_process__is_same(const struct task_process *p);
/* The name of the function that a task began with; NULL: not known. Lives as long as `p`. */
const char *task_process__start_name(const struct task_process *p, u64 start);

#endif
