/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_ROW_TYPE_H
#define PROFILE_ROW_TYPE_H

#include "profile/profile.h"

/*
 * What the rows of a profile consist of: waits, what threads did on a CPU, wakes and measured
 * waits of tasks. Builder, check, merge, recordings and formats go through these columns, so a
 * column that is added to a struct and here is carried by all of them.
 */
enum row_kind {
	/* The key: 32 bits each. Rows with equal keys are one. */
	ROW_TASK, /* id of a task; 0: not known, or none */
	ROW_STACK, /* leaf node; 0: none */
	ROW_OBJECT, /* 0: not known, or none */
	ROW_CALL, /* signed number of a system call; -1: none */
	ROW_STATE, /* index into PROFILE_STATE_LETTERS */
	ROW_FLAGS,
	ROW_WAKER, /* id of a waker */
	ROW_DOING, /* enum profile_doing */
	ROW_NUMBER, /* of any other kind */
	/* The values: 64 bits each, except the histogram. */
	ROW_SUM,
	ROW_MAX,
	ROW_VARIANCE, /* see estimate.h */
	ROW_HIST, /* u32 by bucket */
	/* Not in a profile: 0. */
	ROW_ZERO,
};

/* Recordings have no column of this number: they store it in a way of its own, or not at all. */
#define ROW_STORED_APART 0xff

/* As many as a type can have. */
#define ROW_COLUMNS_MAX 32

struct row_column {
	const char *name; /* as docs/json.md has it */
	enum row_kind kind;
	u16 off;
	u16 sz;
	u8 stored; /* number of the column in a recording: never changes */
	bool is_delta; /* stored as the difference from the row before */
	bool is_needed; /* never 0 */
	bool is_kernel; /* of stacks: one of the kernel, which is never truncated */
};

struct row_type {
	const char *noun;
	const struct row_column *columns; /* in the order of the formats */
	u32 columns_len;
	u32 sz;
	u32 key_sz; /* the key is a prefix */
	u32 flags; /* all that a row of a profile may have */
};

extern const struct row_type wait_row_type; /* struct profile_wait */
extern const struct row_type hot_row_type; /* struct profile_hot */
extern const struct row_type wake_row_type; /* struct profile_wake */
extern const struct row_type measured_row_type; /* struct profile_measured */

static inline bool row_column__is_key(const struct row_column *c)
{
	return c->kind < ROW_SUM;
}

/* The number in a column that is no histogram; a key is widened without its sign. */
u64 row_column__get(const struct row_column *c, const void *row);
void row_column__set(const struct row_column *c, void *row, u64 value);
/* The column of that name; NULL: there is none. */
const struct row_column *row_type__find(const struct row_type *type, const char *name);
/* How many there are of what rows refer to, with the one of id 0. */
struct row_limits {
	u32 tasks;
	u32 stacks;
	u32 objects;
	u32 wakers;
};

/* What a row has that does not exist, such as "a stack"; NULL: all of it exists. */
const char *row_type__missing(const struct row_type *type, const void *row,
			      const struct row_limits *limits);
/* Adds the values of a row to one of an equal key. False when a sum leaves its type. */
bool row_type__add(const struct row_type *type, void *sum, const void *row);

#endif
