/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RENDER_JSON_FIREFOX_MARKERS_H
#define RENDER_JSON_FIREFOX_MARKERS_H

#include "analysis/cause/cause_memo.h"
#include "profile/profile.h"
#include "render/encode/json_writer.h"
#include "render/json/firefox_code.h"
#include "render/timeline_names.h"

/*
 * What a Firefox profile has in the order of time: a sample for each wait, as long as it was, and
 * markers for what a thread did and whom it woke.
 */
struct firefox_markers {
	const struct profile *p; /* borrowed */
	struct timeline_names names;
	u32 *first_step; /* by task, an index + 1; 0: none */
	u32 *next_step; /* of the same task */
	u32 *first_wake; /* by task that woke, an index of a moment + 1 */
	u32 *next_wake;
	u32 cause_names[CAUSE_CNT]; /* in the strings of the profile */
	u32 on_cpu_name, runq_name, unknown_name, wakes_name;
};

/* Milliseconds with six decimals: exact to the ns. */
void firefox_put_ms(struct json *to, const char *key, u64 ns);
void firefox_put_empty(struct json *to, const char *key);

/* -ENOMEM or 0. Adds strings to `code`. Release with firefox_markers__done() in either case. */
int firefox_markers__init(struct firefox_markers *m, const struct profile *p,
			  struct firefox_code *code, struct cause_memo *memo);
void firefox_markers__done(struct firefox_markers *m);
/* The member "markerSchema"; `m` may be NULL: there are none. */
void firefox_markers_put_schema(const struct firefox_markers *m, struct json *to);
/* The member "samples" of a thread. */
void firefox_markers__put_samples(const struct firefox_markers *m, u32 task,
				  const u32 *stack_of_wait, struct json *to);
/* The member "markers" of a thread, an empty table if `m` is NULL. -ENOMEM or 0. */
int firefox_markers__put(struct firefox_markers *m, u32 task, struct json *to);

#endif
