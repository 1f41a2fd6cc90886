/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_FEATURE_PRIVILEGE_H
#define CAPTURE_FEATURE_PRIVILEGE_H

#include "base/err.h"
#include "base/types.h"

/* Capabilities as bits of a u64, numbered as in linux/capability.h: raw system calls, no libcap. */
#define PRIVILEGE_BIT(cap) (1ULL << (cap))

#define PRIVILEGE_BPF PRIVILEGE_BIT(39)
#define PRIVILEGE_PERFMON PRIVILEGE_BIT(38)
#define PRIVILEGE_SYS_PTRACE PRIVILEGE_BIT(19)
#define PRIVILEGE_SETUID PRIVILEGE_BIT(7)
#define PRIVILEGE_SETGID PRIVILEGE_BIT(6)
#define PRIVILEGE_SYSLOG PRIVILEGE_BIT(34)
#define PRIVILEGE_DAC_READ_SEARCH PRIVILEGE_BIT(2)
#define PRIVILEGE_CHECKPOINT_RESTORE PRIVILEGE_BIT(40)
#define PRIVILEGE_SYS_ADMIN PRIVILEGE_BIT(21)

#define PRIVILEGE_SYS_NICE PRIVILEGE_BIT(23)

/* To act as the user of a JVM, which talks to nobody else: only on request. */
#define PRIVILEGE_OTHER_USERS (PRIVILEGE_SETUID | PRIVILEGE_SETGID)

/* What is kept once everything is loaded, attached and opened: privilege.c explains each. */
#define PRIVILEGE_WHILE_TRACING                                                                    \
	(PRIVILEGE_BPF | PRIVILEGE_PERFMON | PRIVILEGE_SYS_PTRACE | PRIVILEGE_SYSLOG |             \
	 PRIVILEGE_DAC_READ_SEARCH | PRIVILEGE_CHECKPOINT_RESTORE)

struct privilege {
	u64 effective;
	u64 permitted;
	u64 inheritable;
	u64 bounding;
	u64 ambient;
};

/* The capabilities of the calling thread. */
int privilege__read(struct privilege *p, struct err *err);

/* Whether `bit` is in the set, or implied by CAP_SYS_ADMIN as in the kernel. */
bool privilege_allows(u64 effective, u64 bit);

/*
 * Permanently drops every capability of the calling thread that is not in `want`: from the
 * effective, permitted and, if allowed, bounding set. The inheritable and ambient sets are emptied
 * and no_new_privs is set, so that no program started later regains any. None is added;
 * CAP_SYS_ADMIN stays if it stands in for a wanted one that is missing. Affects the calling thread
 * and what it starts: call it before threads are created, after starting children that need
 * privileges, and after opening output files. On failure some may already be dropped.
 */
int privilege__drop(u64 want, struct err *err);

#endif
