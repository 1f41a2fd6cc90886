/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file is read whole and parsed from memory, so that every parser can be tested with text. A
 * comm is the task's own choice and may hold any byte but NUL, newlines too: the kernel escapes
 * those in /proc/PID/status and not in /proc/PID/comm, which therefore is taken as one piece.
 */
#include "proc/task.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* A status or cgroup file is a few KiB; a cgroup path may have 4 KiB for each hierarchy. */
#define PROC_FILE_MAX_SZ (256UL << 10)

/* -ESRCH for every way in which the kernel says that a task is gone. */
static int read_file(u32 tid, const char *name, char **ret_text, size_t *ret_sz, struct err *err)
{
	char path[64];
	int r;

	snprintf(path, sizeof(path), "/proc/%u/%s", tid, name);
	r = file_read(path, PROC_FILE_MAX_SZ, ret_text, ret_sz, err);
	if (r == -ENOENT && proc_task_exists(tid))
		return r;
	if (r == -ENOENT || r == -ESRCH)
		return err__set(err, -ESRCH, "task %u is gone", tid);
	return r;
}

static u32 dec_u32(struct view *v)
{
	u64 n;

	view__blank(v);
	n = view__dec(v);
	if (n > UINT32_MAX)
		v->bad = true;
	return (u32)n;
}

/* The last number of "NSpid:\t17\t4\t1" is the innermost one. */
static void parse_nspid(struct task_status *s, struct view *line)
{
	s->ns_pid = dec_u32(line);
	for (view__blank(line); !line->bad && view__left(line); view__blank(line)) {
		s->ns_pid = dec_u32(line);
		s->ns_depth++;
	}
}

enum status_field {
	FIELD_TGID = 1,
	FIELD_PID = 2,
	FIELD_PPID = 4,
	FIELD_UID = 8,
	FIELD_NSPID = 16,
	FIELD_NEEDED = FIELD_TGID | FIELD_PID | FIELD_PPID | FIELD_UID,
};

/* Returns the field that the line gave, or 0. */
static u32 parse_status_line(struct task_status *s, struct view *line)
{
	struct view key;

	if (!view__token(line, &key))
		return 0;
	if (view__eq(&key, "Tgid:")) {
		s->tgid = dec_u32(line);
		return FIELD_TGID;
	}
	if (view__eq(&key, "Pid:")) {
		s->pid = dec_u32(line);
		return FIELD_PID;
	}
	if (view__eq(&key, "PPid:")) {
		s->ppid = dec_u32(line);
		return FIELD_PPID;
	}
	if (view__eq(&key, "Uid:")) {
		s->uid = dec_u32(line);
		s->euid = dec_u32(line);
		return FIELD_UID;
	}
	if (view__eq(&key, "NSpid:")) {
		parse_nspid(s, line);
		return FIELD_NSPID;
	}
	return 0;
}

int task_status__parse(struct task_status *ret, struct view text, struct err *err)
{
	struct task_status s = { 0 };
	struct view line;
	u32 seen = 0;

	while (view__line(&text, &line)) {
		seen |= parse_status_line(&s, &line);
		if (line.bad)
			return err__set(err, -EINVAL, "a number in the status makes no sense");
	}
	if ((seen & FIELD_NEEDED) != FIELD_NEEDED)
		return err__set(err, -EINVAL, "the status lacks a field");
	/* without CONFIG_PID_NS there is one namespace */
	if (!(seen & FIELD_NSPID))
		s.ns_pid = s.pid;
	*ret = s;
	return 0;
}

int task_status__read(struct task_status *ret, u32 tid, struct err *err)
{
	char *text;
	size_t sz;
	int r = read_file(tid, "status", &text, &sz, err);

	if (r)
		return r;
	r = task_status__parse(ret, view__of(text, sz), err);
	mem_free(text);
	return r ? err__wrap(err, r, "task %u", tid) : 0;
}

int task_schedstat__parse(struct task_schedstat *ret, struct view text, struct err *err)
{
	struct task_schedstat s;

	s.on_ns = view__dec(&text);
	view__blank(&text);
	s.runq_ns = view__dec(&text);
	view__blank(&text);
	s.slices = view__dec(&text);
	if (text.bad)
		return err__set(err, -EINVAL, "the schedstat is not three numbers");
	*ret = s;
	return 0;
}

