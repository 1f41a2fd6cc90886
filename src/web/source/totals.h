/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_TOTALS_H
#define WEB_SOURCE_TOTALS_H

#include <pthread.h>

#include "base/sink.h"
#include "base/strtab.h"
#include "profile/profile.h"
#include "render/words/effort_text.h"
#include "web/source/window_sums.h"

/*
 * Sums over all windows of the server's life, also over those that are no longer kept: counters for
 * Prometheus, and what was lost. Thread-safe.
 */
#define TOTALS_MAX_COMMS 100
#define TOTALS_OTHER "(other)" /* the name of the rest */
#define TOTALS_NAME_SZ 128

/* Of the processes of one name. */
struct comm_total {
	u32 name; /* in `names` */
	u64 on_ns;
	u64 runq_ns;
	u64 blocked_ns;
};

struct totals {
	pthread_mutex_t lock;
	struct strtab names;
	u64 windows;
	u64 recorded_ns;
	u64 skipped; /* windows that could not be read */
	u64 cause_ns[CAUSE_CNT][CLASS_CNT];
	u64 on_ns, runq_ns, blocked_ns, idle_ns, lost_ns;
	u64 threads; /* of the last window */
	struct comm_total comms[TOTALS_MAX_COMMS];
	u32 comms_len;
	struct comm_total other; /* all other names */
	struct profile_loss losses[LOSS_CNT]; /* LOSS_UNNAMED is left out: nothing is missing */
	char effort[2][EFFORT_TEXT_SZ]; /* of the last window */
};

/* -ENOMEM or 0. */
int totals__init(struct totals *t);
void totals__done(struct totals *t);
void totals__add(struct totals *t, const struct profile *p, const struct window_sums *s);
void totals__skip(struct totals *t);
/* Events of all kinds of losses. */
u64 totals__lost(struct totals *t);

#endif
