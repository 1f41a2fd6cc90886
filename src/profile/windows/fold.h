/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_WINDOWS_FOLD_H
#define PROFILE_WINDOWS_FOLD_H

#include "profile/profile.h"

/*
 * The profile with fewer threads: those whose process name, own name and cgroup are equal are one
 * task, without TID and PID. Digits at the end of a thread's name become a star, unless it is that
 * of its process, and so does what is behind the slash of a kernel thread. Every sum of the
 * profile, of each such task and of each stack stays as it was, to the ns. profile_merge() adds up
 * tasks of one name.
 *
 * `p` was checked (profile__check()); so is the result. -EINVAL when a sum leaves its type; -ENOMEM
 * or 0. The caller frees *ret.
 */

/*
 * All threads. What is of a single thread or instant is left out: thread histograms, intervals,
 * moments, wakers, owners, and of objects all but what rules for causes need (kind, names of locks,
 * ports of servers). The header says UNKNOWN_FOLDED.
 */
int profile_fold(const struct profile *p, struct profile **ret, struct err *err);
/*
 * Only threads that began and ended inside the window, and were neither owner nor waker of a wait.
 * The task says how many they are. Nothing but
 * who they were is left out, but `p` must have neither moments nor marks: -EINVAL.
 */
int profile_fold_ended(const struct profile *p, struct profile **ret, struct err *err);

#endif
