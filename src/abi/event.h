/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_EVENT_H
#define ABI_EVENT_H

#include <linux/types.h>

#include "abi/postponed.h"
#include "abi/task.h"
#include "abi/unwind.h"

/* Room for a path, in bytes. */
#define CS_PATH_SZ 512

/* Records of the ring buffer; each starts with its kind. */
enum cs_event_kind {
	CS_EVENT_IMAGE = 1, /* struct cs_image_event: a program whose mappings must be read now */
	CS_EVENT_TASK = 2, /* struct cs_task_event: a thread exited or called exec */
	CS_EVENT_RESCAN = 3, /* struct cs_cgroup_event: tasks changed their cgroup; mark again */
	CS_EVENT_TARGET_EXIT = 4, /* struct cs_image_event: a targeted thread group has exited */
	CS_EVENT_MODULE = 5, /* struct cs_module_event: a mapped file was first seen */
	CS_EVENT_CODE = 6, /* struct cs_code_event: an interpreted function was first seen */
	CS_EVENT_RUNTIME = 7, /* struct cs_image_event: code without a file was first seen */
	CS_EVENT_TASK_HIST = 8, /* struct cs_task_hist_event: CS_EVENT_TASK with histograms */
	CS_EVENT_CGROUP = 9, /* struct cs_cgroup_event: a cgroup was created, or tasks joined it */
	CS_EVENT_METHOD = 10, /* struct cs_method_event: an interpreted method was first seen */
	CS_EVENT_MOVED = 12, /* struct cs_event: a sleeper was moved, watch wakeups */
	CS_EVENT_REQUESTS = 13, /* struct cs_image_event: a program served its first request */
	CS_EVENT_POSTPONED = 11, /* struct cs_postponed: a walk met a file without a table */
};

struct cs_event {
	__u32 kind;
	__u32 pad;
};

struct cs_image_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	__u64 image;
	__u64 parent_image; /* forked from it without exec: same mappings; 0 after exec */
};

/* Names of a method: its class, its name, its signature, as in the JVM (JVMS 4.2, 4.3). */
#define CS_METHOD_TEXTS 3
#define CS_METHOD_TEXT_SZ 256

struct cs_method_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	__u64 image;
	__u64 code; /* as from cs_pc_code_addr() */
	__u64 addr; /* of its ConstMethod */
	__u16 len[CS_METHOD_TEXTS]; /* 0: not read; longer names are cut */
	__u16 pad;
	__u8 text[CS_METHOD_TEXTS][CS_METHOD_TEXT_SZ];
};

struct cs_cgroup_event {
	__u32 kind;
	__u32 path_len; /* including its NUL; 0: unreadable or too long */
	__u64 cgroup_id; /* of version 2 */
	char path[CS_PATH_SZ]; /* from the root of the hierarchy */
};

struct cs_task_event {
	__u32 kind;
	__u32 pad;
	struct cs_task_record task;
};

struct cs_task_hist_event {
	__u32 kind;
	__u32 pad;
	struct cs_task_hist_record record;
};

/*
 * A file was first seen: user space opens it while it is still mapped, through /proc/TGID/map_files
 * or by its path, and builds its table.
 */
struct cs_module_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	struct cs_module_key key;
	__u32 id; /* cs_module.id */
	__u32 path_len; /* bytes of `path` that are used */
	__u64 vm_start; /* the mapping in which it was seen */
	__u64 vm_end;
	/*
	 * Names from the root of the mount down, as many as fit; leaf first, each terminated by
	 * NUL. Read here because the process may have exited when user space handles the event.
	 */
	char path[CS_PATH_SZ];
};

#define CS_CODE_NAME_SZ 128
#define CS_CODE_LINES_SZ 1024

/* An interpreted function was first seen in a program. */
struct cs_code_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	__u64 image;
	__u64 code; /* as from cs_pc_code_addr() */
	__u32 version; /* of the interpreter: major << 8 | minor */
	__u32 first_line;
	__u32 lines_len; /* bytes of the line table; beyond CS_CODE_LINES_SZ they are missing */
	__u32 pad;
	__u64 lines_addr; /* of the line table in the process */
	/*
	 * Bytes of the path and of the name; if more than CS_CODE_NAME_SZ, only the last ones are
	 * here. 0: unreadable.
	 */
	__u32 file_len;
	__u32 name_len;
	__u32 file_char; /* 0: ASCII; 1, 2, 4: bytes per character, which is a code point */
	__u32 name_char;
	__u8 file[CS_CODE_NAME_SZ];
	__u8 name[CS_CODE_NAME_SZ]; /* qualified if the interpreter has that */
	__u8 lines[CS_CODE_LINES_SZ];
};

#endif
