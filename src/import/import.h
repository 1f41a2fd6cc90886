/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "base/err.h"
#include "base/view.h"
#include "profile/profile.h"

/*
 * Profiles from files of other tools. A format is one file with a const struct import_format, and a
 * line in IMPORT_FORMATS. Nothing here starts programs or writes files.
 */

/*
 * X(ID, NAME) of each, in the order in which files are tried: what is least special comes last.
 */
#define IMPORT_FORMATS(X)                                                                          \
	X(pprof, "pprof")                                                                          \
	X(perfetto, "perfetto")                                                                    \
	X(speedscope, "speedscope")                                                                \
	X(perf_script, "perf-script")                                                              \
	X(offcputime, "offcputime")                                                                \
	X(folded, "folded")

enum import_unit {
	IMPORT_UNIT_NONE = 0, /* not given */
	IMPORT_UNIT_US,
	IMPORT_UNIT_NS,
	IMPORT_UNIT_MS,
	IMPORT_UNIT_SAMPLES, /* each stands for period_ns */
};

struct import_options {
	const char *name; /* of the file, for messages and as the target */
	const char *version; /* for the header; NULL: none */
	const char *command;
	const char *format; /* a name of IMPORT_FORMATS; NULL: by content */
	enum import_unit unit; /* of values whose unit the file does not tell */
	u64 period_ns; /* of a sample; 0: not given */
	u64 window_ns; /* length of the recording, if the file does not tell it; 0: not given */
	const char *sample_type; /* of a pprof file with several; NULL: the one of waits */
	bool lost_shown; /* the text of perf script tells lost events, too */
	/* The architecture and numbers of system calls; NULL: waits have no system call. */
	const char *arch;
	s32 (*syscall_number)(const char *name);
};

/*
 * Reads `fd` to its end. The profile passes profile__check(). -EINVAL with file and line or offset
 * for what is not of the format, -ENOMEM, or an error of read().
 */
int import_read(int fd, const struct import_options *opt, struct profile **ret, struct err *err);
/* The same of bytes in memory. */
int import_bytes(struct view bytes, const struct import_options *opt, struct profile **ret,
		 struct err *err);

#endif
