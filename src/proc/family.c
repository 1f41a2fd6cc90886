/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/family.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map64.h"
#include "proc/task.h"

static int push(struct vec *pids, u32 pid, struct err *err)
{
	u32 *place = vec__push(pids);

	if (!place)
		return err__nomem(err);
	*place = pid;
	return 0;
}

int processes_list(struct vec *ret_pids, struct err *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return err__set(err, -errno, "cannot read /proc: %s", err_str(errno));
	while (!r && (entry = readdir(dir))) {
		char *end;
		unsigned long pid = strtoul(entry->d_name, &end, 10);

		if (end != entry->d_name && !*end)
			r = push(ret_pids, (u32)pid, err);
	}
	closedir(dir);
	return r;
}

/* The parent of each process; one that has exited meanwhile has none. */
static int read_parents(const struct vec *pids, struct vec *parents, struct err *err)
{
	struct task_status st;
	int r = 0;

	for (size_t i = 0; !r && i < pids->len; i++) {
		bool is_there = !task_status__read(&st, *(const u32 *)vec__at(pids, i), NULL);

		r = push(parents, is_there ? st.ppid : 0, err);
	}
	return r;
}

/* Takes in the children of those that are in. *ret_more: there were some. */
static int take_children(const struct vec *pids, const struct vec *parents, struct map64 *in,
			 struct vec *ret_pids, bool *ret_more, struct err *err)
{
	int r = 0;

	*ret_more = false;
	for (size_t i = 0; !r && i < pids->len; i++) {
		u32 pid = *(const u32 *)vec__at(pids, i);
		u32 parent = *(const u32 *)vec__at(parents, i);
		u64 known;

		if (!parent || map64__get(in, pid, &known) || !map64__get(in, parent, &known))
			continue;
		*ret_more = true;
		r = map64__set(in, pid, 1) ? err__nomem(err) : push(ret_pids, pid, err);
	}
	return r;
}

int family_find(const u32 *pids, size_t len, struct vec *ret_pids, struct err *err)
{
	struct vec all, parents;
	struct map64 in;
	bool more = true;
	int r = 0;

	vec__init(&all, sizeof(u32));
	vec__init(&parents, sizeof(u32));
	map64__init(&in);
	for (size_t i = 0; !r && i < len; i++)
		r = map64__set(&in, pids[i], 1) ? err__nomem(err) : 0;
	if (!r)
		r = processes_list(&all, err);
	if (!r)
		r = read_parents(&all, &parents, err);
	while (!r && more)
		r = take_children(&all, &parents, &in, ret_pids, &more, err);
	vec__done(&all);
	vec__done(&parents);
	map64__done(&in);
	return r;
}
