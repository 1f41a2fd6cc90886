/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Results for single addresses are converted to the format of /proc/kallsyms, so that names have
 * one owner either way. The end of a symbol is a line too; otherwise the next known symbol would
 * end it.
 */
#include "capture/program/kernel_names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/symbol.h"
#include "base/map64.h"
#include "base/view.h"

/* More than any trace had; above that, reading the whole table is as cheap. */
#define ADDRESSES_MAX 20000

int kernel_names_collect(struct vec *addrs, struct map64 *seen, const struct cs_stack *st)
{
	for (u32 i = 0; i < st->len; i++) {
		bool exact = !i && st->flags & CS_STACK_SAMPLE; /* see drain.c and resolver.c */
		u64 addr = st->pc[i] - !exact, ignored, *slot;

		if (!st->pc[i] || map64__get(seen, addr, &ignored))
			continue;
		slot = vec__push(addrs);
		if (!slot || map64__set(seen, addr, 0))
			return -ENOMEM;
		*slot = addr;
	}
	return 0;
}

static int collect(struct vec *addrs, const struct stacks *stacks)
{
	struct map64 seen;
	int r = 0;

	map64__init(&seen);
	for (size_t i = 0; !r && i < stacks__len(stacks) && addrs->len <= ADDRESSES_MAX; i++) {
		const struct cs_stack *st = stacks__at(stacks, i);

		if (!(st->flags & CS_STACK_USER))
			r = kernel_names_collect(addrs, &seen, st);
	}
	map64__done(&seen);
	return r ? r : addrs->len > ADDRESSES_MAX ? -E2BIG : 0;
}

static int add_text(struct vec *out, const char *text, size_t len)
{
	char *to = vec__push_n(out, len);

	if (!to)
		return -ENOMEM;
	memcpy(to, text, len);
	return 0;
}

int kernel_names_add(struct vec *out, u64 addr, const char *text)
{
	/* A name may contain a '+' of its own, but not followed by "0x". */
	const char *plus = strstr(text, "+0x"), *slash, *module;
	char line[CS_SYMBOL_SZ + 64];
	u64 off, sz;
	char *end;
	int len, module_len;

	if (!plus || plus == text)
		return 0;
	off = strtoull(plus + 1, &end, 16);
	slash = end;
	if (*slash != '/' || off > addr)
		return 0;
	sz = strtoull(slash + 1, &end, 16);
	module = *end == ' ' && end[1] == '[' ? end + 2 : "";
	module_len = (int)strcspn(module, " ]"); /* a build id may follow */
	len = snprintf(line, sizeof(line), "%llx t %.*s%s%.*s%s\n%llx d .\n", addr - off,
		       (int)(plus - text), text, module_len ? "\t[" : "", module_len, module,
		       module_len ? "]" : "", addr - off + sz);
	if (len < 0 || (size_t)len >= sizeof(line))
		return 0;
	len = add_text(out, line, (size_t)len);
	return len ? len : 1;
}

static int ask(struct vec *out, const struct vec *addrs, const struct programs *p)
{
	struct cs_symbol *batch = programs__symbols(p);
	int r = batch ? 0 : -EOPNOTSUPP;

	for (size_t done = 0; !r && done < addrs->len;) {
		size_t n = addrs->len - done;

		if (n > CS_SYMBOLS_LEN)
			n = CS_SYMBOLS_LEN;
		for (size_t i = 0; i < CS_SYMBOLS_LEN; i++)
			batch[i].addr = i < n ? *(u64 *)vec__at(addrs, done + i) : 0;
		r = programs__name_symbols(p);
		for (size_t i = 0; r >= 0 && i < n; i++) {
			batch[i].text[CS_SYMBOL_SZ - 1] = '\0';
			r = kernel_names_add(out, batch[i].addr, batch[i].text);
		}
		r = r > 0 ? 0 : r;
		done += n;
	}
	return r;
}

int kernel_names_read(const struct stacks *stacks, const struct programs *p, struct kallsyms **ret,
		      struct err *err)
{
	struct vec addrs, text;
	int r;

	vec__init(&addrs, sizeof(u64));
	vec__init(&text, 1);
	r = collect(&addrs, stacks);
	if (!r)
		r = ask(&text, &addrs, p);
	if (r)
		err__set(err, r, "cannot look up kernel addresses: %s", err_str(r));
	else
		r = kallsyms__parse(ret, view__of(text.data, text.len), err);
	vec__done(&addrs);
	vec__done(&text);
	return r;
}
