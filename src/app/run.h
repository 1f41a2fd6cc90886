/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_RUN_H
#define APP_RUN_H

#include "base/err.h"
#include "base/types.h"
#include "app/child.h"
#include "session/session.h"

/* Callbacks from the loop, so each must return at once; each may be NULL. */
struct run_watcher {
	void (*began)(void *arg); /* the window is open */
	void (*goes_on)(void *arg, u64 since_ns); /* at least ten times a second */
	void (*ended)(void *arg); /* also after an error */
	void *arg;
};

/* How long a recording runs, and who watches it. */
struct run_options {
	u64 duration_ns; /* 0: until a signal, or until the targets have exited */
	const u32 *ids; /* processes or threads; the recording stops when all have exited */
	size_t ids_len;
	struct child *child; /* may be NULL; released when the window is open */
	bool wait_all; /* runs until all targets have exited, also those that came with `child` */
	const struct run_watcher *watcher; /* NULL: none */
	const bool *stop; /* the watcher sets it to end the recording; NULL: it does not */
	/* ends the window before its time; asked at least ten times a second; NULL: nothing does */
	bool (*cut)(void *arg);
	void *cut_arg;
	int wake_fd; /* watcher->goes_on is also called when it becomes readable; 0: none */
};

/*
 * From now on, SIGINT, SIGTERM and SIGHUP end a recording without ending the program. Another
 * signal at least half a second later ends the program, by its default action. An ignored SIGHUP
 * (nohup) stays ignored. Call it before the session is opened, and after a command was started.
 */
void run_catch_signals(void);

/* From now on, after run_catch_signals(), SIGHUP asks to read settings again, and ends nothing. */
void run_catch_reload(void);
/* Whether it did since the last call. */
bool run_take_reload(void);

/* From now on SIGUSR1 asks a flight recorder to write, and does not end the program. */
void run_catch_trigger(void);
/* Whether it did since the last call. */
bool run_take_trigger(void);
/* The same, and it is still to be taken. */
bool run_trigger_asked(void);

/* Why a part of a run ended. */
enum run_pause {
	RUN_UNTIL, /* the instant has come */
	RUN_CUT, /* run_options.cut ended it before */
	RUN_OVER, /* the run itself has ended */
};

/*
 * Runs an open session until its time is over, a signal arrives or the targets exit. A signal
 * before recording began is an error, -EINTR.
 */
int run_session(struct session *s, const struct run_options *opt, struct err *err);
/* Runs it again, for a session that is already running. */
int run_on(struct session *s, const struct run_options *opt, struct err *err);
/* In steps: begins, and releases the command ... */
int run_begin(struct session *s, const struct run_options *opt, struct err *err);
/*
 * ... and continues until `until_ns` (CLOCK_MONOTONIC) or its end, whose time counts from
 * `begin_ns`.
 */
int run_until(struct session *s, const struct run_options *opt, u64 begin_ns, u64 until_ns,
	      enum run_pause *ret, struct err *err);
/* Whether a signal, or run_end(), requested the end. */
bool run_is_over(void);
/* Requests it, as a signal does. */
void run_end(void);

#endif
