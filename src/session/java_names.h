/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_JAVA_NAMES_H
#define SESSION_JAVA_NAMES_H

#include "base/notices.h"
#include "profile/profile.h"

/*
 * Asks every live JVM that has code made at run time in the stacks of `p` for its perf map. To be
 * called before names are looked for. Adds to `notices` a sentence for each JVM that did not do it,
 * or one when there is none at all. Takes 5 s for one JVM and 20 s for all of them, at most.
 * -ENOMEM or 0.
 */
int java_names_ask(const struct profile *p, struct notices *notices);

#endif
