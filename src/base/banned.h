/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/*
 * Functions that are easy to misuse become compile errors. This header is put in front of every C
 * file of src/ by the build (-include); the C library headers it poisons are included first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With clang and _FORTIFY_SOURCE glibc makes these macros, which cannot be poisoned. */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok atoi atol atoll gets
#pragma GCC poison localtime gmtime ctime asctime

#endif
