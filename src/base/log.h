/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/types.h"

/*
 * Debug messages on stderr, off by default. COLDSPOT_DEBUG=1 or -v turns them on. They are the only
 * output of any library layer, and the switch is the project's only mutable global.
 */
void log_enable(bool on);
bool log_enabled(void);
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
