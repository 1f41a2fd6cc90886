/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/types.h"

/*
 * Talk for developers, on stderr, off by default. COLDSPOT_DEBUG=1 or -v turns it on. The only
 * output a library layer makes, and the only mutable global of the project.
 */
void log_enable(bool on);
bool log_enabled(void);
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
