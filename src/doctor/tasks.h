/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCTOR_TASKS_H
#define DOCTOR_TASKS_H

#include "base/sink.h"
#include "base/types.h"

/*
 * What `record --tasks` can do here: the runtimes that it knows, whose memory it may read, and
 * whether it may have real-time priority. `root` is "/proc", or a directory in its place for tests.
 */
void doctor_tasks(const char *root, struct sink *out);
/* Whether the tasks of a process can be read; nothing if it runs nothing that has tasks. */
void doctor_tasks_of(u32 tgid, struct sink *out);

#endif
