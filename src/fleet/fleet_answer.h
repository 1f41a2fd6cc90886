/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_FLEET_ANSWER_H
#define FLEET_FLEET_ANSWER_H

#include "base/err.h"
#include "base/strtab.h"
#include "base/vec.h"
#include "base/view.h"

/*
 * Reads what ClickHouse answers in its format JSONCompact, row by row and cell by cell. Not
 * trusted. The format ends with the number of its rows, so an answer that was cut is an error, not
 * a smaller answer.
 */
struct fleet_answer {
	struct view all;
	struct view v; /* what is left */
	struct vec text; /* u8: the last text, decoded */
	u64 rows; /* were taken */
	bool inside; /* a row, whose cells are next */
	bool comma; /* due before the next cell or element */
};

/* `body` must stay. -EBADMSG with what the server says, or what is wrong. */
int fleet_answer__begin(struct fleet_answer *a, struct view body, struct err *err);
void fleet_answer__done(struct fleet_answer *a);
/* 1: cells follow; 0: that was the last row, and all are there; or -EBADMSG. */
int fleet_answer__row(struct fleet_answer *a, struct err *err);

/* The next cell. One that is of another type sets a->v.bad, which the next row reports. */
u64 fleet_answer__u64(struct fleet_answer *a);
/* -ENOMEM or 0. */
int fleet_answer__text(struct fleet_answer *a, struct strtab *to, u32 *ret_id);
/* Opens a list; its texts follow while fleet_answer__more(). */
void fleet_answer__list(struct fleet_answer *a);
/* Closes the list when it returns false. */
bool fleet_answer__more(struct fleet_answer *a);

#endif
