/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_OBJECTS_H
#define CAPTURE_OBJECT_OBJECTS_H

#include "abi/object.h"
#include "abi/task.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/mapping/devices.h"
#include "capture/mapping/mapped.h"
#include "capture/object/capture_files.h"
#include "capture/object/peers.h"
#include "capture/program/programs.h"

/*
 * Moves the objects of waits from the programs' table to a builder, and finds threads by the TIDs
 * of their own PID namespaces: a lock stores such a TID as its owner.
 */
struct objects {
	struct builder *b;
	struct peers *peers;
	const struct mapped *mapped;
	const struct capture_files *files;
	struct map64 modules; /* hash of a module's key to an index of `mapped`'s files */
	struct vec read; /* struct read_object: what the table holds, of all windows */
	struct map64 read_by_id; /* cs_object.id to an index of `read` */
	struct map64 ids; /* cs_object.id to the builder's id, of those that a wait has */
	struct map64 threads; /* (tgid, own number) to (thread, builder's task id) */
	struct map64 by_own; /* (PID namespace, own number) to the same */
	struct map64 spaces; /* builder's task id to (tgid, PID namespace) */
	struct devices devices;
	u64 entries; /* in the programs' table */
	bool full; /* our own memory is used up: some objects are missing */
	u32 own_pidns; /* ours, as the kernel numbers them */
	struct map64 by_tid; /* our number to the builder's task id */
	struct map64 by_host; /* the kernel's number of a process to ours */
};

/* Objects that are read are also added to `peers`. */
void objects__init(struct objects *o, struct builder *b, struct peers *peers);
void objects__done(struct objects *o);
/* `task` is the builder's id of this record. -ENOMEM or 0. */
int objects__add_thread(struct objects *o, const struct cs_task_record *rec, u32 task);
/* Reads the table; `files` names variables. */
int objects__read(struct objects *o, const struct programs *p, const struct mapped *mapped,
		  const struct capture_files *files, struct err *err);
/* Adds CS_OBJECT_OTHER, once a wait has it. -ENOMEM, -EINVAL or 0. */
int objects__add_other(struct objects *o);
/*
 * The builder's id of a cs_wait_key.object, or 0. The object gets into the profile only now: the
 * table also holds those of other windows. -ENOMEM, -EINVAL or 0.
 */
int objects__at(struct objects *o, u32 object, u32 *ret);
/*
 * Finds the thread whose TID in the PID namespace of `waiter` (a builder's task id) is `owner`
 * (cs_wait_key.owner). *ret_task is 0 if it was not recorded. Both are 0 if there is no owner or no
 * thread has that TID. Threads that share a lock are assumed to share a PID namespace.
 */
void objects__owner(const struct objects *o, u32 owner, u32 waiter, u32 *ret_task, u32 *ret_tid);

#endif
