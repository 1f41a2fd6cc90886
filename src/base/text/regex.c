/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text/regex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"

/* How many steps an expression becomes: of its groups that are open, the outermost first. */
struct measure {
	struct {
		u64 sum; /* of what is complete */
		u64 last; /* what a repetition would repeat */
	} group[REGEX_DEPTH_MAX + 1];
	u32 depth;
	bool too_deep;
};

static u64 capped(u64 steps)
{
	return steps > REGEX_STEPS_MAX ? REGEX_STEPS_MAX + 1 : steps;
}

static void add_step(struct measure *m, u64 steps)
{
	m->group[m->depth].sum = capped(m->group[m->depth].sum + m->group[m->depth].last);
	m->group[m->depth].last = steps;
}

static void repeat(struct measure *m, u64 times)
{
	m->group[m->depth].last = capped(m->group[m->depth].last * times + 1);
}

/* "[^]a[:alpha:]]": a ']' that is first does not end it, nor do those within. */
static const char *skip_bracket(const char *p)
{
	p += *p == '^';
	p += *p == ']';
	while (*p && *p != ']') {
		if (*p == '[' && p[1] && strchr(":.=", p[1])) {
			const char end[] = { p[1], ']', '\0' }, *to = strstr(p + 2, end);

			p = to ? to + 1 : p;
		}
		p++;
	}
	return *p ? p + 1 : p;
}

/* "{2,5}" is five times, "{2,}" twice and any number of times; anything else is text. */
static const char *take_bounds(struct measure *m, const char *p)
{
	char *end;
	u64 least = strtoull(p, &end, 10), most = least;

	if (*end == ',') {
		most = strtoull(end + 1, &end, 10);
		most = most < least ? least + 1 : most;
	}
	if (*end != '}') {
		add_step(m, 1);
		return p;
	}
	repeat(m, capped(most));
	return end + 1;
}

static void open_group(struct measure *m)
{
	add_step(m, 0);
	m->too_deep |= m->depth == REGEX_DEPTH_MAX;
	m->depth += m->depth < REGEX_DEPTH_MAX;
	m->group[m->depth].sum = m->group[m->depth].last = 0;
}

static void close_group(struct measure *m)
{
	u64 steps = m->group[m->depth].sum + m->group[m->depth].last;

	if (!m->depth)
		return;
	m->depth--;
	m->group[m->depth].last = capped(steps + 1);
}

static const char *take_one(struct measure *m, const char *p)
{
	switch (*p++) {
	case '\\':
		add_step(m, 1);
		return *p ? p + 1 : p;
	case '[':
		add_step(m, 1);
		return skip_bracket(p);
	case '(':
		open_group(m);
		return p;
	case ')':
		close_group(m);
		return p;
	case '+':
		repeat(m, 2);
		return p;
	case '*':
	case '?':
		repeat(m, 1);
		return p;
	case '{':
		return take_bounds(m, p);
	default:
		add_step(m, 1);
		return p;
	}
}

static bool is_small(const char *text)
{
	struct measure m = { 0 };
	u64 steps = 0;

	while (*text)
		text = take_one(&m, text);
	for (u32 i = 0; i <= m.depth; i++)
		steps += m.group[i].sum + m.group[i].last;
	return !m.too_deep && steps <= REGEX_STEPS_MAX;
}

int regex_compile(regex_t *ret, const char *text, int flags, struct err *err)
{
	char why[128];
	int r;

	if (!is_small(text))
		return err__set(err, -EINVAL,
				"'%.128s' is too large for a regular expression: repeat less",
				text);
	r = regcomp(ret, text, REG_EXTENDED | flags);
	if (!r)
		return 0;
	if (r == REG_ESPACE)
		return err__nomem(err);
	regerror(r, ret, why, sizeof(why));
	return err__set(err, -EINVAL, "'%.128s' is not a regular expression: %s", text, why);
}
