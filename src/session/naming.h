/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_NAMING_H
#define SESSION_NAMING_H

#include "base/err.h"
#include "profile/profile.h"
#include "symbol/resolver.h"

/* What goes on meanwhile: handles it until `wake_fd` is readable, or for `timeout_ms`. */
struct naming_poll {
	int (*poll)(void *arg, int wake_fd, int timeout_ms, struct err *err);
	void *arg;
};

/*
 * resolver__name_profile() in a separate thread, while the calling thread reads the events of a
 * running trace, or visits threads: naming may take longer than the ring buffer has room for
 * events. The caller must not use resolver and profile meanwhile. Errors are those of
 * resolver__name_profile() or of `poll`. If no thread can be created, the caller's thread does the
 * naming.
 */
int naming_run(struct resolver *resolver, struct profile *p, const struct naming_poll *meanwhile,
	       struct err *err);

#endif
