/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/live/live_targets.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proc/task.h"

static void list_ids(struct live_targets *t)
{
	if (!t->ends)
		return;
	t->run->ids = t->ids.data;
	t->run->ids_len = t->ids.len;
}

/* " +4133": what is recorded has changed, and every window says so. */
static void put_words(struct live_targets *t, char sign, u32 pid)
{
	static const char more[] = " ...";
	size_t len = strlen(t->words), more_len = sizeof(more) - 1;
	char word[16];
	int n = snprintf(word, sizeof(word), " %c%u", sign, pid);

	/* half a number would be another process */
	if (len + (size_t)n + sizeof(more) <= t->words_sz)
		memcpy(t->words + len, word, (size_t)n + 1);
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

int live_targets__add(struct live_targets *t, u32 pid, struct err *err)
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
	put_words(t, '+', pid);
	return 0;
}

int live_targets__remove(struct live_targets *t, u32 pid, struct err *err)
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
	put_words(t, '-', pid);
	return 0;
}

static const char *why_fixed(const struct capture_options *capture)
{
	if (capture->target == CAPTURE_PROCESSES)
		return NULL;
	return capture->target == CAPTURE_THREADS ?
		       "single threads are recorded: start with -p to change processes" :
		       "all processes are recorded: start with -p to choose some";
}

int live_targets__init(struct live_targets *t, const struct capture_options *capture,
		       struct err *err)
{
	const struct run_options *run = t->run;
	u32 *ids;

	t->fixed = why_fixed(capture);
	t->ends = run->ids_len > 0;
	vec__init(&t->ids, sizeof(u32));
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
}
