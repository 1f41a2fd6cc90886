/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEET_LOADING_H
#define FLEET_LOADING_H

#include "fleet/client.h"
#include "fleet/fleet.h"
#include "fleet/question.h"
#include "fleet/sums.h"

/* What all questions to a server begin with: the range in time, and which windows are in it. */
struct loading {
	const struct fleet_options *opt;
	struct push_url url;
	struct client client;
	struct question q;
	struct fleet_sums sums;
	struct notices *notices;
	struct fleet_found *found;
	u64 threads; /* of any service; 0: not asked */
	struct fleet_hosts *hosts; /* NULL: not asked */
};

typedef void put_fn(const struct question *q, struct sink *sql);
typedef int take_fn(struct loading *l, struct view body, struct err *err);

/* Connects and finds the range. loading__done() in either case. */
int loading__begin(struct loading *l, const struct fleet_options *opt, struct notices *notices,
		   struct fleet_found *found, struct err *err);
void loading__done(struct loading *l);
/* A statement, and its answer to `take`. */
int loading__ask(struct loading *l, put_fn *put, take_fn *take, struct err *err);
/* For a take_fn: a row of numbers, the only one. */
int loading__take_numbers(struct view body, u64 *ret, size_t len, struct err *err);
/*
 * The windows, and then what `put` asks of them, whose sum `ns` must be that of the windows: it
 * asks again if windows came in between. -ENOENT if there is no window, -EAGAIN.
 */
int loading__find(struct loading *l, put_fn *put, take_fn *take, const u64 *ns, struct err *err);
/* What is not as it should be with these windows. -ENOMEM or 0. */
int loading__say(struct loading *l, struct err *err);

#endif
