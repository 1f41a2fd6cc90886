/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_LIT_H
#define TESTS_LIB_LIT_H

#include "lib/literal.h"

/*
 * Short forms for cmocka tests: what goes wrong fails the test that calls them.
 */

/* A checked profile; free with profile__free(). Include <cmocka.h> and what it wants first. */
static inline struct profile *lit(const char *text)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	if (literal_parse(text, &p, &err) || profile__check(p, &err))
		fail_msg("%s", err.msg);
	return p;
}

#endif
