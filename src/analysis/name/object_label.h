/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_OBJECT_LABEL_H
#define ANALYSIS_NAME_OBJECT_LABEL_H

#include "profile/profile.h"

/* Longest label, with its NUL; longer ones are cut. */
#define OBJECT_LABEL_SZ 640
#define OWNER_LABEL_SZ 96

/*
 * An object in one line, type and identity: "tcp 10.0.0.5:5432", "lock cache_lock (app)", "child
 * 4133 cc1". "" for object 0. Returns `buf`.
 */
const char *object_label(const struct profile *p, u32 object, char *buf, size_t sz);
/* "file /srv/db" instead of "file /srv/db on vda1"; others as object_label(). */
const char *object_label_without_device(const struct profile *p, u32 object, char *buf, size_t sz);
/*
 * Whether the label says more than the cause of a wait does. "futex 0x7f00 of 12", "epoll fd 9 of
 * 12", "pipe:[33]" and the like are numbers that mean nothing outside the process.
 */
bool object_says_something(const struct profile *p, u32 object);
/* The owner of a wait's object: "worker-3/4133", or "4133" if it was not recorded; "": none. */
const char *owner_label(const struct profile *p, const struct profile_wait *w, char *buf,
			size_t sz);

#endif
