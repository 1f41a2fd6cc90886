/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_RECORDING_FILE_H
#define CLI_RECORDING_FILE_H

#include "base/err.h"
#include "base/sink.h"
#include "profile/profile.h"

struct cause_memo;

#define RECORDING_ENDING ".coldspot"

/* Is it the name of a recording, by its ending? */
bool recording_file_is(const char *path);
/* A recording of this one window, with its causes; `memo` of these, or NULL (cause_memo.h). */
int recording_file_write(const struct profile *p, struct cause_memo *memo, struct sink *out,
			 struct err *err);

#endif
