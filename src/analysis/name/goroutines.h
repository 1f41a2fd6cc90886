/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_GOROUTINES_H
#define ANALYSIS_NAME_GOROUTINES_H

#include "profile/profile.h"

/* What a profile of a Go program cannot show. */
#define GOROUTINES_NOTE                                                                            \
	"goroutines that wait for a sync.Mutex, channel or select are not threads: their waits "   \
	"are not recorded; see `record --tasks`"

/* Whether a stack of a thread has a frame of Go's scheduler. Frames must have their names. */
bool has_goroutines(const struct profile *p);

#endif
