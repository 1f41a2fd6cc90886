/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_INPUT_H
#define IMPORT_INPUT_H

#include "base/err.h"
#include "base/vec.h"
#include "base/view.h"

/* The bytes of a file, by line or as a whole. Not trusted. */

#define INPUT_LINE_MAX ((size_t)1 << 20)
/* For formats that must be in memory as a whole, and for what is compressed. */
#define INPUT_WHOLE_MAX ((size_t)1 << 30)

struct input {
	int fd; /* -1: all bytes are here */
	const char *name; /* for messages */
	struct vec bytes; /* u8: read, and partly taken */
	size_t at; /* what was taken of them */
	u64 offset; /* of the first of them in the file */
	u64 line; /* number of the last line that was taken */
	bool end; /* nothing more to read */
};

void input__init(struct input *in, int fd, const char *name);
/* -ENOMEM or 0. Copies the bytes. */
int input__init_bytes(struct input *in, struct view bytes, const char *name);
void input__done(struct input *in);

/* The next bytes, at most `sz`, without taking them; valid until the next call. */
int input__peek(struct input *in, size_t sz, struct view *ret, struct err *err);
/* Takes a line: 1, 0 at the end. The line has no newline and is valid until the next call. */
int input__line(struct input *in, struct view *ret, struct err *err);
/* Takes all that is left: valid until input__done(), and followed by a NUL. */
int input__rest(struct input *in, struct view *ret, struct err *err);
/*
 * Appends what `packed` (zlib or gzip) unpacks to; `out` is of bytes and holds at most
 * INPUT_WHOLE_MAX of them. `what` and `offset` are for messages. -EINVAL, -EFBIG or -ENOMEM.
 */
int input__inflate(const struct input *in, struct view packed, const char *what, u64 offset,
		   struct vec *out, struct err *err);
/* If it is gzip, puts the content in its place. */
int input__unpack(struct input *in, struct err *err);

/* -EINVAL: "FILE:12: what", at the line that was taken last. */
int input__fault(const struct input *in, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* -EINVAL: "FILE at byte 123: what". */
int input__fault_at(const struct input *in, u64 offset, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
