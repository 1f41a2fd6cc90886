/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording is built in memory and written in one go: after the trace, the privileges to create
 * files in the output directory may have been dropped, and only the descriptor is left.
 */
#include "app/recording_file.h"

#include <string.h>

#include "analysis/cause/cause_memo.h"
#include "base/mem.h"
#include "recording/writer.h"

bool recording_file_is(const char *path)
{
	size_t len = strlen(path), ending_len = strlen(RECORDING_ENDING);

	return len > ending_len && !strcmp(path + len - ending_len, RECORDING_ENDING);
}

/* Fills in a row for each cause that occurs. */
static size_t sum_causes(const struct profile *p, const struct causes *causes,
			 struct recording_cause *rows)
{
	size_t len = 0;
	u32 i;

	for (i = 1; i < p->waits_len; i++) {
		const struct profile_wait *w = &p->waits[i];
		struct recording_cause *row = &rows[causes__of(causes, i)];

		row->name = cause_name(causes__of(causes, i));
		row->waits += w->count;
		row->blocked_ns += w->blocked_ns;
		row->runq_ns += w->runq_ns;
		if (w->max_ns > row->max_ns)
			row->max_ns = w->max_ns;
	}
	for (i = 0; i < CAUSE_CNT; i++) {
		if (rows[i].name)
			rows[len++] = rows[i];
	}
	return len;
}

/* By wait id; freed with mem_free(). NULL: out of memory. */
static struct recording_label *make_labels(const struct profile *p, const struct causes *causes)
{
	struct recording_label *labels = mem_alloc(p->waits_len * sizeof(*labels));
	u32 i;

	for (i = 1; labels && i < p->waits_len; i++) {
		labels[i].cause = cause_name(causes__of(causes, i));
		labels[i].class = class_name(causes__class(causes, i));
	}
	return labels;
}

int recording_file_add(struct recorder *rec, const struct profile *p, struct cause_memo *memo,
		       struct err *err)
{
	struct recording_cause rows[CAUSE_CNT] = { 0 };
	struct recording_label *labels = NULL;
	struct causes causes;
	int r = causes__recall(&causes, p, memo, err);

	if (!r) {
		labels = make_labels(p, &causes);
		r = labels ? 0 : err__nomem(err);
	}
	if (!r)
		r = recorder__add(rec, p, rows, sum_causes(p, &causes, rows), labels, err);
	mem_free(labels);
	causes__done(&causes);
	return r;
}

int recording_file_write(const struct profile *p, struct cause_memo *memo, struct sink *out,
			 struct err *err)
{
	struct recorder *rec = NULL;
	int r = recorder__create_in_memory(&rec, err);

	if (!r)
		r = recording_file_add(rec, p, memo, err);
	if (!r)
		r = recorder__write(rec, out, err);
	recorder__free(rec);
	return r;
}
