/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording is made in memory and written in one go: when the trace is over, the rights to make
 * files in the directory of the output may be given up, and only its descriptor is left.
 */
#include "cli/recording_file.h"

#include <string.h>

#include "analysis/cause_memo.h"
#include "base/mem.h"
#include "recording/writer.h"

bool recording_file_is(const char *path)
{
	size_t len = strlen(path), ending_len = strlen(RECORDING_ENDING);

	return len > ending_len && !strcmp(path + len - ending_len, RECORDING_ENDING);
}

/* Fills in a row for each cause that there is. */
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

/* By wait id; freed with mem_free(), NULL: no memory. */
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

int recording_file_write(const struct profile *p, struct cause_memo *memo, struct sink *out,
			 struct err *err)
{
	struct recording_cause rows[CAUSE_CNT] = { 0 };
	struct recording_label *labels = NULL;
	struct recorder *rec = NULL;
	struct causes causes;
	int r = causes__recall(&causes, p, memo, err);

	if (!r) {
		labels = make_labels(p, &causes);
		r = labels ? recorder__create_in_memory(&rec, err) : err__nomem(err);
	}
	if (!r)
		r = recorder__add(rec, p, rows, sum_causes(p, &causes, rows), labels, err);
	if (!r)
		r = recorder__write(rec, out, err);
	recorder__free(rec);
	mem_free(labels);
	causes__done(&causes);
	return r;
}
