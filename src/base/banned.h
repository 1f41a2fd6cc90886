/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/*
 * Turns functions that are easy to misuse into compile errors. The build includes this header
 * before every C file of src/ (-include). It includes the C library headers whose functions it
 * poisons first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* With clang and _FORTIFY_SOURCE, glibc defines these as macros, which cannot be poisoned. */
#undef sprintf
#undef vsprintf

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok atoi atol atoll gets
#pragma GCC poison localtime gmtime ctime asctime

#endif
