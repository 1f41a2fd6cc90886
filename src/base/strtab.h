/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_STRTAB_H
#define BASE_STRTAB_H

#include "base/types.h"
#include "base/vec.h"

/*
 * Interned strings with u32 ids; id 0 is "". Equal strings have equal ids. A string ends at its
 * first NUL, even if a length is given. A pointer from strtab__get() is valid until the next add
 * returns, and may be passed to that add.
 */
struct strtab {
	struct vec bytes;
	struct vec offs; /* u32 offset of each id */
	u32 *slots;
	u32 slots_len;
};

int strtab__init(struct strtab *st);
void strtab__done(struct strtab *st);
/* -ENOMEM or 0; cannot fail for a string that is already there. */
int strtab__add(struct strtab *st, const char *s, u32 *ret_id);
int strtab__add_len(struct strtab *st, const char *s, size_t len, u32 *ret_id);
/* "" for an unknown id; never NULL. */
const char *strtab__get(const struct strtab *st, u32 id);
u32 strtab__len(const struct strtab *st);

#endif
