/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_BUILDER_PRIV_H
#define PROFILE_BUILDER_PRIV_H

/* Between the files of the builder: builder.c and the other builder_*.c. */
#include "base/intern.h"
#include "profile/builder.h"
#include "profile/row_type.h"

struct builder {
	struct profile_header hdr;
	struct strtab strings;
	struct intern modules;
	struct intern frames;
	struct intern stacks;
	struct vec tasks;
	struct vec task_waits; /* u64 by task; shorter where the last ones are not known */
	struct intern objects;
	struct intern waits;
	u32 last_wait;
	struct vec intervals; /* struct profile_interval */
	struct vec replicates; /* struct profile_replicate */
	struct vec moments; /* struct profile_moment */
	struct vec marks; /* struct profile_mark */
	struct intern hots;
	struct intern wakers;
	struct intern wakes;
	struct intern bins;
	struct intern measured;
	struct profile_loss losses[LOSS_CNT];
	int error; /* the first one */
	const char *fault; /* the sentence of an -EINVAL */
	char fault_text[96]; /* of one that is made */
};

/* Refuses what the caller gave: sets the sticky error and its sentence. Returns -EINVAL. */
int builder__refuse(struct builder *b, const char *fault);
/* Keeps the error of a call into a table, and returns it. */
int builder__settle(struct builder *b, int r);
bool builder__has_str(const struct builder *b, u32 str);
/* Adds a row, or its values to the one with an equal key. Returns the error, or 0. */
int builder__add_row(struct builder *b, const struct row_type *type, struct intern *rows,
		     const void *row, u32 *ret_id);

/* At freezing. Each returns the error of the builder, or 0. */
int builder__add_rest_waits(struct builder *b);
/* Of each task, the time on a CPU that no hot has. */
int builder__add_rest_hots(struct builder *b);
int builder__order_replicates(struct builder *b);

#endif
