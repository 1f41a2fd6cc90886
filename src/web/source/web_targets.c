/* SPDX-License-Identifier: Apache-2.0 */
#include "web/source/web_targets.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"

void web_targets__init(struct web_targets *t)
{
	vec__init(&t->whom, sizeof(char *));
}

void web_targets__done(struct web_targets *t)
{
	for (size_t i = 0; i < t->whom.len; i++)
		mem_free(*(char **)vec__at(&t->whom, i));
	vec__done(&t->whom);
}

const char *web_targets__at(const struct web_targets *t, size_t idx)
{
	return idx < t->whom.len ? *(char **)vec__at(&t->whom, idx) : NULL;
}

static int add(struct web_targets *t, const char *whom)
{
	char *copy = mem_strdup(whom), **slot = copy ? vec__push(&t->whom) : NULL;

	if (!slot) {
		mem_free(copy);
		return -ENOMEM;
	}
	*slot = copy;
	return 0;
}

int web_targets__change(struct web_targets *t, bool adds, const char *whom)
{
	char **all = t->whom.data;
	size_t i;

	for (i = 0; i < t->whom.len && strcmp(all[i], whom) != 0; i++)
		;
	if (adds)
		return i < t->whom.len ? 0 : add(t, whom);
	if (i < t->whom.len) {
		mem_free(all[i]);
		all[i] = all[--t->whom.len];
	}
	return 0;
}
