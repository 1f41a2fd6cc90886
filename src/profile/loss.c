/* SPDX-License-Identifier: Apache-2.0 */
/* The words for losses come from the list in the header, so that no kind can be without them. */
#include "profile/loss.h"

const char *loss_name(enum profile_loss_kind kind)
{
	static const char *const names[] = {
#define X(NAME, name, one, many, rest) [LOSS_##NAME] = name,
		PROFILE_LOSSES(X)
#undef X
	};

	return (u32)kind < LOSS_CNT ? names[kind] : "unknown";
}

const char *loss_sentence(enum profile_loss_kind kind)
{
	static const char *const sentences[] = {
#define X(NAME, name, one, many, rest) [LOSS_##NAME] = many rest,
		PROFILE_LOSSES(X)
#undef X
	};

	return (u32)kind < LOSS_CNT ? sentences[kind] : "unknown loss";
}

const char *loss_sentence_of_one(enum profile_loss_kind kind)
{
	static const char *const sentences[] = {
#define X(NAME, name, one, many, rest) [LOSS_##NAME] = one rest,
		PROFILE_LOSSES(X)
#undef X
	};

	return (u32)kind < LOSS_CNT ? sentences[kind] : "unknown loss";
}
