/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text/regex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/types.h"

/* As good as any number that is larger. */
#define REGEX_MOST (REGEX_STEPS_MAX + REGEX_PATHS_MAX)

/*
 * A part of an expression. `through`: in how many ways the empty text passes it. `paths`: at most
 * so many ways lead out of it that take no text, from wherever they begin. `anchored`: it has a
 * "^", "$", "\b" or the like.
 */
struct part {
	u64 steps;
	u64 through;
	u64 paths;
	bool anchored;
};

/* The groups that are open, the outermost first. */
struct measure {
	struct {
		struct part others; /* the alternatives that are complete */
		struct part before; /* of this alternative, what no repetition can reach any more */
		struct part last; /* what a repetition would repeat */
	} group[REGEX_DEPTH_MAX + 1];
	u32 depth;
	bool too_deep;
};

static const struct part nothing = { .through = 1, .paths = 1 };
static const struct part one_step = { .steps = 1, .paths = 1 };
static const struct part anchor = { .steps = 2, .through = 1, .paths = 2, .anchored = true };

static u64 capped(u64 n)
{
	return n > REGEX_MOST ? REGEX_MOST : n;
}

static u64 larger(u64 a, u64 b)
{
	return a > b ? a : b;
}

static struct part one_after_the_other(struct part a, struct part b)
{
	return (struct part){ .steps = capped(a.steps + b.steps),
			      .through = capped(a.through * b.through),
			      .paths = capped(a.paths * b.paths),
			      .anchored = a.anchored || b.anchored };
}

static struct part one_or_the_other(struct part a, struct part b)
{
	u64 through = capped(a.through + b.through);

	return (struct part){ .steps = capped(a.steps + b.steps),
			      .through = through,
			      .paths = larger(through, larger(a.paths, b.paths)),
			      .anchored = a.anchored || b.anchored };
}

static struct part *last_of(struct measure *m)
{
	return &m->group[m->depth].last;
}

static void add(struct measure *m, struct part part)
{
	m->group[m->depth].before = one_after_the_other(m->group[m->depth].before, *last_of(m));
	*last_of(m) = part;
}

static struct part alternative(const struct measure *m)
{
	return one_after_the_other(m->group[m->depth].before, m->group[m->depth].last);
}

static void make_optional(struct part *part)
{
	part->steps = capped(part->steps + 1);
	part->through = capped(part->through + 1);
	part->paths = larger(part->paths, part->through);
}

/*
 * Whoever leaves the part may enter it once more. glibc copies all that an anchor leads to
 * (duplicate_node_closure()), and where that is the anchor itself, in a loop that takes no text,
 * ten steps take seconds.
 */
static void make_loop(struct part *part)
{
	bool endless = part->through && part->anchored;

	part->paths = endless ? REGEX_MOST : capped(part->paths * (part->through + 1));
	make_optional(part);
}

static void repeat_once_or_more(struct part *part)
{
	const struct part once = *part;

	make_loop(part);
	*part = one_after_the_other(once, *part);
}

static void repeat(struct part *part, u64 times)
{
	const struct part once = *part;

	*part = nothing;
	for (u64 i = 0; i < capped(times); i++)
		*part = one_after_the_other(*part, once);
	part->steps = capped(part->steps + 1);
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
	bool loops = false;

	if (*end == ',') {
		most = strtoull(end + 1, &end, 10);
		loops = most < least;
		most = larger(most, least);
	}
	if (*end != '}') {
		add(m, one_step);
		return p;
	}
	if (loops)
		make_loop(last_of(m));
	else if (most > least)
		make_optional(last_of(m));
	repeat(last_of(m), most + loops);
	return end + 1;
}

static void open_alternative(struct measure *m)
{
	m->group[m->depth].before = m->group[m->depth].last = nothing;
}

static void open_group(struct measure *m)
{
	m->too_deep |= m->depth == REGEX_DEPTH_MAX;
	m->depth += m->depth < REGEX_DEPTH_MAX;
	m->group[m->depth].others = (struct part){ 0 };
	open_alternative(m);
}

static struct part whole_group(const struct measure *m)
{
	return one_or_the_other(m->group[m->depth].others, alternative(m));
}

static void next_alternative(struct measure *m)
{
	m->group[m->depth].others = whole_group(m);
	m->group[m->depth].others.steps = capped(m->group[m->depth].others.steps + 1);
	open_alternative(m);
}

static void close_group(struct measure *m)
{
	struct part whole = whole_group(m);

	if (!m->depth)
		return;
	m->depth--;
	whole.steps = capped(whole.steps + 1);
	add(m, whole);
}

static const char *take_one(struct measure *m, const char *p)
{
	switch (*p++) {
	case '\\':
		add(m, *p && strchr("bB<>`'", *p) ? anchor : one_step);
		return *p ? p + 1 : p;
	case '^':
	case '$':
		add(m, anchor);
		return p;
	case '[':
		add(m, one_step);
		return skip_bracket(p);
	case '(':
		open_group(m);
		return p;
	case ')':
		close_group(m);
		return p;
	case '|':
		next_alternative(m);
		return p;
	case '+':
		repeat_once_or_more(last_of(m));
		return p;
	case '*':
		make_loop(last_of(m));
		return p;
	case '?':
		make_optional(last_of(m));
		return p;
	case '{':
		return take_bounds(m, p);
	default:
		add(m, one_step);
		return p;
	}
}

/* A group that nothing closes counts too: in POSIX, a lone '(' is text for some. */
static bool is_small(const char *text)
{
	struct measure m = { 0 };

	open_alternative(&m);
	while (*text)
		text = take_one(&m, text);
	while (m.depth)
		close_group(&m);
	m.group[0].last = whole_group(&m);
	return !m.too_deep && last_of(&m)->steps <= REGEX_STEPS_MAX &&
	       last_of(&m)->paths <= REGEX_PATHS_MAX;
}

int regex_compile(regex_t *ret, const char *text, int flags, struct err *err)
{
	char why[128];
	int r;

	if (!is_small(text))
		return err__set(err, -EINVAL,
				"'%.128s' is too large for a regular expression: "
				"repeat less, or use fewer alternatives",
				text);
	r = regcomp(ret, text, REG_EXTENDED | flags);
	if (!r)
		return 0;
	if (r == REG_ESPACE)
		return err__nomem(err);
	regerror(r, ret, why, sizeof(why));
	return err__set(err, -EINVAL, "'%.128s' is not a regular expression: %s", text, why);
}
