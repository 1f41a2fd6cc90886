/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines are split by hand, because a value may be quoted in its middle, as in a shell: under='a b'.
 * What a value may contain is a table; a new condition is a line in it.
 */
#include "analysis/cause/rule_file.h"

#include <errno.h>

#include "base/mem.h"
#include "base/view.h"
#include "profile/state.h"

#define WORD_SZ 1024
#define REGEXES_MAX 4
#define MAX_LINES 2000

struct parsing {
	struct rule_file *f;
	const char *name;
	u32 line;
	struct err *err;
	struct rule rule; /* of the line */
	const char *regexes[REGEXES_MAX + 1];
	const char *not_regexes[REGEXES_MAX + 1];
};

static int fault(const struct parsing *ps, const char *what, const char *word)
{
	return err__set(ps->err, -EINVAL, "%s:%u: %s '%.64s'", ps->name, ps->line, what, word);
}

/* 1: a word; 0: end of line; -EINVAL. Removes quotes. */
static int next_word(const struct parsing *ps, struct view *line, char *word)
{
	size_t len = 0;
	char quote = 0;

	view__blank(line);
	if (!view__left(line) || *line->p == '#' || *line->p == '\r')
		return 0;
	while (view__left(line)) {
		char c = (char)*line->p;

		if (!quote && (c == ' ' || c == '\t' || c == '\r'))
			break;
		line->p++;
		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
			continue;
		}
		if (!c)
			return fault(ps, "a zero byte after", (word[len] = '\0', word));
		if (len + 1 == WORD_SZ)
			return fault(ps, "too long:", (word[len] = '\0', word));
		word[len++] = c;
	}
	word[len] = '\0';
	return quote ? fault(ps, "no closing quote in", word) : 1;
}

static int keep(const struct parsing *ps, const char *text, const char **ret)
{
	*ret = arena__strdup(&ps->f->arena, text);
	return *ret ? 0 : err__nomem(ps->err);
}

/* "a b|c" as a list of rule.h: "a?b c". */
static int keep_list(const struct parsing *ps, const char *value, const char **ret)
{
	char *list = arena__strdup(&ps->f->arena, value), *at;

	if (!list)
		return err__nomem(ps->err);
	for (at = list; *at; at++) {
		if (*at == ' ' || *at == '\t')
			*at = '?';
		else if (*at == '|')
			*at = ' ';
	}
	*ret = list + strspn(list, " ");
	return **ret ? 0 : fault(ps, "no name in", value);
}

static int once(const struct parsing *ps, const char *key, const char *value, const char **ret)
{
	if (*ret)
		return fault(ps, "given twice:", key);
	return keep_list(ps, value, ret);
}

static int take_kind(struct parsing *ps, const char *key, const char *value)
{
	enum cause kind = cause_find(value);

	if (ps->rule.kind != CAUSE_UNKNOWN)
		return fault(ps, "given twice:", key);
	if (kind == CAUSE_CNT || kind == CAUSE_UNKNOWN)
		return fault(ps, "there is no kind", value);
	ps->rule.kind = kind;
	return 0;
}

static int take_class(struct parsing *ps, const char *key, const char *value)
{
	int i;

	if (ps->rule.class != CLASS_NONE)
		return fault(ps, "given twice:", key);
	for (i = CLASS_NONE + 1; i < CLASS_CNT; i++) {
		/* rules cannot decide whether it was a wait at all */
		if (i != CLASS_ON_CPU && strcmp(class_name((enum wait_class)i), value) == 0) {
			ps->rule.class = (enum wait_class)i;
			return 0;
		}
	}
	return fault(ps, "there is no class", value);
}

static int take_if_kind(struct parsing *ps, const char *key, const char *value)
{
	char name[64];
	size_t len;

	(void)key;
	for (;; value += len + 1) {
		enum cause kind;

		len = strcspn(value, "|,");
		snprintf(name, sizeof(name), "%.*s", (int)(len < 63 ? len : 63), value);
		kind = cause_find(name);
		if (kind == CAUSE_CNT)
			return fault(ps, "there is no kind", name);
		ps->rule.kinds |= RULE_KIND(kind);
		if (!value[len])
			return 0;
	}
}

static int take_state(struct parsing *ps, const char *key, const char *value)
{
	(void)key;
	for (; *value; value++) {
		const char *letter = strchr(PROFILE_STATE_LETTERS, *value);

		if (!letter)
			return fault(ps, "not a task state:", value);
		ps->rule.states |= 1U << (letter - PROFILE_STATE_LETTERS);
	}
	return 0;
}

static int take_under(struct parsing *ps, const char *key, const char *value)
{
	u32 i;

	for (i = 0; i < RULE_LISTS; i++) {
		if (!ps->rule.user[i])
			return keep_list(ps, value, &ps->rule.user[i]);
	}
	return fault(ps, "too many of", key);
}

static int take_kernel(struct parsing *ps, const char *key, const char *value)
{
	u32 i;

	for (i = 0; i < RULE_LISTS; i++) {
		if (!ps->rule.kernel[i])
			return keep_list(ps, value, &ps->rule.kernel[i]);
	}
	return fault(ps, "too many of", key);
}

static int add_regex(const struct parsing *ps, const char *key, const char *value,
		     const char **regexes)
{
	u32 i;

	for (i = 0; i < REGEXES_MAX; i++) {
		if (!regexes[i])
			return keep(ps, value, &regexes[i]);
	}
	return fault(ps, "too many of", key);
}

static int take_under_regex(struct parsing *ps, const char *key, const char *value)
{
	return add_regex(ps, key, value, ps->regexes);
}

