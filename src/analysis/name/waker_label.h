/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_WAKER_LABEL_H
#define ANALYSIS_NAME_WAKER_LABEL_H

#include "profile/profile.h"

#define WAKER_LABEL_SZ 96

/*
 * The name of a waker, "" for waker 0: "worker-4133" for a thread; "kworker" for all threads of a
 * kind that the kernel starts by the dozen, and the plain name of its other threads; for an
 * interrupt the device that its kernel frames show, as in "[timer interrupt]", which may be
 * unknown: "[interrupt]", "[softirq]". Frames must be named first. Returns `buf`.
 */
const char *waker_label(const struct profile *p, u32 waker, char *buf, size_t sz);
/* The same without the TID, so that threads with one name share it. */
const char *waker_label_shared(const struct profile *p, u32 waker, char *buf, size_t sz);
/* The same with the name of a thread alone, as bcc's tools print it: "worker", "kworker/0:1". */
const char *waker_label_comm(const struct profile *p, u32 waker, char *buf, size_t sz);
/* The kind of threads that the kernel starts by the dozen, "kworker"; NULL for other names. */
const char *waker_kind_of_worker(const char *comm);
/* Of a wait that no known waker ended: "[preempted]", "[new thread]", "[unknown]", .. */
const char *no_waker_label(const struct profile_wait *w);
/* Why a chain ends with this waker: "[running]"; NULL if it goes on or its name says it. */
const char *waker_end_note(const struct profile *p, u32 waker);

#endif
