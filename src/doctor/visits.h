/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCTOR_VISITS_H
#define DOCTOR_VISITS_H

#include "base/sink.h"

/*
 * What `record --proc` can read here, by the files of our own process, and what it never has.
 * `root` is "/proc", or a directory in its place for tests.
 */
void doctor_visits(const char *root, struct sink *out);

#endif