static int take_not_under_regex(struct parsing *ps, const char *key, const char *value)
{
	return add_regex(ps, key, value, ps->not_regexes);
}

static int take_not_under(struct parsing *ps, const char *key, const char *value)
{
	return once(ps, key, value, &ps->rule.not_user);
}

static int take_caller(struct parsing *ps, const char *key, const char *value)
{
	return once(ps, key, value, &ps->rule.caller);
}

static int take_module(struct parsing *ps, const char *key, const char *value)
{
	return once(ps, key, value, &ps->rule.modules);
}

static int take_comm(struct parsing *ps, const char *key, const char *value)
{
	return once(ps, key, value, &ps->rule.threads);
}

static int take_process(struct parsing *ps, const char *key, const char *value)
{
	return once(ps, key, value, &ps->rule.processes);
}

static int take_syscall(struct parsing *ps, const char *key, const char *value)
{
	return once(ps, key, value, &ps->rule.syscalls);
}

static const struct {
	const char *key;
	int (*take)(struct parsing *ps, const char *key, const char *value);
} keys[] = {
	{ "kind", take_kind },
	{ "class", take_class },
	{ "if-kind", take_if_kind },
	{ "state", take_state },
	{ "under", take_under },
	{ "not-under", take_not_under },
	{ "under-regex", take_under_regex },
	{ "not-under-regex", take_not_under_regex },
	{ "caller", take_caller },
	{ "kernel", take_kernel },
	{ "module", take_module },
	{ "comm", take_comm },
	{ "process", take_process },
	{ "syscall", take_syscall },
};

static int take_word(struct parsing *ps, char *word)
{
	char *value = strchr(word, '=');
	size_t i;

	if (!value)
		return fault(ps, "neither `off` nor KEY=VALUE:", word);
	*value++ = '\0';
	if (!*value)
		return fault(ps, "no value for", word);
	for (i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].key, word) == 0)
			return keys[i].take(ps, word, value);
	}
	return fault(ps, "there is no condition", word);
}

/* "my.rules:3" */
static int keep_place(const struct parsing *ps, const char **ret)
{
	char place[256];

	snprintf(place, sizeof(place), "%.200s:%u", ps->name, ps->line);
	return keep(ps, place, ret);
}

static int take_off(struct parsing *ps, struct view *line, char *word)
{
	struct rule_off *slot;
	int r = next_word(ps, line, word);

	if (r < 0)
		return r;
	if (!r)
		return fault(ps, "no name of a rule after", "off");
	slot = vec__push(&ps->f->off);
	if (!slot)
		return err__nomem(ps->err);
	*slot = (struct rule_off){ 0 };
	r = keep(ps, word, &slot->name);
	if (!r)
		r = keep_place(ps, &slot->where);
	if (r)
		return r;
	r = next_word(ps, line, word);
	return r > 0 ? fault(ps, "too much:", word) : r;
}

static int copy_regexes(struct parsing *ps, const char *const *from, const char *const **ret)
{
	const char **to;

	if (!from[0])
		return 0;
	to = arena__array(&ps->f->arena, REGEXES_MAX + 1, sizeof(*to));
	if (!to)
		return err__nomem(ps->err);
	memcpy(to, from, (REGEXES_MAX + 1) * sizeof(*to));
	*ret = to;
	return 0;
}

static int add_rule(struct parsing *ps)
{
	struct rule *slot;
	int r;

	if (ps->rule.kind == CAUSE_UNKNOWN && ps->rule.class == CLASS_NONE)
		return fault(ps, "decides nothing; say", "kind=NAME' or 'class=NAME");
	if (ps->rule.kinds && ps->rule.kind != CAUSE_UNKNOWN)
		return fault(ps, "a rule that decides the kind cannot ask for it:", "if-kind");
	ps->rule.line = ps->line;
	ps->rule.seen = "a rule of the user";
	r = keep_place(ps, &ps->rule.name);
	if (!r)
		r = copy_regexes(ps, ps->regexes, &ps->rule.regexes);
	if (!r)
		r = copy_regexes(ps, ps->not_regexes, &ps->rule.not_regexes);
	if (r)
		return r;
	slot = vec__push(&ps->f->rules);
	if (!slot)
		return err__nomem(ps->err);
	*slot = ps->rule;
	return 0;
}

static int parse_line(struct parsing *ps, struct view *line)
{
	char word[WORD_SZ];
	int r = next_word(ps, line, word);

	if (r <= 0)
		return r;
	if (strcmp(word, "off") == 0)
		return take_off(ps, line, word);
	ps->rule = (struct rule){ 0 };
	memset(ps->regexes, 0, sizeof(ps->regexes));
	memset(ps->not_regexes, 0, sizeof(ps->not_regexes));
	for (; r > 0; r = next_word(ps, line, word)) {
		r = take_word(ps, word);
		if (r)
			return r;
	}
	return r ? r : add_rule(ps);
}

int rule_file__parse(struct rule_file *f, const char *name, const char *text, size_t sz,
		     struct err *err)
{
	struct parsing ps = { .f = f, .name = name, .err = err };
	struct view v = view__of(text, sz), line;
	int r = 0;

	arena__init(&f->arena);
	vec__init(&f->rules, sizeof(struct rule));
	vec__init(&f->off, sizeof(struct rule_off));
	while (!r && view__line(&v, &line)) {
		if (ps.line++ == MAX_LINES)
			return err__set(err, -EINVAL, "%s: more than %d lines", name, MAX_LINES);
		r = parse_line(&ps, &line);
	}
	return r;
}

void rule_file__done(struct rule_file *f)
{
	vec__done(&f->rules);
	vec__done(&f->off);
	arena__done(&f->arena);
}
