/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SPANS_H
#define ELF_SPANS_H

#include "base/types.h"
#include "base/vec.h"

/*
 * Names for ranges of addresses. The ranges that go in may overlap; one of them wins at every
 * address. What is kept is a sorted array of pieces that do not overlap.
 */
struct spans {
	struct vec pieces;
	struct vec names; /* each with its NUL; [0] is an empty one */
};

/* A range as it goes in. */
struct span {
	u64 start; /* [start, end), at most 4 GiB are kept */
	u64 end;
	u64 rank; /* the highest one wins where ranges overlap; must differ between ranges */
	u32 name; /* of spans__name() */
	u32 name_len;
};

/* -ENOMEM or 0. */
int spans__init(struct spans *s);
/* NULL is fine. */
void spans__done(struct spans *s);
/* Copies a name, which has no NUL inside. -ENOMEM; -E2BIG when names would take over 256 MiB. */
int spans__name(struct spans *s, const char *name, size_t len, u32 *ret_off);
const char *spans__name_at(const struct spans *s, u32 off);
/*
 * Takes all ranges at once, sorted by start; empty ones, and those that end before they begin, are
 * left out. Called again it forgets the ranges of the call before. -ENOMEM or 0.
 */
int spans__build(struct spans *s, const struct span *ranges, size_t len);
/* The range that holds `addr`: its span.name as it went in, any number, and its start. */
bool spans__find_id(const struct spans *s, u64 addr, u32 *ret_name, u64 *ret_start);
/* The range that holds `addr`: its name, which lives as long as the object, and its start. */
bool spans__find(const struct spans *s, u64 addr, const char **ret_name, u64 *ret_start);
size_t spans__len(const struct spans *s);

#endif
