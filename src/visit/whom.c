/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A search costs some us for each process, so threads are looked for less often than they are
 * visited. One that lives for less than the time between two searches is never seen.
 */
#include "visit/whom.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proc/family.h"
#include "proc/program.h"
#include "proc/task.h"
#include "proc/thread.h"
#include "visit/proc_files.h"

int whom__init(struct whom *w, const struct capture_options *opt, int root_fd)
{
	int r = 0;

	*w = (struct whom){ .target = opt->target,
			    .follow = opt->follow,
			    .user_threads = opt->user_threads,
			    .kernel_threads = opt->kernel_threads,
			    .has_program = opt->program != NULL,
			    .has_comm = opt->comm != NULL,
			    .any_user = !geteuid(),
			    .root_fd = root_fd };
	vec__init(&w->ids, sizeof(u32));
	vec__init(&w->found, sizeof(u32));
	if (opt->program)
		cs_program_glob_compile(&w->program, opt->program);
	if (opt->comm)
		snprintf(w->comm, sizeof(w->comm), "%s", opt->comm);
	for (size_t i = 0; !r && i < opt->ids_len; i++)
		r = whom__add(w, opt->ids[i]);
	return r;
}

void whom__done(struct whom *w)
{
	if (!w || !w->ids.elem_sz)
		return;
	vec__done(&w->ids);
	vec__done(&w->found);
}

int whom__add(struct whom *w, u32 id)
{
	u32 *copy = vec__push(&w->ids);

	if (!copy)
		return -ENOMEM;
	*copy = id;
	return 0;
}

void whom__remove(struct whom *w, u32 id)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->ids.len; i++) {
		u32 other = *(u32 *)vec__at(&w->ids, i);

		if (other != id)
			*(u32 *)vec__at(&w->ids, kept++) = other;
	}
	w->ids.len = kept;
}

bool whom__is_wide(const struct whom *w)
{
	return w->target == CAPTURE_ALL || w->has_program;
}

static bool runs_program(const struct whom *w, u32 pid)
{
	char name[256];

	program_file(pid, name, sizeof(name));
	if (name[0] && cs_program_glob_match(&w->program, name))
		return true;
	program_arg0(pid, name, sizeof(name));
	return name[0] && cs_program_glob_match(&w->program, name);
}

static bool is_ours(const struct whom *w, u32 pid)
{
	struct stat st;
	char name[16];

	if (w->any_user)
		return true;
	snprintf(name, sizeof(name), "%u", pid);
	return !fstatat(w->root_fd, name, &st, 0) && st.st_uid == geteuid();
}

/* Keeps those that run the program; once in, a process stays in, as in other recordings. */
static int find_program(struct whom *w)
{
	struct vec all;
	int r;

	vec__init(&all, sizeof(u32));
	r = processes_list(&all, NULL);
	for (size_t i = 0; !r && i < all.len; i++) {
		u32 pid = *(u32 *)vec__at(&all, i);
		bool known = false;

		for (size_t k = 0; k < w->ids.len && !known; k++)
			known = *(u32 *)vec__at(&w->ids, k) == pid;
		if (!known && pid != (u32)getpid() && is_ours(w, pid) && runs_program(w, pid))
			r = whom__add(w, pid);
	}
	vec__done(&all);
	return r;
}

/* The processes to be searched for threads. */
static int find_processes(struct whom *w)
{
	int r = 0;

	vec__reset(&w->found);
	if (w->has_program)
		r = find_program(w);
	if (r || w->target == CAPTURE_ALL)
		return r ? r : processes_list(&w->found, NULL);
	for (size_t i = 0; !r && i < w->ids.len; i++) {
		u32 *copy = vec__push(&w->found);

		if (!copy)
			return -ENOMEM;
		*copy = *(u32 *)vec__at(&w->ids, i);
	}
	if (!r && w->follow && w->ids.len)
		r = family_find(w->ids.data, w->ids.len, &w->found, NULL);
	return r;
}

static int search_threads(struct whom *w, u32 pid, whom_fn *each, void *arg)
{
	struct dirent *entry;
	char name[32];
	int fd, r = 0;
	DIR *dir;

	snprintf(name, sizeof(name), "%u/task", pid);
	fd = openat(w->root_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir && fd >= 0)
		close(fd);
	while (dir && !r && (entry = readdir(dir))) {
		char *end;
		unsigned long tid = strtoul(entry->d_name, &end, 10);

		if (end != entry->d_name && !*end)
			r = each(arg, pid, (u32)tid);
	}
	if (dir)
		closedir(dir);
	return r;
}

int whom__search(struct whom *w, whom_fn *each, void *arg)
{
	struct task_status st;
	int r = 0;

	for (size_t i = 0; !r && w->target == CAPTURE_THREADS && i < w->ids.len; i++) {
		u32 tid = *(u32 *)vec__at(&w->ids, i);

		if (!task_status__read(&st, tid, NULL))
			r = each(arg, st.tgid, tid);
	}
	if (r || w->target == CAPTURE_THREADS)
		return r;
	r = find_processes(w);
	for (size_t i = 0; !r && i < w->found.len; i++) {
		u32 pid = *(u32 *)vec__at(&w->found, i);

		if (w->target == CAPTURE_ALL && (pid == (u32)getpid() || !is_ours(w, pid)))
			continue;
		r = search_threads(w, pid, each, arg);
	}
	return r;
}

bool whom__wants(const struct whom *w, const char *comm, bool is_kthread)
{
	char padded[CS_COMM_LEN] = "";

	if (is_kthread ? !w->kernel_threads : !w->user_threads)
		return false;
	snprintf(padded, sizeof(padded), "%s", comm);
	return !w->has_comm || cs_glob_match(w->comm, padded);
}

/* A zombie has ended. */
static bool is_running(const struct whom *w, u32 id)
{
	char path[32], buf[1024];
	struct thread_stat stat;
	struct view text;

	snprintf(path, sizeof(path), "%u/stat", id);
	return proc_text_read(w->root_fd, path, buf, sizeof(buf), &text) &&
	       !thread_stat__parse(&stat, text, NULL) && stat.state != 'Z' && stat.state != 'X';
}

u32 whom__targets(const struct whom *w)
{
	const struct vec *ids = w->target == CAPTURE_THREADS ? &w->ids : &w->found;
	u32 n = 0;

	for (size_t i = 0; i < ids->len; i++)
		n += is_running(w, *(u32 *)vec__at(ids, i));
	return n;
}
