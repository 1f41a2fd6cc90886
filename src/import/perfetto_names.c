/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perfetto_names.h"

#include <errno.h>

#include "import/format.h"
#include "import/wire.h"

/* Linux' PID_MAX_LIMIT, include/linux/threads.h. wprof has larger numbers for kernel threads. */
#define PID_MAX (4U << 20)

/* Of process_tree.proto, track_descriptor.proto and what these contain. */
enum {
	TREE_PROCESSES = 1,
	TREE_THREADS = 2,
	TREE_PROCESS_PID = 1,
	TREE_PROCESS_CMDLINE = 3,
	TREE_THREAD_TID = 1,
	TREE_THREAD_NAME = 2,
	TREE_THREAD_TGID = 3,
	TRACK_UUID = 1,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
};

struct known_thread {
	u32 tid;
	u32 tgid; /* 0: not known */
	struct view name; /* of the thread; or of the process, if this is one */
	bool is_process;
};

void perfetto_names__init(struct perfetto_names *n)
{
	vec__init(&n->known, sizeof(struct known_thread));
	map64__init(&n->tracks);
}

void perfetto_names__done(struct perfetto_names *n)
{
	vec__done(&n->known);
	map64__done(&n->tracks);
}

u32 perfetto_names__tid(const struct perfetto_names *n, u64 uuid)
{
	u64 tid = 0;

	map64__get(&n->tracks, uuid, &tid);
	return (u32)tid;
}

static int know(struct perfetto_names *n, u64 tid, u64 tgid, struct view name, bool is_process)
{
	struct known_thread *k;

	if (!tid || tid > PID_MAX)
		return 0;
	k = vec__push(&n->known);
	if (!k)
		return -ENOMEM;
	*k = (struct known_thread){ .tid = (u32)tid,
				    .tgid = tgid > PID_MAX ? 0 : (u32)tgid,
				    .name = name,
				    .is_process = is_process };
	return 0;
}

/* The last part of the path that a process was started by. */
static struct view program_of(struct view cmdline)
{
	struct view rest;

	return import_split_last(&cmdline, '/', &rest) ? rest : cmdline;
}

static struct view first_bytes(struct view message, u64 number)
{
	struct wire_field f;

	while (wire__next(&message, &f)) {
		if (f.number == number && f.is_bytes)
			return f.bytes;
	}
	return view__of_str("");
}

int perfetto_names__add_tree(struct perfetto_names *n, struct view message)
{
	struct wire_field f;
	int r = 0;

	while (!r && wire__next(&message, &f)) {
		if (f.number == TREE_PROCESSES && f.is_bytes) {
			u64 pid = wire__number(f.bytes, TREE_PROCESS_PID);

			r = know(n, pid, pid,
				 program_of(first_bytes(f.bytes, TREE_PROCESS_CMDLINE)), true);
		} else if (f.number == TREE_THREADS && f.is_bytes) {
			r = know(n, wire__number(f.bytes, TREE_THREAD_TID),
				 wire__number(f.bytes, TREE_THREAD_TGID),
				 wire__bytes(f.bytes, TREE_THREAD_NAME), false);
		}
	}
	return r;
}

int perfetto_names__add_track(struct perfetto_names *n, struct view message)
{
	struct view thread = wire__bytes(message, TRACK_THREAD);
	struct view process = wire__bytes(message, TRACK_PROCESS);
	u64 tid = wire__number(thread, THREAD_TID), pid = wire__number(process, PROCESS_PID);
	int r = 0;

	if (tid)
		r = map64__set(&n->tracks, wire__number(message, TRACK_UUID), tid);
	if (!r && tid)
		r = know(n, tid, wire__number(thread, THREAD_PID), wire__bytes(thread, THREAD_NAME),
			 false);
	return r ? r : know(n, pid, pid, wire__bytes(process, PROCESS_NAME), true);
}

static struct view process_of(const struct perfetto_names *n, const struct map64 *processes,
			      u32 tgid)
{
	u64 index;

	if (!tgid || !map64__get(processes, tgid, &index))
		return view__of_str("");
	return ((const struct known_thread *)vec__at(&n->known, index))->name;
}

int perfetto_names__give(const struct perfetto_names *n, struct sched_trace *to)
{
	const struct known_thread *k;
	struct map64 processes;
	int r = 0;

	map64__init(&processes);
	for (size_t i = 0; !r && i < n->known.len; i++) {
		k = vec__at(&n->known, i);
		if (k->is_process && view__left(&k->name))
			r = map64__set(&processes, k->tgid, i);
	}
	for (size_t i = 0; !r && i < n->known.len; i++) {
		struct view process, none = view__of_str("");

		k = vec__at(&n->known, i);
		process = process_of(n, &processes, k->tgid);
		r = sched_trace__know(to, k->tid, k->is_process ? &none : &k->name, k->tgid,
				      &process);
	}
	map64__done(&processes);
	return r;
}
