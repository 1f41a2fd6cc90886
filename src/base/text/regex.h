/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_TEXT_REGEX_H
#define BASE_TEXT_REGEX_H

#include <regex.h>

#include "base/err.h"

/*
 * Compiles a regular expression from outside (POSIX, extended). glibc copies what is repeated when
 * it compiles: `a++++++++++++++++++++` takes 700 MB. So an expression that would become more than
 * REGEX_STEPS_MAX steps is refused, as is one with more than REGEX_DEPTH_MAX groups in each other.
 * -EINVAL with what is wrong, -ENOMEM, or 0: then the caller calls regfree(). After an error there
 * is nothing to release. `flags`: those of regcomp() besides REG_EXTENDED.
 */
#define REGEX_STEPS_MAX 2000
#define REGEX_DEPTH_MAX 50

int regex_compile(regex_t *ret, const char *text, int flags, struct err *err);

#endif
