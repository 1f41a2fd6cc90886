/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * Errors are a negative errno and one sentence that names the thing and what to do.
 *
 * Functions that can fail return a negative errno and take a `struct err *` as their very last
 * parameter. It is untouched on success. NULL means that the caller does not want the sentence.
 * Messages are fragments that join by ": ", without a final period:
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

/* Puts "fmt: " before the present message, keeps the present code, and returns `code`. */
int err__wrap(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* -ENOMEM with the one sentence for it. */
int err__nomem(struct err *err);

/* The name of a positive or negative errno as a sentence part; never NULL. Not thread-safe. */
const char *err_str(int code);

#endif
