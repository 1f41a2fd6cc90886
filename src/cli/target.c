/* SPDX-License-Identifier: Apache-2.0 */

/* Checks and words for the processes and threads named on a command line. */
#include "cli/target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "proc/task.h"

/* More than this many ids are counted, not listed. */
#define LIST_MAX 6

static int check_process(u32 pid, struct err *err)
{
	struct task_status st;

	if (!proc_task_exists(pid))
		return err__set(err, -ESRCH, "no process %u", pid);
	if (!task_status__read(&st, pid, NULL) && st.tgid != pid)
		return err__set(err, -EINVAL, "%u is a thread of process %u: use -t %u, or -p %u",
				pid, st.tgid, pid, st.tgid);
	return 0;
}

int target_check(const struct target *t, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < t->pids->len; i++)
		r = check_process(*(const u32 *)vec__at(t->pids, i), err);
	for (size_t i = 0; !r && i < t->tids->len; i++) {
		u32 tid = *(const u32 *)vec__at(t->tids, i);

		if (!proc_task_exists(tid))
			r = err__set(err, -ESRCH, "no thread %u", tid);
	}
	return r;
}

struct words {
	char *buf;
	size_t sz;
	size_t len;
};

static void say(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(struct words *w, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(w->buf + w->len, w->sz - w->len, fmt, args);
	va_end(args);
	if (n > 0)
		w->len = w->len + (size_t)n < w->sz ? w->len + (size_t)n : w->sz - 1;
}

static void say_ids(struct words *w, const struct vec *ids, const char *one, const char *many)
{
	char comm[PROC_COMM_SZ];

	if (ids->len == 1) {
		u32 id = *(const u32 *)vec__at(ids, 0);

		say(w, "%s %u", one, id);
		if (!proc_task_comm(id, comm, sizeof(comm), NULL))
			say(w, " (%s)", comm);
		return;
	}
	say(w, "%zu %s (", ids->len, many);
	for (size_t i = 0; i < ids->len && i < LIST_MAX; i++)
		say(w, "%s%u", i ? ", " : "", *(const u32 *)vec__at(ids, i));
	say(w, "%s)", ids->len > LIST_MAX ? ", ..." : "");
}

void target_describe(const struct target *t, char *buf, size_t sz)
{
	struct words w = { .buf = buf, .sz = sz };

	if (t->command)
		say(&w, "command %s", t->command);
	else if (t->pids->len)
		say_ids(&w, t->pids, "PID", "processes");
	else if (t->tids->len)
		say_ids(&w, t->tids, "TID", "threads");
	else
		say(&w, "all %sthreads", t->user_only ? "user " : t->kernel_only ? "kernel " : "");
	if (t->comm)
		say(&w, " named '%s'", t->comm);
	if (t->cgroup)
		say(&w, " in cgroup %s", t->cgroup);
}
