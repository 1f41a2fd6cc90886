/* SPDX-License-Identifier: Apache-2.0 */

/* Checks and describes the processes and threads of a command line. */
#include "app/target.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "proc/family.h"
#include "proc/task.h"

/* More ids than this are counted, not listed. */
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

/* A TID given as a PID is a mistake, whatever else is in the list. */
static int check_process(u32 pid, struct err *err)
{
	struct task_status st;

	if (pid == (u32)getpid())
		return err__set(err, -EINVAL, "%u is coldspot itself, which it does not record",
				pid);
	if (!task_status__read(&st, pid, NULL) && st.tgid != pid)
		return err__set(err, -EINVAL, "%u is a thread of process %u: use -t %u, or -p %u",
				pid, st.tgid, pid, st.tgid);
	return 0;
}

/* Moves those that have exited from `ids` to `ret_gone`. */
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

static int leave_out_gone(struct vec *ids, const char *one, const char *many,
			  struct notices *notices, struct err *err)
{
	char list[128], text[160];
	struct words w = { .buf = list, .sz = sizeof(list) };
	struct vec gone;
	int r;

	vec__init(&gone, sizeof(u32));
	r = move_gone(ids, &gone, err);
	if (!r && gone.len) {
		say(&w, "no %s ", gone.len > 1 ? many : one);
		list_ids(&w, &gone);
		snprintf(text, sizeof(text), "%s: skipped", list);
		if (!ids->len)
			r = err__set(err, -ESRCH, "%s", list);
		else if (notices__add(notices, text))
			r = err__nomem(err);
	}
	vec__done(&gone);
	return r;
}

int target_check(struct target *t, struct notices *notices, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < t->pids->len; i++)
		r = check_process(*(const u32 *)vec__at(t->pids, i), err);
	if (!r)
		r = leave_out_gone(t->pids, "process", "processes", notices, err);
	if (!r)
		r = leave_out_gone(t->tids, "thread", "threads", notices, err);
	return r;
}

static const char *kind_of(const struct target *t)
{
	return t->user_only ? "user " : t->kernel_only ? "kernel " : "";
}

static void say_filters(struct words *w, const struct target *t)
{
	if (t->comm)
		say(w, " named '%s'", t->comm);
	if (t->cgroup)
		say(w, " in cgroup %s", t->cgroup);
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
	else if (t->program)
		say(&w, "program '%s'", t->program);
	else
		say(&w, "all %s%s", kind_of(t), t->tasks ? "tasks" : "threads");
	if (t->pids->len && t->follow)
		say(&w, " and %s descendants", t->pids->len > 1 ? "their" : "its");
	say_filters(&w, t);
}

void target_describe_none(const struct target *t, char *buf, size_t sz)
{
	struct words w = { .buf = buf, .sz = sz };

	if (t->program && !t->comm && !t->cgroup) {
		say(&w, "no process runs a program named '%s'", t->program);
		return;
	}
	say(&w, "no %sthread", kind_of(t));
	if (!t->pids->len && !t->tids->len && !t->program && !t->comm && !t->cgroup)
		say(&w, " that this user may record");
	if (t->program)
		say(&w, " of a program '%s'", t->program);
	if (t->pids->len || t->tids->len) {
		say(&w, " of ");
		say_ids(&w, t->pids->len ? t->pids : t->tids, t->pids->len ? "PID" : "TID",
			t->pids->len ? "processes" : "threads");
	}
	say_filters(&w, t);
}

/* We may be a child ourselves, as of the shell that is recorded; we are not recorded anyway. */
static size_t count_family(const struct vec *pids)
{
	struct vec family;
	size_t n = 0;

	vec__init(&family, sizeof(u32));
	if (!family_find(pids->data, pids->len, &family, NULL)) {
		for (size_t i = 0; i < family.len; i++)
			n += *(const u32 *)vec__at(&family, i) != (u32)getpid();
	}
	vec__done(&family);
	return n;
}

bool target_says_family(const struct target *t, char *buf, size_t sz)
{
	struct words w = { .buf = buf, .sz = sz };
	size_t n = t->pids->len && !t->follow ? count_family(t->pids) : 0;

	if (n) {
		say(&w, "%zu %s of ", n, n > 1 ? "children" : "child");
		if (t->pids->len > 1)
			say(&w, "%zu processes", t->pids->len);
		else
			say(&w, "%u", *(const u32 *)vec__at(t->pids, 0));
		say(&w, " %s not recorded: --tree", n > 1 ? "are" : "is");
	}
	return n;
}
