/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * An error is a negative errno and one sentence that says what happened, to what, and what to do.
 *
 * Functions that can fail return a negative errno and take a `struct err *` as their very last
 * parameter. It is untouched on success. NULL means that the caller does not want the message.
 * Messages are fragments joined by ": ", without a final period:
 *
 *	return err__set(err, -ENOENT, "no BTF at '%s'", path);
 *	return err__wrap(err, r, "cannot start capture");
 *		-> "cannot start capture: no BTF at ..."
 */
struct err {
	int code;
	char msg[480];
};

/* Sets the message and returns `code` (negative errno). */
int err__set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Puts "fmt: " before the current message, keeps the code, and returns `code`. */
int err__wrap(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* -ENOMEM with its message. */
int err__nomem(struct err *err);

/* The name of a positive or negative errno as part of a sentence; never NULL. Not thread-safe. */
const char *err_str(int code);

#endif
