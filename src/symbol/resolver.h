/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_RESOLVER_H
#define SYMBOL_RESOLVER_H

#include "base/err.h"
#include "base/file_id.h"
#include "proc/code_place.h"
#include "proc/kallsyms.h"
#include "profile/interpreted.h"
#include "profile/profile.h"

struct resolver_options {
	const char *debug_dir; /* of separate debug files; NULL: /usr/lib/debug; "": none */
	const char *debuginfod; /* servers to ask for debug files; NULL and "": none */
	bool demangle; /* C++ and Rust names in readable form, without parameters */
	bool strip_suffixes; /* names without what suffix.h strips */
	/* from debug information, for files; see elf/srcline.h for what it may cost */
	bool lines; /* source file and line of each frame */
	bool inlines; /* inlined functions as frames of their own */
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
 * The file of a module, opened when the module was first seen, so that it may be deleted, replaced
 * or out of reach later. It is for the modules with an equal id only: same generation, or none
 * known of both. Takes `fd`, also on error; a second one for the same id is closed. -ENOMEM or 0.
 */
int resolver__give_file(struct resolver *r, const struct file_id *file, int fd);

/*
 * The root directory of a process that is not our own, by an O_PATH descriptor: debug files may lie
 * in it. Takes `fd`, also on error. -ENOMEM or 0.
 */
int resolver__give_root(struct resolver *r, int fd);

/*
 * The build ID of a module whose file was given, in lower-case hex; "" when it has none or was not
 * given. For builder__module(), before the profile is frozen. Lives as long as the resolver.
 */
const char *resolver__build_id(struct resolver *r, const struct file_id *file);
/*
 * The variable at an offset of the data of a file that was given, readable as names of frames are.
 * False when none is known. Before resolver__name_profile(), which gives the files back.
 */
bool resolver__variable(struct resolver *r, const struct file_id *file, const char *path, u64 off,
			struct object_variable *ret);

/*
 * Where a process leaves the names of code that it makes at run time, kept open from when it lived.
 * Takes what is in `place`, which is empty then, also on error. Processes that were not given are
 * looked at by resolver__name_profile(), if they still live then. -ENOMEM or 0.
 */
int resolver__give_code(struct resolver *r, struct code_place *place);
/*
 * What was read of an interpreted function; it is copied. Its frames (MODULE_CODE) are called
 * "file:function:line". -ENOMEM or 0.
 */
int resolver__give_function(struct resolver *r, const struct interpreted_code *code);

/*
 * Gives every frame of `p` that has no name one, or the reason why not, and counts the waits with
 * unnamed frames (profile__count_unnamed()). For a MODULE_ELF whose file was not given, the path is
 * tried, and must be of the same device, inode and generation; where generations cannot be
 * compared, of a file that was not changed since the begin of the trace. A MODULE_VDSO frame's
 * address counts from the start of the vDSO, as its file offset in /proc/PID/maps does. -ENOMEM is
 * the one error.
 */
int resolver__name_profile(struct resolver *r, struct profile *p, struct err *err);

/* A sentence that a person should read after it, or NULL; debuginfod__trouble(). */
const char *resolver__trouble(const struct resolver *r);

#endif
