/* SPDX-License-Identifier: Apache-2.0 */

/* Checks and words for the processes and threads named on a command line. */
#include "cli/target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "proc/task.h"

/* More than this many ids are counted, not listed. */
#define LIST_MAX 6

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

static void list_ids(struct words *w, const struct vec *ids)
{
	for (size_t i = 0; i < ids->len && i < LIST_MAX; i++)
		say(w, "%s%u", i ? ", " : "", *(const u32 *)vec__at(ids, i));
	say(w, "%s", ids->len > LIST_MAX ? ", ..." : "");
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
	list_ids(w, ids);
	say(w, ")");
}

/* A thread that is given as a process is a mistake, whoever else is in the list. */
static int check_process(u32 pid, struct err *err)
{
	struct task_status st;

	if (pid == (u32)getpid())
		return err__set(err, -EINVAL, "%u is coldspot itself, which is not recorded", pid);
	if (!task_status__read(&st, pid, NULL) && st.tgid != pid)
		return err__set(err, -EINVAL, "%u is a thread of process %u: use -t %u, or -p %u",
				pid, st.tgid, pid, st.tgid);
	return 0;
}

/* Those that are gone, from `ids` to `ret_gone`. */
static int move_gone(struct vec *ids, struct vec *ret_gone, struct err *err)
{
	size_t here = 0;

	for (size_t i = 0; i < ids->len; i++) {
		u32 id = *(u32 *)vec__at(ids, i), *gone;

		if (proc_task_exists(id)) {
			*(u32 *)vec__at(ids, here++) = id;
			continue;
		}
		gone = vec__push(ret_gone);
		if (!gone)
			return err__nomem(err);
		*gone = id;
	}
	ids->len = here;
	return 0;
}

static int leave_out_gone(struct vec *ids, const char *one, const char *many, struct err *err)
{
	char list[128];
	struct words w = { .buf = list, .sz = sizeof(list) };
	struct vec gone;
	int r;

	vec__init(&gone, sizeof(u32));
	r = move_gone(ids, &gone, err);
	if (!r && gone.len) {
		say(&w, "no %s ", gone.len > 1 ? many : one);
		list_ids(&w, &gone);
		if (!ids->len)
			r = err__set(err, -ESRCH, "%s", list);
		else
			fprintf(stderr, "coldspot: %s: left out\n", list);
	}
	vec__done(&gone);
	return r;
}

int target_check(struct target *t, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < t->pids->len; i++)
		r = check_process(*(const u32 *)vec__at(t->pids, i), err);
	if (!r)
		r = leave_out_gone(t->pids, "process", "processes", err);
	if (!r)
		r = leave_out_gone(t->tids, "thread", "threads", err);
	return r;
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
