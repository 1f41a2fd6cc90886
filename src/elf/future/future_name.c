/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The compiler numbers impl blocks and bodies of async functions; neither is in the source, and
 * both change between versions. What a type is generic over stays only where it says what is
 * waited for: which stream a future of tokio::io reads.
 */
#include <stdio.h>
#include <string.h>

#include "elf/future/future_priv.h"

/* The end of a part of a path: "::" or the end, not inside of "<...>". */
static size_t part_len(const char *at, size_t *ret_plain)
{
	size_t len = 0;
	int depth = 0;

	*ret_plain = 0;
	for (; at[len] && (depth || strncmp(at + len, "::", 2) != 0); len++) {
		if (at[len] == '<' && !depth++ && !*ret_plain)
			*ret_plain = len;
		else if (at[len] == '>' && depth && !(len && at[len - 1] == '-'))
			depth--;
	}
	if (!*ret_plain)
		*ret_plain = len;
	return len;
}

static bool begins(const char *at, const char *with)
{
	return strncmp(at, with, strlen(with)) == 0;
}

/* Parts that no reader has written. */
static bool is_made(const char *part)
{
	return begins(part, "{impl#") || begins(part, "{async_fn_env#") ||
	       begins(part, "{async_fn#");
}

void future_readable(const char *path, char ret[FUTURE_NAME_SZ])
{
	bool keep = begins(path, "tokio::io::");
	size_t out = 0, len, plain;

	*ret = '\0';
	for (const char *at = path; *at; at += len + (at[len] ? 2 : 0)) {
		len = part_len(at, &plain);
		if (is_made(at) || !len)
			continue;
		/* "{async_block_env#0}" is what "{async_block#0}" keeps */
		if (begins(at, "{async_block_env#"))
			out += (size_t)snprintf(ret + out, FUTURE_NAME_SZ - out,
						"%s{async_block%.*s", out ? "::" : "",
						(int)(plain - strlen("{async_block_env")),
						at + strlen("{async_block_env"));
		else
			out += (size_t)snprintf(ret + out, FUTURE_NAME_SZ - out, "%s%.*s",
						out ? "::" : "", (int)(keep ? len : plain), at);
		if (out >= FUTURE_NAME_SZ)
			return;
	}
}
