/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SYMBOL_RESOLVER_H
#define SYMBOL_RESOLVER_H

#include "base/err.h"
#include "base/file_id.h"
#include "proc/code_place.h"
#include "proc/ended.h"
#include "proc/kallsyms.h"
#include "profile/interpreted.h"
#include "profile/profile.h"

struct resolver_options {
	const char *debug_dir; /* of separate debug files; NULL: /usr/lib/debug; "": none */
	const char *debuginfod; /* debuginfod servers; NULL and "": none */
	bool demangle; /* C++ and Rust names demangled, without parameters */
	bool strip_suffixes; /* strip the suffixes in suffix.h */
	/* from debug information, for files; see elf/srcline.h for what it may cost */
	bool lines; /* source file and line of each frame */
	bool inlines; /* inlined functions as frames of their own */
};

/*
 * Names the frames of frozen profiles. Keeps what it has loaded, so that further profiles of the
 * same programs are cheap. Not thread-safe.
 */
struct resolver;

/* Copies `opt`; borrows `k` (NULL: no kernel symbols) until resolver__free(). -ENOMEM or 0. */
int resolver__new(const struct resolver_options *opt, const struct kallsyms *k,
		  struct resolver **ret, struct err *err);
/* Replaces the borrowed `k`, for later profiles. */
void resolver__use_kernel_symbols(struct resolver *r, const struct kallsyms *k);
/* NULL is fine. */
void resolver__free(struct resolver *r);

/*
 * A module's file, opened when the module was first seen, because it may be deleted, replaced or
 * out of reach later. Used only for modules with an equal id: same generation, or both unknown.
 * Takes `fd`, also on error; a second one for the same id is closed. -ENOMEM or 0.
 */
int resolver__give_file(struct resolver *r, const struct file_id *file, int fd);

/*
 * The root directory of a process, if it is not our own, as an O_PATH descriptor: debug files may
 * be in it. Takes `fd`, also on error. -ENOMEM or 0.
 */
int resolver__give_root(struct resolver *r, int fd);

/*
 * The build ID of a module whose file was given, in lower-case hex; "" if it has none or was not
 * given. For builder__module(), before the profile is frozen. Lives as long as the resolver.
 */
const char *resolver__build_id(struct resolver *r, const struct file_id *file);
/*
 * The variable at an offset in the data of a file that was given, in readable form like frame
 * names. False if there is none. resolver__name_profile() releases the files: for what was not
 * looked up by then, the path must still lead to the file.
 */
bool resolver__variable(struct resolver *r, const struct file_id *file, const char *path, u64 off,
			struct object_variable *ret);

/*
 * Where a process writes the names of its JIT-compiled code, kept open since it was seen. Takes and
 * empties `place`, also on error. resolver__name_profile() looks at other processes itself, if they
 * still exist then. -ENOMEM or 0.
 */
int resolver__give_code(struct resolver *r, struct code_place *place);
/*
 * What was read of an interpreted function; copied. Its frames (MODULE_CODE) are named
 * "file:function:line". -ENOMEM or 0.
 */
int resolver__give_function(struct resolver *r, const struct interpreted_code *code);

/* Forgets programs that no later profile will have. Their files are kept: others map them. */
void resolver__forget(struct resolver *r, const struct ended *ended);

/*
 * Gives every unnamed frame of `p` a name or a reason, and counts the waits with unnamed frames
 * (profile__count_unnamed()). For a MODULE_ELF whose file was not given, tries the path: it must
 * have the same device, inode and generation or, if generations cannot be compared, must not have
 * changed since the trace began. A MODULE_VDSO frame's address counts from the start of the vDSO,
 * like its file offset in /proc/PID/maps. -ENOMEM is the only error.
 */
int resolver__name_profile(struct resolver *r, struct profile *p, struct err *err);

/* A sentence for the user afterwards, or NULL; debuginfod__trouble(). */
const char *resolver__trouble(const struct resolver *r);

#endif
