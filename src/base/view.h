/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_VIEW_H
#define BASE_VIEW_H

#include "base/types.h"

/*
 * A bounded cursor over untrusted bytes: the only way our parsers read. It does not own the bytes.
 * Reading past the end returns zero or an empty result, moves to the end and sets `bad`, which
 * stays set. A parser may read freely and check once.
 */
struct view {
	const u8 *p;
	const u8 *end;
	bool bad;
};

struct view view__of(const void *data, size_t sz);
struct view view__of_str(const char *s);
size_t view__left(const struct view *v);

/* Binary, little endian. */
u8 view__u8(struct view *v);
u16 view__u16(struct view *v);
u32 view__u32(struct view *v);
u64 view__u64(struct view *v);
/* Also bad if the number does not fit in 64 bits; padding is allowed. */
u64 view__uleb(struct view *v);
s64 view__sleb(struct view *v);
/* `sz` bytes, or NULL and bad. */
const void *view__bytes(struct view *v, size_t sz);
/* A NUL-terminated string inside the view, or NULL and bad. */
const char *view__cstr(struct view *v);
/* A view of bytes [off, off+sz) after the cursor of `v`; empty and bad when out of range. */
struct view view__sub(const struct view *v, u64 off, u64 sz);

/* Text. A token is a run of bytes other than space, tab and newline. */

/* The next line without its newline; false at the end. The last line may lack the newline. */
bool view__line(struct view *v, struct view *ret_line);
/* Skips spaces and tabs, then takes a token; false if there is none. */
bool view__token(struct view *v, struct view *ret_tok);
/* Skips spaces and tabs. */
void view__blank(struct view *v);
/* Takes the byte `c` if it is next. */
bool view__accept(struct view *v, char c);
/* Digits at the cursor, at least one, no sign, no prefix; bad if none or on overflow. */
u64 view__hex(struct view *v);
u64 view__dec(struct view *v);
bool view__eq(const struct view *v, const char *s);
/* Copies at most sz-1 bytes and always terminates with NUL; true if everything fitted. */
bool view__copy(const struct view *v, char *buf, size_t sz);

#endif
