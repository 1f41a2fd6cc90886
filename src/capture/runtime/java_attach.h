/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_JAVA_ATTACH_H
#define CAPTURE_RUNTIME_JAVA_ATTACH_H

#include "base/err.h"
#include "base/types.h"

/*
 * Makes a HotSpot JVM write its perf map, /tmp/perf-PID.map, like `jcmd PID Compiler.perfmap`.
 * Returns when it is written, or after `timeout_ns`. At the first request the JVM starts a listener
 * thread, as for jcmd, and keeps it.
 *
 * Switches to the user and group of the process meanwhile, in the calling thread only: needs
 * CAP_SETUID and CAP_SETGID if they differ from ours.
 *
 * -ENOENT if it is not a HotSpot JVM; -EOPNOTSUPP if it has no such command (before Java 17) or
 * does not accept attaching; -EPERM; -ETIMEDOUT; -ESRCH; -EPROTO; all with a message that names the
 * process.
 */
int java_write_perfmap(u32 tgid, u64 timeout_ns, struct err *err);

#endif
