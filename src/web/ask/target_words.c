/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One object with one number is all that is ever sent to this server, which needs no reader of
 * JSON.
 */
#include "web/ask/target_words.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/view.h"

static void skip_space(struct view *v)
{
	do
		view__blank(v);
	while (view__accept(v, '\n') || view__accept(v, '\r'));
}

/* The word, if it is next, after white space. */
static bool take(struct view *v, const char *word)
{
	size_t len = strlen(word);

	skip_space(v);
	if (view__left(v) < len || memcmp(v->p, word, len))
		return false;
	view__bytes(v, len);
	return true;
}

int target_words_parse(const char *body, size_t len, struct target_words *ret, struct err *err)
{
	struct view v = view__of(body, len);
	bool good = take(&v, "{");
	u64 pid;

	ret->add = take(&v, "\"add\"");
	good &= ret->add || take(&v, "\"remove\"");
	good &= take(&v, ":") && take(&v, "{") && take(&v, "\"pid\"") && take(&v, ":");
	skip_space(&v);
	pid = view__dec(&v);
	good &= take(&v, "}") && take(&v, "}");
	skip_space(&v);
	if (!good || v.bad || view__left(&v) || !pid || pid > INT_MAX)
		return err__set(err, -EINVAL,
				"the body must be {\"add\": {\"pid\": N}} or {\"remove\": "
				"{\"pid\": N}}");
	ret->pid = (u32)pid;
	return 0;
}
