/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEB_SOURCE_WEB_H
#define WEB_SOURCE_WEB_H

#include <pthread.h>
#include <stdatomic.h>

#include "app/time_range.h"
#include "base/err.h"
#include "base/vec.h"
#include "profile/profile.h"
#include "web/source/kept.h"
#include "web/source/shelf.h"
#include "web/source/totals.h"
#include "web/source/web_targets.h"

/*
 * What the server shows, without a network: windows that are recorded now, those of one file, the
 * files of a directory, the windows of a store, or those of ClickHouse. Thread-safe, unless a
 * function says otherwise.
 */
enum web_mode {
	WEB_LIVE = 0,
	WEB_RECORDING,
	WEB_DIRECTORY,
	WEB_STORE,
	WEB_FLEET,
};

/* Rows of the windows in memory, see struct kept_limits. The last window is always kept. */
#define WEB_MAX_ROWS 500000

/* Texts are borrowed. */
struct web_options {
	enum web_mode mode;
	const char *path; /* of the recording or the directory; live: of the file, or NULL */
	struct time_range range; /* store, fleet: shown unless a request asks for another time */
	u64 at_ns; /* store: the window at this time is shown first; 0: all of the range */
	/* fleet: as of struct fleet_options; the URL may have a password and is never shown */
	const char *url;
	const struct vec *hosts; /* unless a request names others; `target` is the server's name */
	const struct vec *services;
	bool (*is_over)(void); /* ends requests to the server that still run */
	const char *version;
	const char *target; /* live, fleet */
	u64 window_ns; /* live */
	u64 keep_ns; /* live */
	u64 max_rows; /* 0: WEB_MAX_ROWS */
	bool wakers; /* live */
	bool requests; /* live: they are recorded, though a window may have none */
	const struct ruleset *rules; /* as for causes__init() */
	/*
	 * Live: adds or removes a PID or, if `cgroup` is set, the path of a cgroup, and returns
	 * when that is done. NULL: cannot be done.
	 */
	int (*change_target)(void *arg, bool add, const char *whom, struct err *err);
	void *change_arg;
	const u32 *targets; /* the processes at the beginning */
	size_t targets_len;
	const char *cgroup; /* or the cgroup; NULL: none */
};

/* What is counted, for /api/v1/status and /metrics: X(NAME, name). */
#define WEB_REFUSALS(X)                                                                            \
	X(HOST, "host")                                                                            \
	X(ORIGIN, "origin")                                                                        \
	X(TOKEN, "token")                                                                          \
	X(CONNECTIONS, "connections")                                                              \
	X(SLOW, "slow")                                                                            \
	X(TOO_LARGE, "too_large")                                                                  \
	X(BUSY, "busy")                                                                            \
	X(NO_REQUEST, "no_request")                                                                \
	X(OTHER, "other")

enum web_refusal {
#define X(NAME, name) WEB_REFUSED_##NAME,
	WEB_REFUSALS(X)
#undef X
		WEB_REFUSED_CNT
};

const char *web_refusal_name(enum web_refusal why);

struct web {
	struct web_options opt;
	char id[17]; /* of this server's life */
	char host[65];
	char kernel[65];
	struct kept kept; /* live, and of a recording: without profiles */
	struct totals totals;
	struct shelf shelf; /* directory */
	pthread_mutex_t lock; /* of the rest */
	pthread_cond_t calm;
	u32 busy; /* answers that are computed now, of those that take long */
	bool closed; /* nobody enters any more */
	struct web_targets targets;
	char over[200]; /* why there are no further windows; "": there may be */
	atomic_ullong requests;
	atomic_uint viewers; /* open streams */
	atomic_ullong refused[WEB_REFUSED_CNT];
};

/* Errors of shelf__init(), -EIO, -ENOMEM, or 0. web__done() in either case. */
int web__init(struct web *w, const struct web_options *opt, struct err *err);
/* When the server is stopped. */
void web__done(struct web *w);
/*
 * A finished window. Takes `p`, also on error. Does not wait for viewers. In mode WEB_RECORDING its
 * profile is not kept: viewers read it from the file. -ENOMEM or 0.
 */
int web__add(struct web *w, struct profile *p, struct err *err);
/*
 * Adds the windows of the recording, one by one; what cannot be read is left out and counted.
 * -ECANCELED as soon as is_over() is true.
 */
int web__read_recording(struct web *w, bool (*is_over)(void), struct err *err);
/* No further window will come, because of this. */
void web__end(struct web *w, const char *why);
/* Of the path, what viewers see: the last part; NULL without a path. */
const char *web__file_name(const struct web *w);
void web__copy_over(struct web *w, char *buf, size_t sz);
void web__refuse(struct web *w, enum web_refusal why);
/*
 * Around work that takes long, so that a few viewers do not take all CPUs: waits for others, and
 * -EBUSY, with a sentence, if that takes too long, or -ECANCELED after web__close(). Without error,
 * call web__leave() afterwards.
 */
int web__enter(struct web *w, struct err *err);
void web__leave(struct web *w);
/* Ends everybody who waits: the server is about to stop. */
void web__close(struct web *w);

#endif
