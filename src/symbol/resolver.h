/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_RESOLVER_H
#define SYMBOL_RESOLVER_H

#include "base/err.h"
#include "base/view.h"
#include "proc/kallsyms.h"
#include "profile/profile.h"

struct resolver_options {
	const char *debug_dir; /* of separate debug files; NULL: /usr/lib/debug; "": none */
	bool demangle; /* C++ and Rust names in readable form, without parameters */
};

/*
 * Names the frames of frozen profiles. Keeps what it has loaded, so that the next profile of the
 * same programs costs little. Not thread-safe.
 */
struct resolver;

/* Copies `opt`; borrows `k` (NULL: no kernel symbols) until resolver__free(). -ENOMEM or 0. */
int resolver__new(const struct resolver_options *opt, const struct kallsyms *k,
		  struct resolver **ret, struct err *err);
/* NULL is fine. */
void resolver__free(struct resolver *r);

/*
 * The file of the module (dev, ino), opened when the module was first seen, so that it may be
 * deleted, replaced or out of reach later. Takes `fd`, also on error; a second one for the same
 * module is closed. -ENOMEM or 0.
 */
int resolver__give_file(struct resolver *r, u64 dev, u64 ino, int fd);

/*
 * The build ID of a module whose file was given, in lower-case hex; "" when it has none or was not
 * given. For builder__module(), before the profile is frozen. Lives as long as the resolver.
 */
const char *resolver__build_id(struct resolver *r, u64 dev, u64 ino);

/*
 * Reads the perf map (/tmp/perf-PID.map in the root of the process, by its number in its own PID
 * namespace) of a process that may soon be gone. Names for run-time code of processes that were not
 * read before are looked for by resolver__name_profile(), if they still live then. A later call
 * replaces what was read. 0 also when the process has no map or is gone; -ENOMEM; -EINVAL and
 * others with a sentence for a map that is there and cannot be used.
 */
int resolver__give_process(struct resolver *r, u32 tgid, struct err *err);
/* The same with the text of the map at hand. */
int resolver__give_perfmap(struct resolver *r, u32 tgid, struct view text, struct err *err);

/*
 * Gives every frame of `p` its name or the reason why it has none, and counts the waits concerned
 * (profile__count_unnamed()). For a MODULE_ELF whose file was not given, the path is tried, and
 * must be of the same device and inode. A MODULE_VDSO frame's address counts from the start of the
 * vDSO, as its file offset in /proc/PID/maps does. -ENOMEM is the one error.
 */
int resolver__name_profile(struct resolver *r, struct profile *p, struct err *err);

#endif
