/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_LIT_H
#define TESTS_LIB_LIT_H

#include "lib/literal.h"

/* Short forms for cmocka tests: an error fails the calling test. */

/* A checked profile; free with profile__free(). Include <cmocka.h> and its requirements first. */
static inline struct profile *lit(const char *text)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	if (literal_parse(text, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

#endif
