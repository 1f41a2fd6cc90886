/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_MADE_TIMELINE_MADE_H
#define TESTS_LIB_MADE_TIMELINE_MADE_H

#include "profile/profile.h"

/*
 * Recordings with instants of waits, and with requests, that are the same in every run. NULL if
 * memory runs out. Free with profile__free().
 */

/*
 * Threads that wake each other for ten seconds, with so many waits together at most; with requests
 * of so many classes in the first 40 ms, some handed on, or with none.
 */
struct profile *timeline_made(const char *name, u32 threads, u32 waits, u32 classes);
/* Too few requests to be compared, one without length; who ended waits is not known. */
struct profile *requests_made_few(void);
/* Requests that waited 1 ms in each of 300 functions. */
struct profile *requests_made_many_places(void);

#endif