int task_schedstat__read(struct task_schedstat *ret, u32 tid, struct err *err)
{
	char *text;
	size_t sz;
	int r = read_file(tid, "schedstat", &text, &sz, err);

	if (r)
		return r;
	r = task_schedstat__parse(ret, view__of(text, sz), err);
	mem_free(text);
	return r ? err__wrap(err, r, "task %u", tid) : 0;
}

int proc_task_comm(u32 tid, char *buf, size_t sz, struct err *err)
{
	struct view comm;
	char *text;
	size_t text_sz;
	int r = read_file(tid, "comm", &text, &text_sz, err);

	if (r)
		return r;
	if (text_sz && text[text_sz - 1] == '\n')
		text_sz--;
	comm = view__of(text, text_sz);
	view__copy(&comm, buf, sz);
	mem_free(text);
	return 0;
}

static int compare_tids(const void *a, const void *b)
{
	const u32 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int read_tids(DIR *dir, struct vec *tids)
{
	struct dirent *entry;

	while ((errno = 0, entry = readdir(dir))) {
		struct view name = view__of_str(entry->d_name);
		u64 tid = view__dec(&name);
		u32 *item;

		if (name.bad || view__left(&name) || tid > UINT32_MAX)
			continue;
		item = vec__push(tids);
		if (!item)
			return -ENOMEM;
		*item = (u32)tid;
	}
	return -errno;
}

int proc_task_threads(u32 tgid, struct vec *ret_tids, struct err *err)
{
	char path[32];
	DIR *dir;
	int r;

	vec__init(ret_tids, sizeof(u32));
	snprintf(path, sizeof(path), "/proc/%u/task", tgid);
	dir = opendir(path);
	r = dir ? read_tids(dir, ret_tids) : -errno;
	if (dir)
		closedir(dir);
	if (r)
		vec__done(ret_tids);
	if (r == -ENOENT || r == -ESRCH)
		return err__set(err, -ESRCH, "process %u is gone", tgid);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r)
		return err__set(err, r, "cannot list the threads of process %u: %s", tgid,
				err_str(r));
	if (ret_tids->len)
		qsort(ret_tids->data, ret_tids->len, sizeof(u32), compare_tids);
	return 0;
}

int proc_task_cgroup_parse(struct view text, char **ret_path, struct err *err)
{
	struct view line;

	/* "0::/path" is the v2 hierarchy, "4:memory:/path" is one of v1 */
	while (view__line(&text, &line)) {
		const char *mark = view__bytes(&line, 3);

		if (!mark || memcmp(mark, "0::", 3) != 0)
			continue;
		if (!view__left(&line) || *line.p != '/')
			return err__set(err, -EINVAL, "a cgroup path that does not begin with /");
		*ret_path = mem_strndup((const char *)line.p, view__left(&line));
		return *ret_path ? 0 : err__nomem(err);
	}
	return err__set(err, -ENOENT, "there is no cgroup v2 hierarchy");
}

int proc_task_cgroup(u32 tid, char **ret_path, struct err *err)
{
	char *text;
	size_t sz;
	int r = read_file(tid, "cgroup", &text, &sz, err);

	if (r)
		return r;
	r = proc_task_cgroup_parse(view__of(text, sz), ret_path, err);
	mem_free(text);
	return r;
}

/* Fields between the one behind the comm and the start, which is number 22. */
#define STAT_FIELDS_BEFORE_START 19

int proc_task_start_parse(struct view text, u64 *ret_boottime_ns, struct err *err)
{
	const u8 *end = text.end;
	struct view rest, field;
	u64 ticks;
	int i;

	/* the comm may hold anything, parentheses too: the last one ends it */
	while (view__left(&text) && text.end[-1] != ')')
		text.end--;
	rest = view__of(text.end, (size_t)(end - text.end));
	for (i = 0; i < STAT_FIELDS_BEFORE_START; i++)
		view__token(&rest, &field);
	view__blank(&rest);
	ticks = view__dec(&rest);
	if (rest.bad || !view__left(&text))
		return err__set(err, -EINVAL, "the stat has no start time");
	*ret_boottime_ns = ticks * (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK));
	return 0;
}

int proc_task_start(u32 tid, u64 *ret_boottime_ns, struct err *err)
{
	char *text;
	size_t sz;
	int r = read_file(tid, "stat", &text, &sz, err);

	if (r)
		return r;
	r = proc_task_start_parse(view__of(text, sz), ret_boottime_ns, err);
	mem_free(text);
	return r ? err__wrap(err, r, "task %u", tid) : 0;
}

bool proc_task_exists(u32 tid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%u", tid);
	return access(path, F_OK) == 0;
}
