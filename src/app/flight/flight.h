/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_FLIGHT_H
#define APP_FLIGHT_FLIGHT_H

#include "app/flight/trigger.h"
#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "profile/profile.h"

struct ruleset;
struct session;

/*
 * A flight recorder: keeps the last windows of a recording in memory, and writes them to a file
 * when something happens. Files are new ones: NAME-1.coldspot, or with the next free number.
 */
struct flight_options {
	const char *path; /* NAME.coldspot */
	u64 last_ns; /* how much is kept and written; one window more at most */
	u64 hold_off_ns; /* after a file, triggers rest so long; requests and ends do not */
	u64 max_bytes; /* of the windows that are kept; the last one is kept in any case */
	u32 max_files;
	const struct ruleset *rules; /* NULL: the built-in ones */
	struct session *session; /* polled while a file is written; NULL: it is not */
	/* a sentence for the user; each without an end of line */
	void (*say)(void *arg, const char *sentence);
	void *say_arg;
};

struct flight {
	struct flight_options opt; /* all borrowed */
	struct triggers triggers;
	struct vec windows; /* struct profile *, from old to new */
	u64 length_ns; /* of all windows */
	u64 bytes;
	u64 most_bytes;
	u64 held_off_ns; /* what is left of the hold-off */
	u64 held_off; /* firings that wrote nothing */
	u64 cut_short; /* windows that were let go early for want of memory */
	u64 idle_ns; /* of CPUs, at the end of the last window */
	u32 files;
};

/* The length of a window, from that of a file, which may be longer by one window. */
u64 flight_window_ns(u64 last_ns);
/*
 * -EACCES and the like if no file can be created there, with a message: call it when privileges
 * have been dropped. `specs` are borrowed. Release with flight__done() in either case.
 */
int flight__init(struct flight *f, const struct flight_options *opt,
		 const struct trigger_spec *specs, size_t specs_len, struct err *err);
void flight__done(struct flight *f);
/*
 * The next window; takes `p`, also on error. Writes a file if a trigger fires, or if SIGUSR1 asked
 * for one (run_take_trigger()), and ends the recording (run_end()) after the last that may be
 * written. A file that cannot be written is said, and is no error. -ENOMEM or 0.
 */
int flight__add(struct flight *f, struct profile *p, struct err *err);
/*
 * Whether the window is to end now, for run_options.cut: SIGUSR1 asked for a file, or a request got
 * too long (capture_options.slow_request_ns), and no hold-off lasts.
 */
bool flight__cuts(void *flight);
/* The recording is over: writes a file if a trigger of the end was given. */
int flight__end(struct flight *f, struct err *err);

#endif
