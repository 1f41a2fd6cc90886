/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SINK_H
#define BASE_SINK_H

#include "base/err.h"
#include "base/types.h"

/*
 * Where bytes go: a file descriptor or memory. Errors are sticky: write freely, check once with
 * sink__finish(). Buffered; not thread-safe.
 */
struct sink {
	int fd; /* -1: memory */
	int error; /* first failure, negative errno */
	char *buf;
	size_t len;
	size_t cap;
	u64 total_bytes; /* bytes written in all */
};

/* Borrows `fd`. */
void sink__init_fd(struct sink *s, int fd);
void sink__init_mem(struct sink *s);
void sink__put(struct sink *s, const void *data, size_t sz);
void sink__puts(struct sink *s, const char *str);
/* In decimal; much faster than "%llu" and "%lld". */
void sink__put_u64(struct sink *s, u64 n);
void sink__put_s64(struct sink *s, s64 n);
void sink__printf(struct sink *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Flushes. Returns 0 or the first error as a negative errno (-EPIPE if the reader closed the pipe).
 * A NUL follows the `len` bytes of a memory sink.
 */
int sink__finish(struct sink *s, struct err *err);
/* Memory sinks: the caller takes the NUL-terminated bytes (free with mem_free()); NULL on error. */
char *sink__steal(struct sink *s, size_t *ret_len);
void sink__done(struct sink *s);

#endif
