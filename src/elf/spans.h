/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ELF_SPANS_H
#define ELF_SPANS_H

#include "base/types.h"
#include "base/vec.h"

/*
 * Names of address ranges. The input ranges may overlap; at every address one of them wins. The
 * result is a sorted array of pieces that do not overlap.
 */
struct spans {
	struct vec pieces;
	struct vec names; /* each with its NUL; [0] is an empty one */
};

/* An input range. */
struct span {
	u64 start; /* [start, end), cut to 4 GiB */
	u64 end;
	u64 rank; /* the highest one wins where ranges overlap; must differ between ranges */
	u32 name; /* of spans__name() */
	u32 name_len;
};

/* -ENOMEM or 0. */
int spans__init(struct spans *s);
/* NULL is fine. */
void spans__done(struct spans *s);
/* Copies a name, which contains no NUL. -ENOMEM; -E2BIG if all names would exceed 256 MiB. */
int spans__name(struct spans *s, const char *name, size_t len, u32 *ret_off);
const char *spans__name_at(const struct spans *s, u32 off);
/*
 * Takes all ranges at once, sorted by start, and drops empty and inverted ones. A further call
 * replaces the ranges of the previous one. -ENOMEM or 0.
 */
int spans__build(struct spans *s, const struct span *ranges, size_t len);
/* The range that contains `addr`: its span.name as given, any number, and its start. */
bool spans__find_id(const struct spans *s, u64 addr, u32 *ret_name, u64 *ret_start);
/* The range that contains `addr`: its name, which lives as long as the object, and its start. */
bool spans__find(const struct spans *s, u64 addr, const char **ret_name, u64 *ret_start);
/* How many pieces there are, and the span.name of the one at `idx`. */
size_t spans__len(const struct spans *s);
u32 spans__id_at(const struct spans *s, size_t idx);

#endif
