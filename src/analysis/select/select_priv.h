/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_SELECT_SELECT_PRIV_H
#define ANALYSIS_SELECT_SELECT_PRIV_H

#include "analysis/cause/cause.h"
#include "analysis/select/select.h"
#include "analysis/select/select_frames.h"
#include "analysis/select/select_wakers.h"
#include "analysis/view/time_view.h"
#include "base/vec.h"

/* A selection under way: select.c applies the filters that select_filters.c lists. */
struct selecting {
	const struct profile *whole;
	struct viewed view;
	const struct profile *p; /* all its rows: the waits, then the hots */
	const struct select_options *opt;
	struct causes causes;
	struct select_frames frames;
	struct select_wakers wakers;
	struct vec comms; /* struct pattern, and the next six */
	struct vec cgroups;
	struct vec units;
	struct vec containers;
	struct vec pods;
	struct vec objects;
	struct vec owners;
	bool *tasks; /* kept, by id */
	bool *waits; /* rows */
	u64 waits_cnt;
};

struct select_task_filter {
	const char *option;
	bool (*is_on)(const struct select_options *opt);
	bool (*lets)(const struct selecting *s, const struct profile_task *t);
};

struct select_wait_filter {
	const char *option;
	bool (*is_on)(const struct select_options *opt);
	bool (*lets)(const struct selecting *s, u32 wait);
};

/* In order of application. */
extern const struct select_task_filter select_task_filters[];
extern const struct select_wait_filter select_wait_filters[];
extern const size_t select_task_filters_len;
extern const size_t select_wait_filters_len;

#endif
