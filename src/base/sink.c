/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A renderer makes thousands of small writes and cannot handle an error in the middle of one, so
 * the first failure is kept and everything after it is dropped. The buffer is allocated with the
 * first byte: a sink that is never written to costs nothing, and init cannot fail. A memory sink
 * always keeps one byte of room for the NUL.
 */
#include "base/sink.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define FD_BUF_SZ 65536
#define MEM_FIRST_SZ 4096

void sink__init_fd(struct sink *s, int fd)
{
	*s = (struct sink){ .fd = fd };
}

void sink__init_mem(struct sink *s)
{
	*s = (struct sink){ .fd = -1 };
}

void sink__done(struct sink *s)
{
	if (!s)
		return;
	mem_free(s->buf);
	s->buf = NULL;
	s->len = 0;
	s->cap = 0;
}

/* Standard output may share a terminal or pipe that another process made non-blocking. */
static int wait_writable(int fd)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	if (poll(&pfd, 1, -1) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

static int write_all(int fd, const char *data, size_t sz)
{
	ssize_t n;
	int r;

	while (sz) {
		n = write(fd, data, sz);
		if (n >= 0) {
			data += n;
			sz -= (size_t)n;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		r = wait_writable(fd);
		if (r)
			return r;
	}
	return 0;
}

static void flush(struct sink *s)
{
	if (!s->error)
		s->error = write_all(s->fd, s->buf, s->len);
	s->len = 0;
}

/* Makes room for `need` bytes in all; keeps the old bytes. */
static bool reserve(struct sink *s, size_t need)
{
	size_t cap = s->cap;
	char *buf;

	if (need <= cap)
		return true;
	if (!cap)
		cap = s->fd < 0 ? MEM_FIRST_SZ : FD_BUF_SZ;
	while (cap < need && cap <= SIZE_MAX / 2)
		cap *= 2;
	buf = cap < need ? NULL : mem_alloc(cap);
	if (!buf) {
		s->error = -ENOMEM;
		return false;
	}
	if (s->len)
		memcpy(buf, s->buf, s->len);
	mem_free(s->buf);
	s->buf = buf;
	s->cap = cap;
	return true;
}

static void put_mem(struct sink *s, const char *data, size_t sz)
{
	/* 2: the NUL, and the sum must not wrap */
	if (sz > SIZE_MAX - s->len - 2) {
		s->error = -ENOMEM;
		return;
	}
	if (!reserve(s, s->len + sz + 1))
		return;
	memcpy(s->buf + s->len, data, sz);
	s->len += sz;
}

static void put_fd(struct sink *s, const char *data, size_t sz)
{
	if (!reserve(s, FD_BUF_SZ))
		return;
	if (sz > s->cap - s->len)
		flush(s);
	if (sz < s->cap) {
		memcpy(s->buf + s->len, data, sz);
		s->len += sz;
	} else if (!s->error) {
		s->error = write_all(s->fd, data, sz);
	}
}

void sink__put(struct sink *s, const void *data, size_t sz)
{
	s->total_bytes += sz;
	if (s->error || !sz)
		return;
	/* one byte stays free for the NUL of a memory sink; most pieces are small and end here */
	if (sz < s->cap - s->len) {
		memcpy(s->buf + s->len, data, sz);
		s->len += sz;
		return;
	}
	if (s->fd < 0)
		put_mem(s, data, sz);
	else
		put_fd(s, data, sz);
}

void sink__puts(struct sink *s, const char *str)
{
	sink__put(s, str, strlen(str));
}

void sink__put_u64(struct sink *s, u64 n)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + n % 10);
		n /= 10;
	} while (n);
	sink__put(s, digits + at, sizeof(digits) - at);
}

void sink__put_s64(struct sink *s, s64 n)
{
	if (n < 0)
		sink__put(s, "-", 1);
	sink__put_u64(s, n < 0 ? 0 - (u64)n : (u64)n);
}

void sink__printf(struct sink *s, const char *fmt, ...)
{
	char small[512], *big;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(small, sizeof(small), fmt, ap);
	va_end(ap);
	if (n < 0) {
		if (!s->error)
			s->error = -EINVAL;
		return;
	}
	if ((size_t)n < sizeof(small)) {
		sink__put(s, small, (size_t)n);
		return;
	}
	big = mem_alloc((size_t)n + 1);
	if (!big) {
		s->total_bytes += (u64)n;
		if (!s->error)
			s->error = -ENOMEM;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(big, (size_t)n + 1, fmt, ap);
	va_end(ap);
	sink__put(s, big, (size_t)n);
	mem_free(big);
}

int sink__finish(struct sink *s, struct err *err)
{
	if (s->fd >= 0)
		flush(s);
	else if (!s->error && reserve(s, s->len + 1))
		s->buf[s->len] = '\0';
	if (s->error == -ENOMEM)
		return err__nomem(err);
	if (s->error)
		return err__set(err, s->error, "cannot write: %s", err_str(s->error));
	return 0;
}

char *sink__steal(struct sink *s, size_t *ret_len)
{
	char *buf;

	*ret_len = 0;
	if (s->fd >= 0 || sink__finish(s, NULL) < 0)
		return NULL;
	buf = s->buf;
	*ret_len = s->len;
	s->buf = NULL;
	s->len = 0;
	s->cap = 0;
	return buf;
}
