/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SESSION_JAVA_ATTACH_H
#define SESSION_JAVA_ATTACH_H

#include "base/err.h"
#include "base/types.h"

/*
 * Makes a HotSpot JVM write its perf map, /tmp/perf-PID.map, as `jcmd PID Compiler.perfmap` does;
 * returns when it is written, after at most `timeout_ns`. The JVM starts a thread that listens when
 * it is first asked, as for jcmd, and keeps it.
 *
 * Takes the user and group of the process for the time of the talk: needs CAP_SETUID and CAP_SETGID
 * if those are not ours. Of the calling thread, not of others.
 *
 * -ENOENT when it is no HotSpot JVM; -EOPNOTSUPP when it has no such command (before Java 17), or
 * was told not to listen; -EPERM; -ETIMEDOUT; -ESRCH; -EPROTO; all with a sentence that names the
 * process.
 */
int java_write_perfmap(u32 tgid, u64 timeout_ns, struct err *err);

#endif
