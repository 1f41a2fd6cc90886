/* SPDX-License-Identifier: Apache-2.0 */

/* A list without an index: nobody reads more than a screen of them. */
#include "base/notices.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

void notices__init(struct notices *n)
{
	vec__init(&n->texts, sizeof(char *));
}

void notices__done(struct notices *n)
{
	for (size_t i = 0; i < n->texts.len; i++)
		mem_free(*(char **)vec__at(&n->texts, i));
	vec__done(&n->texts);
}

int notices__add(struct notices *n, const char *text)
{
	char *copy, **slot;

	for (size_t i = 0; i < n->texts.len; i++)
		if (!strcmp(notices__at(n, i), text))
			return 0;
	copy = mem_strdup(text);
	slot = copy ? vec__push(&n->texts) : NULL;
	if (!slot) {
		mem_free(copy);
		return -ENOMEM;
	}
	*slot = copy;
	return 0;
}

size_t notices__len(const struct notices *n)
{
	return n->texts.len;
}

const char *notices__at(const struct notices *n, size_t idx)
{
	return idx < n->texts.len ? *(char **)vec__at(&n->texts, idx) : NULL;
}
