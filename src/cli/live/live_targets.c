/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/live_targets.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text/units.h"
#include "proc/task.h"

static void list_ids(struct live_targets *t)
{
	if (!t->ends)
		return;
	t->run->ids = t->ids.data;
	t->run->ids_len = t->ids.len;
}

/* " +4133", " +/shop.slice": what is recorded has changed, and every window says so. */
static void put_words(struct live_targets *t, char sign, const char *whom)
{
	static const char more[] = " ...";
	size_t len = strlen(t->words), n = strlen(whom), more_len = sizeof(more) - 1;

	/* half of it would be another one */
	if (len + n + 2 + sizeof(more) <= t->words_sz)
		snprintf(t->words + len, t->words_sz - len, " %c%s", sign, whom);
	else if (len < more_len || strcmp(t->words + len - more_len, more) != 0)
		memcpy(t->words + len, more, sizeof(more));
}

static bool has_id(const struct live_targets *t, u32 pid, size_t *ret_at)
{
	for (size_t i = 0; i < t->ids.len; i++) {
		if (*(u32 *)vec__at(&t->ids, i) == pid) {
			*ret_at = i;
			return true;
		}
	}
	return false;
}

static int check_pid(const struct live_targets *t, u32 pid, struct err *err)
{
	struct task_status status;
	size_t at;

	if (pid == (u32)getpid())
		return err__set(err, -EINVAL, "%u is coldspot itself", pid);
	if (has_id(t, pid, &at) && proc_task_exists(pid))
		return err__set(err, -EEXIST, "process %u is recorded already", pid);
	if (task_status__read(&status, pid, NULL))
		return err__set(err, -ESRCH, "no process %u", pid);
	if (status.tgid != pid)
		return err__set(err, -EINVAL, "%u is a thread of process %u", pid, status.tgid);
	return 0;
}

static int add_pid(struct live_targets *t, u32 pid, struct err *err)
{
	u32 *id;
	size_t at;
	int r = check_pid(t, pid, err);

	if (!r)
		r = session__add_target(t->session, pid, err);
	if (r)
		return r;
	id = has_id(t, pid, &at) ? vec__at(&t->ids, at) : vec__push(&t->ids);
	if (!id)
		return err__nomem(err);
	*id = pid;
	list_ids(t);
	return 0;
}

static int remove_pid(struct live_targets *t, u32 pid, struct err *err)
{
	size_t at;
	u32 *ids = t->ids.data;
	int r;

	if (t->ends && t->ids.len == 1 && has_id(t, pid, &at))
		return err__set(err, -EINVAL,
				"process %u is the only one that is recorded; Ctrl-C ends the "
				"recording",
				pid);
	r = session__remove_target(t->session, pid, err);
	if (r)
		return r;
	if (has_id(t, pid, &at)) {
		memmove(ids + at, ids + at + 1, (t->ids.len - at - 1) * sizeof(*ids));
		t->ids.len--;
		list_ids(t);
	}
	return 0;
}

/* Index of a cgroup that is recorded, or the number of them. */
static size_t find_cgroup(const struct live_targets *t, const char *path)
{
	size_t i;

	for (i = 0; i < t->cgroups.len; i++) {
		if (strcmp(*(char **)vec__at(&t->cgroups, i), path) == 0)
			break;
	}
	return i;
}

static int list_cgroup(struct live_targets *t, const char *path, struct err *err)
{
	char **slot = vec__push(&t->cgroups);

	if (!slot)
		return err__nomem(err);
	*slot = mem_strdup(path);
	return *slot ? 0 : err__nomem(err);
}

static int add_cgroup(struct live_targets *t, const char *path, struct err *err)
{
	int r;

	if (find_cgroup(t, path) < t->cgroups.len)
		return err__set(err, -EEXIST, "cgroup '%s' is recorded already", path);
	r = session__add_cgroup(t->session, path, err);
	return r ? r : list_cgroup(t, path, err);
}

static int remove_cgroup(struct live_targets *t, const char *path, struct err *err)
{
	size_t at = find_cgroup(t, path);
	char **paths = t->cgroups.data;
	int r;

	if (at == t->cgroups.len)
		return err__set(err, -ESRCH, "cgroup '%s' is not recorded", path);
	if (t->cgroups.len == 1)
		return err__set(err, -EINVAL,
				"cgroup '%s' is the only one that is recorded; Ctrl-C ends the "
				"recording",
				path);
	/* one that was deleted has no threads to remove */
	r = session__remove_cgroup(t->session, path, err);
	if (r && r != -ENOENT)
		return r;
	mem_free(paths[at]);
	memmove(paths + at, paths + at + 1, (t->cgroups.len - at - 1) * sizeof(*paths));
	t->cgroups.len--;
	return 0;
}

static int parse_pid(const char *whom, u32 *ret, struct err *err)
{
	u64 pid;

	if (units_parse_u64(whom, 1, INT_MAX, &pid, NULL))
		return err__set(err, -EINVAL, "'%.60s' is not a PID", whom);
	*ret = (u32)pid;
	return 0;
}

int live_targets__add(struct live_targets *t, const char *whom, struct err *err)
{
	u32 pid = 0;
	int r = t->by_cgroup ? 0 : parse_pid(whom, &pid, err);

	if (!r)
		r = t->by_cgroup ? add_cgroup(t, whom, err) : add_pid(t, pid, err);
	if (!r)
		put_words(t, '+', whom);
	return r;
}

int live_targets__remove(struct live_targets *t, const char *whom, struct err *err)
{
	u32 pid = 0;
	int r = t->by_cgroup ? 0 : parse_pid(whom, &pid, err);

	if (!r)
		r = t->by_cgroup ? remove_cgroup(t, whom, err) : remove_pid(t, pid, err);
	if (!r)
		put_words(t, '-', whom);
	return r;
}

static const char *why_fixed(const struct capture_options *capture)
{
	if (capture->target == CAPTURE_PROCESSES || live_targets_are_cgroups(capture))
		return NULL;
	return capture->target == CAPTURE_THREADS ?
		       "single threads are recorded: start with -p to change processes" :
		       "all processes are recorded: start with -p or --cgroup to choose some";
}

bool live_targets_are_cgroups(const struct capture_options *capture)
{
	return capture->cgroup && capture->target == CAPTURE_ALL;
}

int live_targets__init(struct live_targets *t, const struct capture_options *capture,
		       struct err *err)
{
	const struct run_options *run = t->run;
	u32 *ids;

	t->fixed = why_fixed(capture);
	t->ends = run->ids_len > 0;
	t->by_cgroup = live_targets_are_cgroups(capture);
	vec__init(&t->ids, sizeof(u32));
	vec__init(&t->cgroups, sizeof(char *));
	if (t->by_cgroup)
		return list_cgroup(t, capture->cgroup, err);
	if (!t->ends)
		return 0;
	ids = vec__push_n(&t->ids, run->ids_len);
	if (!ids)
		return err__nomem(err);
	memcpy(ids, run->ids, run->ids_len * sizeof(*ids));
	list_ids(t);
	return 0;
}

void live_targets__done(struct live_targets *t)
{
	vec__done(&t->ids);
	for (size_t i = 0; i < t->cgroups.len; i++)
		mem_free(*(char **)vec__at(&t->cgroups, i));
	vec__done(&t->cgroups);
}
