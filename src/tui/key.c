/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys. */
#include "tui/key.h"

static const struct key_row {
	u32 first;
	u32 second;
	const char *shown;
	const char *help;
} key_rows[ACTION_CNT] = {
#define X(NAME, one, other, keys, text) [ACTION_##NAME] = { one, other, keys, text },
	KEYS(X)
#undef X
};

enum action key_action(u32 key)
{
	for (u32 i = ACTION_NONE + 1; key && i < ACTION_CNT; i++) {
		if (key_rows[i].first == key || key_rows[i].second == key)
			return (enum action)i;
	}
	return ACTION_NONE;
}

const char *action_keys(enum action action)
{
	return key_rows[action].shown;
}

const char *action_help(enum action action)
{
	return key_rows[action].help;
}
