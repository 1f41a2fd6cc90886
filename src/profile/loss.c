/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of losses come from the list in the header, so that every kind has one. */
#include "profile/loss.h"

struct words {
	const char *name;
	const char *sentence;
	const char *sentence_of_one;
};

static const struct words *words_of(enum profile_loss_kind kind)
{
	static const struct words unknown = { "unknown", "unknown loss", "unknown loss" };
	static const struct words known[] = {
#define X(NAME, name, one, many, rest) [LOSS_##NAME] = { name, many rest, one rest },
		PROFILE_LOSSES(X)
#undef X
	};

	return (u32)kind < LOSS_CNT ? &known[kind] : &unknown;
}

const char *loss_name(enum profile_loss_kind kind)
{
	return words_of(kind)->name;
}

const char *loss_sentence(enum profile_loss_kind kind)
{
	return words_of(kind)->sentence;
}

const char *loss_sentence_of_one(enum profile_loss_kind kind)
{
	return words_of(kind)->sentence_of_one;
}
