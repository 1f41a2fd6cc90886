/* SPDX-License-Identifier: Apache-2.0 */
#include "proc/mapped_inodes.h"

#include <errno.h>

#include "proc/family.h"
#include "proc/maps.h"

static int add_process(struct mapped_inodes *m, u32 pid)
{
	struct maps maps;
	int r = maps__read(&maps, pid, NULL);

	for (size_t i = 0; !r && i < maps.len; i++) {
		if (maps.ranges[i].ino)
			r = map64__set(&m->numbers, maps.ranges[i].ino, 1);
	}
	maps__done(&maps);
	return r == -ENOMEM ? r : 0;
}

int mapped_inodes__read(struct mapped_inodes *m)
{
	struct vec pids;
	int r;

	map64__init(&m->numbers);
	vec__init(&pids, sizeof(u32));
	r = processes_list(&pids, NULL);
	for (size_t i = 0; !r && i < pids.len; i++)
		r = add_process(m, *(const u32 *)vec__at(&pids, i));
	vec__done(&pids);
	if (r)
		mapped_inodes__done(m);
	return r;
}

void mapped_inodes__done(struct mapped_inodes *m)
{
	map64__done(&m->numbers);
	map64__init(&m->numbers);
}

bool mapped_inodes__has(const struct mapped_inodes *m, u64 ino)
{
	u64 known;

	return map64__get(&m->numbers, ino, &known);
}
