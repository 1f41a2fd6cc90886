/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_EVENT_H
#define ABI_EVENT_H

#include <linux/types.h>

#include "abi/task.h"

/* What comes through the ring buffer; every record starts with its kind. */
enum cs_event_kind {
	CS_EVENT_IMAGE = 1, /* struct cs_image_event: a program to read the mappings of, now */
	CS_EVENT_TASK = 2, /* struct cs_task_event: a thread ended or called exec */
	CS_EVENT_RESCAN = 3, /* struct cs_event: tasks joined a traced cgroup; mark again */
	CS_EVENT_TARGET_EXIT = 4, /* struct cs_image_event: a thread group of the targets is gone */
};

struct cs_event {
	__u32 kind;
	__u32 pad;
};

struct cs_image_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	__u64 image;
	__u64 parent_image; /* forked from it and not exec'ed: same mappings; 0 after exec */
};

struct cs_task_event {
	__u32 kind;
	__u32 pad;
	struct cs_task_record task;
};

#endif
