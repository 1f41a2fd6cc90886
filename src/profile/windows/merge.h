/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_MERGE_H
#define PROFILE_WINDOWS_MERGE_H

#include "profile/profile.h"

/*
 * Several profiles in one: windows of one recording, or recordings of several machines. Every sum
 * is the sum over the parts: waits with the same thread, stacks, system call, state and flags are
 * one, and so are the records of a thread in windows that follow each other, until it executes
 * another program. A wait that goes on from one window into the next stays two, each with its part.
 *
 * Threads are identified by boot, tid and start time; machines by boot ID, or by host name where
 * that is not known. Names of frames are kept; one address that has two names (code that was made
 * at run time) becomes two frames. Header fields that differ are listed side by side, counters are
 * added, and windows, gap_ns and overlap_ns say how the parts lie in time.
 *
 * Each profile must be checked (profile__check()); so is the result. -EINVAL when there is none to
 * merge, they are of different architectures, or a sum leaves its type; -ENOMEM; or 0.
 */
int profile_merge(const struct profile *const *parts, size_t len, struct profile **ret,
		  struct err *err);

#endif
