/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECTS_H
#define CAPTURE_OBJECTS_H

#include "abi/object.h"
#include "abi/task.h"
#include "base/err.h"
#include "base/map64.h"
#include "base/vec.h"
#include "capture/capture.h"
#include "capture/devices.h"
#include "capture/mapped.h"
#include "capture/peers.h"
#include "capture/programs.h"

/*
 * What waits were for, from the programs' table to a builder, and threads by the numbers that they
 * have for themselves, which is how a lock knows its holder.
 */
struct objects {
	struct builder *b;
	struct peers *peers;
	const struct mapped *mapped;
	const struct capture_files *files;
	struct map64 modules; /* hash of a module's key to an index of `mapped`'s files */
	struct map64 ids; /* cs_object.id to the builder's id */
	struct map64 threads; /* (tgid, own number) to (thread, builder's task id) */
	struct map64 by_own; /* (PID namespace, own number) to the same */
	struct map64 spaces; /* builder's task id to (tgid, PID namespace) */
	struct devices devices;
	bool full; /* our own memory is used up: some objects are missing */
	u32 own_pidns; /* ours, as the kernel numbers them */
	struct map64 by_tid; /* our number to the builder's task id */
};

/* `peers` is told of each object that is read. */
void objects__init(struct objects *o, struct builder *b, struct peers *peers);
void objects__done(struct objects *o);
/* `task` is the builder's id of this record. -ENOMEM or 0. */
int objects__add_thread(struct objects *o, const struct cs_task_record *rec, u32 task);
/* Takes in the table; `files` tells the names of variables. */
int objects__read(struct objects *o, const struct programs *p, const struct mapped *mapped,
		  const struct capture_files *files, struct err *err);
/* CS_OBJECT_OTHER is an object too. -ENOMEM, -EINVAL or 0. */
int objects__add_other(struct objects *o);
/* The builder's id of a cs_wait_key.object, or 0. */
u32 objects__at(const struct objects *o, u32 object);
/*
 * The thread that `waiter`, the builder's id of a task, calls `owner` (cs_wait_key.owner): its
 * task, or 0 if it was not recorded, and its number. Both 0 when there is none, or when what was
 * read as its number is nobody's. Who shares a lock is taken to be in one PID namespace.
 */
void objects__owner(const struct objects *o, u32 owner, u32 waiter, u32 *ret_task, u32 *ret_tid);

#endif
