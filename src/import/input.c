/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of `perf script` may be larger than memory, so formats of lines are read line by line.
 * Others are read as a whole, and that has a limit, as have lines: a file may be made to exhaust
 * memory.
 */
#include "import/input.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define CHUNK_SZ 65536

void input__init(struct input *in, int fd, const char *name)
{
	*in = (struct input){ .fd = fd, .name = name };
	vec__init(&in->bytes, 1);
}

int input__init_bytes(struct input *in, struct view bytes, const char *name)
{
	size_t sz = view__left(&bytes);
	u8 *copy;

	input__init(in, -1, name);
	in->end = true;
	copy = vec__push_n(&in->bytes, sz);
	if (sz && !copy)
		return -ENOMEM;
	if (sz)
		memcpy(copy, bytes.p, sz);
	return 0;
}

void input__done(struct input *in)
{
	vec__done(&in->bytes);
}

static size_t left(const struct input *in)
{
	return in->bytes.len - in->at;
}

static u8 *next(const struct input *in)
{
	static u8 none;

	return in->bytes.data ? (u8 *)in->bytes.data + in->at : &none;
}

/* Moves what is left to the front, so that the buffer does not grow with the file. */
static void shift(struct input *in)
{
	size_t len = left(in);

	if (!in->at || !in->bytes.data)
		return;
	memmove(in->bytes.data, next(in), len);
	in->bytes.len = len;
	in->offset += in->at;
	in->at = 0;
}

static int read_more(struct input *in, struct err *err)
{
	size_t old;
	ssize_t n;
	u8 *tail;

	if (in->end)
		return 0;
	old = in->bytes.len;
	tail = vec__push_n(&in->bytes, CHUNK_SZ);
	if (!tail)
		return err__nomem(err);
	do {
		n = read(in->fd, tail, CHUNK_SZ);
	} while (n < 0 && errno == EINTR);
	in->bytes.len = old + (n > 0 ? (size_t)n : 0);
	if (n < 0) {
		n = -errno;
		return err__set(err, (int)n, "cannot read '%s': %s", in->name, err_str((int)n));
	}
	in->end = !n;
	return 0;
}

int input__peek(struct input *in, size_t sz, struct view *ret, struct err *err)
{
	int r = 0;

	shift(in);
	while (!r && !in->end && left(in) < sz)
		r = read_more(in, err);
	*ret = view__of(next(in), left(in) < sz ? left(in) : sz);
	return r;
}

int input__line(struct input *in, struct view *ret, struct err *err)
{
	size_t seen = 0, len;
	u8 *newline;
	int r;

	while (!(newline = left(in) > seen ? memchr(next(in) + seen, '\n', left(in) - seen) :
					     NULL) &&
	       !in->end) {
		seen = left(in);
		shift(in);
		if (seen > INPUT_LINE_MAX)
			break;
		r = read_more(in, err);
		if (r)
			return r;
	}
	if (!left(in))
		return 0;
	len = newline ? (size_t)(newline - next(in)) : left(in);
	in->line++;
	if (len > INPUT_LINE_MAX)
		return input__fault(in, err, "a line of more than %zu bytes", INPUT_LINE_MAX);
	*ret = view__of(next(in), len);
	in->at += len + (newline ? 1 : 0);
	if (view__left(ret) && ret->end[-1] == '\r')
		ret->end--;
	if (view__left(ret) && memchr(ret->p, '\0', view__left(ret)))
		return input__fault(in, err, "a NUL byte: the file is not text, or damaged");
	return 1;
}

int input__rest(struct input *in, struct view *ret, struct err *err)
{
	size_t len;
	int r = 0;
	u8 *nul;

	shift(in);
	while (!r && !in->end && left(in) <= INPUT_WHOLE_MAX)
		r = read_more(in, err);
	if (r)
		return r;
	len = left(in);
	if (len > INPUT_WHOLE_MAX)
		return err__set(err, -EFBIG, "'%s' is larger than %zu MiB", in->name,
				INPUT_WHOLE_MAX >> 20);
	nul = vec__push(&in->bytes);
	if (!nul)
		return err__nomem(err);
	*ret = view__of(next(in), len);
	in->at += len;
	return 0;
}

__attribute__((format(printf, 3, 0))) static int fault(const char *where, struct err *err,
						       const char *fmt, va_list args)
{
	char text[256];

	vsnprintf(text, sizeof(text), fmt, args);
	return err__set(err, -EINVAL, "%s: %s", where, text);
}

int input__fault(const struct input *in, struct err *err, const char *fmt, ...)
{
	char where[192];
	va_list args;
	int r;

	snprintf(where, sizeof(where), "%.150s:%llu", in->name, in->line);
	va_start(args, fmt);
	r = fault(where, err, fmt, args);
	va_end(args);
	return r;
}

int input__fault_at(const struct input *in, u64 offset, struct err *err, const char *fmt, ...)
{
	char where[192];
	va_list args;
	int r;

	snprintf(where, sizeof(where), "%.150s at byte %llu", in->name, offset);
	va_start(args, fmt);
	r = fault(where, err, fmt, args);
	va_end(args);
	return r;
}
