/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_RECORDING_FILE_H
#define APP_RECORDING_FILE_H

#include "base/err.h"
#include "base/sink.h"
#include "profile/profile.h"

struct cause_memo;

#define RECORDING_ENDING ".coldspot"

/* Whether a path has the extension of a recording. */
bool recording_file_is(const char *path);
struct recorder;

/* Adds a window, with its causes. */
int recording_file_add(struct recorder *rec, const struct profile *p, struct cause_memo *memo,
		       struct err *err);
/*
 * Writes a recording of this one window, with its causes; `memo` of these, or NULL (cause_memo.h).
 */
int recording_file_write(const struct profile *p, struct cause_memo *memo, struct sink *out,
			 struct err *err);

#endif
