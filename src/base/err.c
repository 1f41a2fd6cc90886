/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A message is first formatted elsewhere and then copied in, because an argument may be the current
 * message of the same error. A message that does not fit ends in "...", so that it is never taken
 * for a complete one.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/types.h"

static const char cut_mark[] = "...";

static void mark_cut(char *msg, size_t sz)
{
	memcpy(msg + sz - sizeof(cut_mark), cut_mark, sizeof(cut_mark));
}

int err__set(struct err *err, int code, const char *fmt, ...)
{
	char msg[sizeof(err->msg)];
	va_list ap;
	int n;

	if (!err)
		return code;
	va_start(ap, fmt);
	n = vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (n < 0)
		msg[0] = '\0';
	else if ((size_t)n >= sizeof(msg))
		mark_cut(msg, sizeof(msg));
	err->code = code;
	memcpy(err->msg, msg, sizeof(msg));
	return code;
}

int err__wrap(struct err *err, int code, const char *fmt, ...)
{
	char head[sizeof(err->msg)], msg[sizeof(err->msg)];
	const char *tail;
	va_list ap;
	int n;

	if (!err)
		return code;
	va_start(ap, fmt);
	n = vsnprintf(head, sizeof(head), fmt, ap);
	va_end(ap);
	if (n < 0)
		head[0] = '\0';
	/* a callee without a message still has its errno */
	tail = err->msg[0] ? err->msg : err_str(code);
	n = snprintf(msg, sizeof(msg), "%s: %s", head, tail);
	if (n < 0 || (size_t)n >= sizeof(msg))
		mark_cut(msg, sizeof(msg));
	if (!err->code)
		err->code = code;
	memcpy(err->msg, msg, sizeof(msg));
	return code;
}

int err__nomem(struct err *err)
{
	return err__set(err, -ENOMEM, "out of memory");
}

const char *err_str(int code)
{
	const char *s = strerror(code < 0 ? (int)(0u - (u32)code) : code);

	return s ? s : "unknown error";
}
