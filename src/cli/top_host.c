/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/top_host.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/outputs.h"
#include "proc/task.h"

/* Also of a link to nothing: it stands for a file of someone. */
static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static int write_profile(void *arg, const struct profile *p, struct cause_memo *memo,
			 const char *path, bool replace, struct err *err)
{
	const struct render_options opt = { .memo = memo };
	const struct top_host *h = arg;
	struct outputs outputs;
	int r;

	if (output_check(path, NULL))
		return err__set(err, -EINVAL,
				"unknown ending of '%.100s'; known: .html .svg .folded .txt .json "
				".pb.gz .csv .coldspot",
				path);
	r = h->file ? output_spare(path, h->file, err) : 0;
	if (r)
		return r;
	if (!replace && exists(path))
		return err__set(err, -EEXIST, "'%s' exists", path);
	outputs__init(&outputs);
	r = outputs__add(&outputs, path, err);
	if (!r)
		r = outputs__write(&outputs, p, &opt, err);
	outputs__done(&outputs);
	return r;
}

static void list_ids(struct top_host *h)
{
	h->run->ids = h->ids.data;
	h->run->ids_len = h->ids.len;
}

/* " +4133": what is recorded has changed, and every window says so. */
static void put_words(struct top_host *h, char sign, u32 pid)
{
	size_t len = strlen(h->target);

	snprintf(h->target + len, h->target_sz - len, " %c%u", sign, pid);
}

static bool has_id(const struct top_host *h, u32 pid, size_t *ret_at)
{
	for (size_t i = 0; i < h->ids.len; i++) {
		if (*(u32 *)vec__at(&h->ids, i) == pid) {
			*ret_at = i;
			return true;
		}
	}
	return false;
}

static int check_pid(const struct top_host *h, u32 pid, struct err *err)
{
	struct task_status status;
	size_t at;

	if (pid == (u32)getpid())
		return err__set(err, -EINVAL, "%u is coldspot itself", pid);
	if (has_id(h, pid, &at) && proc_task_exists(pid))
		return err__set(err, -EEXIST, "process %u is recorded already", pid);
	if (task_status__read(&status, pid, NULL))
		return err__set(err, -ESRCH, "no process %u", pid);
	if (status.tgid != pid)
		return err__set(err, -EINVAL, "%u is a thread of process %u", pid, status.tgid);
	return 0;
}

static int add_target(void *arg, u32 pid, struct err *err)
{
	struct top_host *h = arg;
	u32 *id;
	size_t at;
	int r = check_pid(h, pid, err);

	if (!r)
		r = session__add_target(h->session, pid, err);
	if (r)
		return r;
	id = has_id(h, pid, &at) ? vec__at(&h->ids, at) : vec__push(&h->ids);
	if (!id)
		return err__nomem(err);
	*id = pid;
	list_ids(h);
	put_words(h, '+', pid);
	return 0;
}

static int remove_target(void *arg, u32 pid, struct err *err)
{
	struct top_host *h = arg;
	size_t at;
	u32 *ids = h->ids.data;
	int r = session__remove_target(h->session, pid, err);

	if (r)
		return r;
	if (has_id(h, pid, &at)) {
		memmove(ids + at, ids + at + 1, (h->ids.len - at - 1) * sizeof(*ids));
		h->ids.len--;
		list_ids(h);
	}
	put_words(h, '-', pid);
	return 0;
}

int top_host__init(struct top_host *h, struct session *s, const struct capture_options *capture,
		   struct run_options *run, struct err *err)
{
	u32 *ids;

	memset(h, 0, sizeof(*h));
	vec__init(&h->ids, sizeof(u32));
	h->session = s;
	h->run = run;
	h->asked = (struct viewer_host){
		.write = write_profile,
		.no_targets =
			capture->target == CAPTURE_PROCESSES ?
				NULL :
			capture->target == CAPTURE_THREADS ?
				"single threads are recorded: start with -p to change processes" :
				"all processes are recorded: start with -p to choose some",
		.add_target = add_target,
		.remove_target = remove_target,
		.arg = h,
	};
	ids = vec__push_n(&h->ids, run->ids_len + 1);
	if (!ids)
		return err__nomem(err);
	h->ids.len--;
	if (run->ids_len)
		memcpy(ids, run->ids, run->ids_len * sizeof(*ids));
	list_ids(h);
	return 0;
}

void top_host__done(struct top_host *h)
{
	vec__done(&h->ids);
}
