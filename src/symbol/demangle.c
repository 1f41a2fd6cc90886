/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libiberty demangles both languages. Names come from untrusted files, and both manglings can
 * repeat an earlier part twice in a row: 100 bytes may expand to 2^40. The output therefore goes
 * through the callback interface, which does not build it in memory, and is left by longjmp() as
 * soon as the buffer is full. This is safe because that interface keeps its state on the stack.
 *
 * Rust is tried first: its legacy form looks like C++ with a hash as the last name.
 */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* libiberty refuses longer C++ names, unless told that the stack is large enough. */
#define CXX_SHORT_LEN 1024
#define NAME_MAX_LEN 4096

struct output {
	char *buf;
	size_t sz;
	size_t len;
	jmp_buf full;
};

static void take(const char *part, size_t len, void *opaque)
{
	struct output *out = opaque;
	size_t room = out->sz - 1 - out->len;
	bool fits = len <= room;

	/* an empty part may come as NULL */
	if (!len)
		return;
	memcpy(out->buf + out->len, part, fits ? len : room);
	out->len += fits ? len : room;
	if (!fits)
		longjmp(out->full, 1);
}

static bool try_rust(const char *name, struct output *out)
{
	out->len = 0;
	return rust_demangle_callback(name, DMGL_NO_OPTS, take, out) && out->len;
}

static bool try_cxx(const char *name, size_t len, struct output *out)
{
	int options = len < CXX_SHORT_LEN / 2 ? DMGL_NO_OPTS : DMGL_NO_RECURSE_LIMIT;

	out->len = 0;
	return cplus_demangle_v3_callback(name, options, take, out) && out->len;
}

bool demangle_name(const char *name, char *buf, size_t sz)
{
	struct output out = { .buf = buf, .sz = sz };
	size_t len;

	if (strncmp(name, "_Z", 2) != 0 && strncmp(name, "_R", 2) != 0)
		return false;
	len = strnlen(name, NAME_MAX_LEN + 1);
	if (len > NAME_MAX_LEN)
		return false;
	if (setjmp(out.full)) {
		memcpy(buf + sz - 4, "...", 4);
		return true;
	}
	if (!try_rust(name, &out) && !try_cxx(name, len, &out))
		return false;
	buf[out.len] = '\0';
	return true;
}
