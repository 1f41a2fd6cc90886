/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each file is read whole and parsed from memory, so that every parser can be tested with text. A
 * comm is chosen by the task and may contain any byte except NUL, including newlines. The kernel
 * escapes those in /proc/PID/status but not in /proc/PID/comm, which is therefore taken as one
 * piece.
 */
#include "proc/task.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

/* A status file has a few KiB. */
#define PROC_FILE_MAX_SZ (64UL << 10)

/* -ESRCH for every way in which the kernel reports that a task is gone. */
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
	FIELD_UID = 4,
	FIELD_NSPID = 8,
	FIELD_PPID = 16,
	FIELD_NEEDED = FIELD_TGID | FIELD_PID | FIELD_UID,
};

/* Returns the field that the line contained, or 0. */
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
			return err__set(err, -EINVAL, "a number in the status is malformed");
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

/* Fields between the one after the comm and the start time, which is field 22. */
#define STAT_FIELDS_BEFORE_START 19

int proc_task_start_parse(struct view text, u64 *ret_boottime_ns, struct err *err)
{
	const u8 *end = text.end;
	struct view rest, field;
	u64 ticks;
	int i;

	/* the comm may contain anything, including parentheses: the last one ends it */
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
