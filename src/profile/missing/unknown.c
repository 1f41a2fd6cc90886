/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/missing/unknown.h"

static const struct {
	const char *name;
	const char *words;
} kinds[] = {
#define X(NAME, name, words) { name, words },
	PROFILE_UNKNOWNS(X)
#undef X
};

const char *unknown_name(enum profile_unknown_bit bit)
{
	return kinds[bit].name;
}

const char *unknown_words(enum profile_unknown_bit bit)
{
	return kinds[bit].words;
}
