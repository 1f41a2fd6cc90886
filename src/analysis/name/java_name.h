/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_JAVA_NAME_H
#define ANALYSIS_NAME_JAVA_NAME_H

#include "base/types.h"

/*
 * Names of Java methods as a JVM writes them, interpreted or in its perf map:
 * "void java.util.concurrent.locks.LockSupport.park(java.lang.Object)".
 */

/* Whether a name has that form. */
bool java_name_is(const char *name);
/*
 * The method is not the program's own: it belongs to the class library, or was generated for a
 * lambda.
 */
bool java_name_is_library(const char *name);
/* The method is in a package of a well-known project: "org.postgresql", inside `name`. */
bool java_name_is_package(const char *name, const char **ret_package, u32 *ret_len);
/* A short form for one line: "LockSupport.park". Returns its length; it begins inside `name`. */
size_t java_name_short(const char *name, const char **ret_short);

#endif
