/* SPDX-License-Identifier: Apache-2.0 */
#include "app/spell.h"

#include <string.h>

/*
 * Edit distance with swaps of neighbours (optimal string alignment), because "recrod" is a typical
 * typo. Names are short, so the whole table is on the stack. A name is suggested only if fewer than
 * half of its letters, and at most three, must change: a bad guess is worse than none.
 */

#define SPELL_LEN 32
#define SPELL_FAR 3

static u32 least(u32 a, u32 b)
{
	return a < b ? a : b;
}

u32 spell_distance(const char *a, const char *b)
{
	u32 table[SPELL_LEN][SPELL_LEN];
	size_t a_len = strlen(a), b_len = strlen(b), i, j;

	if (a_len >= SPELL_LEN || b_len >= SPELL_LEN)
		return SPELL_LEN;
	for (i = 0; i <= a_len; i++)
		table[i][0] = (u32)i;
	for (j = 0; j <= b_len; j++)
		table[0][j] = (u32)j;
	for (i = 1; i <= a_len; i++) {
		for (j = 1; j <= b_len; j++) {
			u32 d = table[i - 1][j - 1] + (a[i - 1] != b[j - 1]);

			d = least(d, least(table[i - 1][j], table[i][j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = least(d, table[i - 2][j - 2] + 1);
			table[i][j] = d;
		}
	}
	return table[a_len][b_len];
}

void spell__init(struct spell *s, const char *word)
{
	s->word = word;
	s->best = NULL;
	s->best_distance = SPELL_FAR + 1;
}

void spell__offer(struct spell *s, const char *name)
{
	u32 d = spell_distance(s->word, name);

	if (d < s->best_distance && 2 * d < strlen(name)) {
		s->best = name;
		s->best_distance = d;
	}
}
