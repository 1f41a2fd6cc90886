/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One object with a number or a path is all that is ever sent to this server, which needs no reader
 * of JSON.
 */
#include "web/ask/target_words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
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

static bool parse_pid(struct view *v, struct target_words *ret)
{
	u64 pid;

	skip_space(v);
	pid = view__dec(v);
	snprintf(ret->whom, sizeof(ret->whom), "%llu", pid);
	return !v->bad && pid && pid <= INT_MAX;
}

static bool parse_cgroup(struct view *v, struct target_words *ret)
{
	size_t len = 0;

	ret->is_cgroup = true;
	if (!take(v, "\""))
		return false;
	while (view__left(v) && len + 1 < sizeof(ret->whom) && *v->p != '"') {
		u8 c = view__u8(v);

		if (c < ' ' || c == '\\')
			return false;
		ret->whom[len++] = (char)c;
	}
	ret->whom[len] = '\0';
	return len && view__accept(v, '"');
}

int target_words_parse(const char *body, size_t len, struct target_words *ret, struct err *err)
{
	struct view v = view__of(body, len);
	bool good = take(&v, "{");

	*ret = (struct target_words){ 0 };
	ret->add = take(&v, "\"add\"");
	good &= ret->add || take(&v, "\"remove\"");
	good = good && take(&v, ":") && take(&v, "{");
	if (good && take(&v, "\"pid\""))
		good = take(&v, ":") && parse_pid(&v, ret);
	else
		good = good && take(&v, "\"cgroup\"") && take(&v, ":") && parse_cgroup(&v, ret);
	good = good && take(&v, "}") && take(&v, "}");
	skip_space(&v);
	if (!good || v.bad || view__left(&v))
		return err__set(err, -EINVAL,
				"the body must be {\"add\": {\"pid\": N}}, {\"add\": {\"cgroup\": "
				"\"PATH\"}}, or the same with \"remove\"");
	return 0;
}
