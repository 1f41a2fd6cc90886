/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_NAMING_H
#define SESSION_NAMING_H

#include "base/err.h"
#include "capture/capture.h"
#include "profile/profile.h"
#include "symbol/resolver.h"

/*
 * resolver__name_profile() in a separate thread, while the calling thread reads the events of a
 * running trace: naming may take longer than the ring buffer has room for events. The caller must
 * not use any of the three meanwhile. Errors are those of resolver__name_profile() or of
 * capture__poll(). If no thread can be created, the caller's thread does the naming.
 */
int naming_run(struct resolver *resolver, struct profile *p, struct capture *c, struct err *err);

#endif
