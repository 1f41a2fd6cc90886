/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/err.h"
#include "base/types.h"

/*
 * Reads a whole file, including files of /proc whose size reads 0. A file larger than `max_sz`
 * bytes is -EFBIG. The caller frees *ret_data with mem_free(). A NUL follows the last byte.
 */
int file_read(const char *path, size_t max_sz, char **ret_data, size_t *ret_sz, struct err *err);
/* The same from an open descriptor, from its current offset; `name` is for messages. */
int file_read_fd(int fd, const char *name, size_t max_sz, char **ret_data, size_t *ret_sz,
		 struct err *err);

/* Reads a file that contains one decimal number, such as those in /proc/sys. */
int file_read_u64(const char *path, u64 *ret_value, struct err *err);

/* A read-only mapping of a regular file. */
struct file_map {
	const void *data;
	size_t sz;
};

/* -EINVAL for an empty or non-regular file. Unmap with file_map__done(). */
int file_map__open(struct file_map *m, int fd, const char *name, struct err *err);
void file_map__done(struct file_map *m);

#endif
