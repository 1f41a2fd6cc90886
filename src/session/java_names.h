/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_JAVA_NAMES_H
#define SESSION_JAVA_NAMES_H

#include "base/notices.h"
#include "profile/profile.h"

/*
 * Requests a perf map from every live JVM with JIT-compiled code in the stacks of `p`. Call it
 * before symbols are looked up. Adds a sentence to `notices` for each JVM that did not write one,
 * or if there is no JVM. Takes at most 5 s for one JVM and 20 s for all. -ENOMEM or 0.
 */
int java_names_ask(const struct profile *p, struct notices *notices);

#endif
