/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_GO_GO_PROGRAM_H
#define ASYNC_GO_GO_PROGRAM_H

#include "base/err.h"
#include "base/types.h"
#include "elf/gopclntab.h"
#include "elf/image.h"

/* The versions of Go whose goroutines can be read: 1.18 to 1.26. */
#define GO_MINOR_MIN 18
#define GO_MINOR_MAX 26
#define GO_VERSION_SZ 32

/*
 * What the file of a Go program says about its goroutines. Addresses are link-time addresses; 0
 * where the file is stripped. The file is untrusted.
 */
struct go_program {
	char version[GO_VERSION_SZ]; /* "go1.19.8"; "": not in the file where it should be */
	u32 minor; /* 19; 0: not known */
	u64 all; /* runtime.allgs: the slice of all goroutines */
	u64 reasons; /* runtime.waitReasonStrings */
	u32 reasons_len; /* strings in it; 0: not known */
	struct image *image;
	struct gopclntab *functions;
};

/*
 * Borrows `fd`. -ENOENT: it is not a Go program; -ENOTSUP with a sentence: it is one of another
 * version or machine; -EINVAL, -ENOMEM.
 */
int go_program__open(struct go_program *g, int fd, const char *path, struct err *err);
/* NULL and all zero are fine. */
void go_program__done(struct go_program *g);
/* The function that contains an address, or begins there: its start and name; false: none. */
bool go_program__function(const struct go_program *g, u64 vaddr, u64 *ret_start,
			  const char **ret_name);
/*
 * The version in the bytes of .go.buildinfo, of Go 1.18 and newer (debug/buildinfo): "go1.19.8",
 * borrowed from `info`. False if there is none.
 */
bool go_buildinfo_version(struct view info, struct view *ret);
/*
 * Takes the version that is in the file, or was found elsewhere: "go1.19.8". False if it is no
 * version of Go 1.
 */
bool go_program__take_version(struct go_program *g, struct view text);
/* -ENOTSUP with a sentence if goroutines of that version cannot be read. */
int go_program__check_version(const struct go_program *g, struct err *err);

#endif
