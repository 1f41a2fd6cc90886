/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_ASK_QUERY_H
#define WEB_ASK_QUERY_H

#include "base/err.h"
#include "base/vec.h"

/*
 * The query of a request: pairs of texts, as they came, decoded. Getters give what is asked for by
 * name and remember that they did; query__check() then refuses the rest, so that a misspelt filter
 * is an error and not the whole recording. Errors are -EINVAL with the name of the parameter.
 */
#define QUERY_MAX_PAIRS 64
#define QUERY_MAX_VALUE 1024

struct query {
	struct vec pairs; /* struct query_pair; texts are borrowed */
};

struct query_pair {
	const char *name;
	const char *value;
	bool used;
};

/* A range of windows, both ends included. */
struct query_range {
	u64 from;
	u64 to;
};

void query__init(struct query *q);
void query__done(struct query *q);
/*
 * `value`: NULL is "". -E2BIG for too many, -EINVAL for too long a value, one with a control
 * character or, by `value_len`, a NUL; -ENOMEM, or 0.
 */
int query__add(struct query *q, const char *name, const char *value, size_t value_len,
	       struct err *err);
/* The last value of that name; NULL: not given. */
const char *query__text(struct query *q, const char *name);
/* The value after `*at`, which begins at 0, of a repeatable name; NULL: no further one. */
const char *query__next(struct query *q, const char *name, size_t *at);
/* Leaves *ret alone if it is not given. */
int query__u64(struct query *q, const char *name, u64 max, u64 *ret, struct err *err);
/* "1", "true", "yes" or "" is true, "0", "false", "no" false. */
int query__flag(struct query *q, const char *name, bool *ret, struct err *err);
/* Index into `choices`, which end with NULL. */
int query__choice(struct query *q, const char *name, const char *const *choices, u32 *ret,
		  struct err *err);
/* "10-20", "10-", "-20" or "10". */
int query_parse_range(const char *text, struct query_range *ret, struct err *err);
int query__check(const struct query *q, struct err *err);

#endif
