/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_EVENT_H
#define ABI_EVENT_H

#include <linux/types.h>

#include "abi/task.h"
#include "abi/unwind.h"

/* Bytes of a path that there is room for. */
#define CS_PATH_SZ 512

/* What comes through the ring buffer; every record starts with its kind. */
enum cs_event_kind {
	CS_EVENT_IMAGE = 1, /* struct cs_image_event: a program to read the mappings of, now */
	CS_EVENT_TASK = 2, /* struct cs_task_event: a thread ended or called exec */
	CS_EVENT_RESCAN = 3, /* struct cs_cgroup_event: tasks changed their cgroup; mark again */
	CS_EVENT_TARGET_EXIT = 4, /* struct cs_image_event: a thread group of the targets is gone */
	CS_EVENT_MODULE = 5, /* struct cs_module_event: first sight of a mapped file */
	CS_EVENT_CODE = 6, /* struct cs_code_event: first sight of an interpreted function */
	CS_EVENT_RUNTIME = 7, /* struct cs_image_event: first sight of code without a file */
	CS_EVENT_TASK_HIST = 8, /* struct cs_task_hist_event: CS_EVENT_TASK with histograms */
	CS_EVENT_CGROUP = 9, /* struct cs_cgroup_event: a cgroup was made, or tasks came into it */
	CS_EVENT_METHOD = 10, /* struct cs_method_event: first sight of an interpreted method */
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

/* Names of a method: of its class, its own, its signature; as the JVM has them (JVMS 4.2, 4.3). */
#define CS_METHOD_TEXTS 3
#define CS_METHOD_TEXT_SZ 256

struct cs_method_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	__u64 image;
	__u64 code; /* as cs_pc_code_addr() has it */
	__u64 addr; /* of its ConstMethod */
	__u16 len[CS_METHOD_TEXTS]; /* 0: not read; beyond the room: only the first are here */
	__u16 pad;
	__u8 text[CS_METHOD_TEXTS][CS_METHOD_TEXT_SZ];
};

struct cs_cgroup_event {
	__u32 kind;
	__u32 path_len; /* with its NUL; 0: it could not be read, or was too long */
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
 * A file was met for the first time: user space opens it while somebody has it mapped, by
 * /proc/TGID/map_files or by its path, and builds its table.
 */
struct cs_module_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	struct cs_module_key key;
	__u32 id; /* cs_module.id */
	__u32 path_len; /* bytes of `path` that are used */
	__u64 vm_start; /* the mapping it was met in */
	__u64 vm_end;
	/*
	 * Names from the root of the mount down, as many as there was room for; leaf first, each
	 * ended by a NUL: the process may be gone when it is read.
	 */
	char path[CS_PATH_SZ];
};

#define CS_CODE_NAME_SZ 128
#define CS_CODE_LINES_SZ 1024

/* An interpreted function was met for the first time in a program. */
struct cs_code_event {
	__u32 kind;
	__u32 tgid; /* in the PID namespace of the profiler */
	__u64 image;
	__u64 code; /* as cs_pc_code_addr() has it */
	__u32 version; /* of the interpreter: major << 8 | minor */
	__u32 first_line;
	__u32 lines_len; /* bytes of the line table; beyond CS_CODE_LINES_SZ: missing */
	__u32 pad;
	__u64 lines_addr; /* of the line table in the process */
	/*
	 * Bytes of the path and of the name; of more than CS_CODE_NAME_SZ, only the last ones are
	 * here. 0: it could not be read.
	 */
	__u32 file_len;
	__u32 name_len;
	__u32 file_char; /* 0: ASCII; 1, 2, 4: bytes of each character, which is a code point */
	__u32 name_char;
	__u8 file[CS_CODE_NAME_SZ];
	__u8 name[CS_CODE_NAME_SZ]; /* qualified where the interpreter has it */
	__u8 lines[CS_CODE_LINES_SZ];
};

#endif
