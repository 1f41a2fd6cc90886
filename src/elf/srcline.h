/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SRCLINE_H
#define ELF_SRCLINE_H

#include "base/err.h"
#include "base/types.h"
#include "elf/debugfile.h"
#include "elf/image.h"

/* Maximum number of calls at one address: the function and what was inlined in it. */
#define SRCLINE_CALLS_MAX 64

/*
 * A file with debug information (DWARF): the image itself or its separate debug file; or a Go
 * program without DWARF.
 */
struct srcline_file {
	int fd;
	int alt_fd; /* what dwz moved out of several debug files; -1: none */
	u64 bias; /* to add to an address of the image */
	bool go; /* lines by .gopclntab */
};

/*
 * `img` must not be released. -ENOENT: there is no debug information; -ENOMEM; or an error of
 * dup().
 */
int srcline_file__open(const struct image *img, const struct symtab_options *opt,
		       struct srcline_file *ret);
/* Closes; NULL is fine. */
void srcline_file__done(struct srcline_file *f);

/* A function, and the line in it that contains the address or calls the next one. */
struct srcline_call {
	const char *name; /* linker name if there is one; "" for the function itself */
	const char *file; /* path as the compiler wrote it; "": unknown */
	u32 line; /* 0: unknown */
};

/*
 * Receives what is known of an address: calls[0] is the function, the last one the innermost
 * inlined function. Everything is valid until it returns. An error stops the reading.
 */
typedef int (*srcline_fn)(void *arg, size_t idx, const struct srcline_call *calls, size_t len);

struct srcline_want {
	bool lines; /* else all files are "" */
	bool inlines; /* else there is one call, the function itself */
	u64 limit_ns; /* time limit */
	srcline_fn tell;
	void *arg; /* of `tell` */
};

/*
 * Looks up `len` sorted addresses (as of image__vaddr_of_offset()). Calls `tell` at most once for
 * each, in any order, and not for unknown addresses. -ENOMEM, an error of `tell`, or an error with
 * a message why not all were read (-ETIME, -EINVAL for a broken file); earlier results stay valid.
 * A child process does the reading and has exited when the function returns.
 */
int srcline_read(const struct srcline_file *f, const u64 *vaddrs, size_t len,
		 const struct srcline_want *want, struct err *err);

#endif
