/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_JITDUMP_H
#define SYMBOL_JITDUMP_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * Names and source lines of a process's JIT-compiled code, from its jit-PID.dump: the binary log
 * described in the kernel's tools/perf/Documentation/jitdump-specification.txt. Little endian only.
 */
struct jitdump;

/* An empty one, which has read nothing. -ENOMEM. */
int jitdump__new(struct jitdump **ret, struct err *err);
/* NULL is fine. */
void jitdump__free(struct jitdump *jd);

/*
 * Adds the records of a whole file in memory. Skips invalid and incomplete records. Where two
 * functions overlap, the later one is right. -EINVAL if the bytes are not a jitdump; -ENOMEM.
 */
int jitdump__add(struct jitdump *jd, struct view bytes, struct err *err);
/* Reads what was appended to `fd` since the last call, as perfmap__update(). -EINVAL as above. */
int jitdump__update(struct jitdump *jd, int fd, struct err *err);

/* *ret_name lives until more is added. */
bool jitdump__find(const struct jitdump *jd, u64 addr, const char **ret_name, u64 *ret_start);
/* The source line of `addr`; false if the file has none. *ret_file as above. */
bool jitdump__line(const struct jitdump *jd, u64 addr, const char **ret_file, u32 *ret_line);
/* Number of functions that are known. */
size_t jitdump__len(const struct jitdump *jd);
/* Number of functions dropped because of the limits in code_log.h. */
u64 jitdump__dropped(const struct jitdump *jd);

#endif
