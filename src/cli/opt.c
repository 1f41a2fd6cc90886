/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/opt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/spell.h"
#include "cli/opt_value.h"

/*
 * Parses a command line according to a table. getopt_long() is not used: it keeps its state in
 * globals, prints by itself, cannot say which of two exclusive options conflicts, and would need a
 * second table.
 *
 * Words are read from left to right; the first wrong one stops the parsing with a message about it.
 * The options given are a bit set by position in the table, which is checked at the end for options
 * that exclude each other.
 */

struct parse {
	const struct opt_command *cmd;
	int argc;
	char **argv;
	int idx; /* of the next word */
	void *values;
	bool given[OPT_MAX]; /* opts[i] */
	u32 args_len; /* positionals seen */
	struct err *err;
};

/* A long option found by name; for --help, if the table has none: NULL and `help`. */
struct found {
	const struct opt *opt;
	bool negated;
	bool help;
};

static bool table_has(const struct opt_command *cmd, char letter, const char *name)
{
	const struct opt *o;

	for (o = cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if ((letter && o->letter == letter) || (name && o->name && !strcmp(o->name, name)))
			return true;
	}
	return false;
}

static void mark_given(struct parse *p, const struct opt *o)
{
	p->given[o - p->cmd->opts] = true;
}

static int set_value(struct parse *p, const struct opt *o, const char *as_typed, const char *text)
{
	int r;

	mark_given(p, o);
	r = opt_value_set(o, text, p->values, p->err);
	return r < 0 ? err__wrap(p->err, r, "%s", as_typed) : 0;
}

/* Words between the options have no other meaning, except behind "--". */
static bool takes_words(const struct opt_command *cmd, const struct opt *o)
{
	return o->type == OPT_TYPE_IDS &&
	       (!cmd->args || cmd->args->type == OPT_TYPE_REST || cmd->args->type == OPT_TYPE_END);
}

/* A value in the next word; a list of ids may go on in the words behind it: -p $(pgrep nginx). */
static int set_from_next(struct parse *p, const struct opt *o, const char *as_typed)
{
	const char *next = p->idx < p->argc ? p->argv[p->idx] : "";
	int r;

	if (o->omitted && (*next < '0' || *next > '9'))
		return set_value(p, o, as_typed, o->omitted);
	if (p->idx >= p->argc)
		return err__set(p->err, -EINVAL, "%s needs a value: %s", as_typed, o->metavar);
	r = set_value(p, o, as_typed, p->argv[p->idx++]);
	while (!r && takes_words(p->cmd, o) && p->idx < p->argc &&
	       opt_value_is_ids(p->argv[p->idx]))
		r = set_value(p, o, as_typed, p->argv[p->idx++]);
	return r;
}

/*
 * "-afp1": flags, then possibly one option with the rest of the word or the next word as its value.
 */
static int parse_letters(struct parse *p, const char *word)
{
	const char *c;

	for (c = word + 1; *c; c++) {
		char as_typed[3] = { '-', *c, '\0' };
		const struct opt *o = p->cmd->opts;

		while (o && o->type != OPT_TYPE_END && o->letter != *c)
			o++;
		if ((!o || o->type == OPT_TYPE_END) && *c == 'h')
			return OPT_HELP_ASKED;
		if (!o || o->type == OPT_TYPE_END)
			return word[2] ? err__set(p->err, -EINVAL, "unknown option '%s' in '%s'",
						  as_typed, word) :
					 err__set(p->err, -EINVAL, "unknown option '%s'", as_typed);
		if (o->type == OPT_TYPE_FLAG) {
			mark_given(p, o);
			opt_value_set_flag(o, true, p->values);
			continue;
		}
		return c[1] ? set_value(p, o, as_typed, c + 1) : set_from_next(p, o, as_typed);
	}
	return 0;
}

/* Collects the long names that begin with the word; an exact match wins. */
struct search {
	const char *name;
	size_t len;
	struct found first;
	const char *first_name;
	const char *second_name;
	const char *first_prefix; /* "" or "no-" */
	const char *second_prefix;
	bool exact;
};

static void search__offer(struct search *s, const char *prefix, const char *name, struct found what)
{
	size_t prefix_len = strlen(prefix), head = s->len < prefix_len ? s->len : prefix_len;

	if (s->exact || strncmp(s->name, prefix, head) ||
	    strncmp(s->name + head, name, s->len - head))
		return;
	s->exact = s->len == prefix_len + strlen(name);
	if (s->exact || !s->first_name) {
		s->first = what;
		s->first_name = name;
		s->first_prefix = prefix;
	} else if (!s->second_name) {
		s->second_name = name;
		s->second_prefix = prefix;
	}
}

static int unknown_long(struct parse *p, const char *name, size_t len)
{
	const struct opt *o;
	struct spell spell;
	char word[32];

	snprintf(word, sizeof(word), "%.*s", (int)len, name);
	spell__init(&spell, word);
	for (o = p->cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if (o->name)
			spell__offer(&spell, o->name);
	}
	if (spell.best)
		return err__set(p->err, -EINVAL, "unknown option '--%.*s'; did you mean --%s?",
				(int)len, name, spell.best);
	return err__set(p->err, -EINVAL, "unknown option '--%.*s'", (int)len, name);
}

static int find_long(struct parse *p, const char *name, size_t len, struct found *ret_found)
{
	struct search s = { .name = name, .len = len };
	const struct opt *o;

	for (o = p->cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if (!o->name)
			continue;
		search__offer(&s, "", o->name, (struct found){ .opt = o });
		if (o->flags & OPT_NEGATABLE)
			search__offer(&s, "no-", o->name,
				      (struct found){ .opt = o, .negated = true });
	}
	if (!table_has(p->cmd, 0, "help"))
		search__offer(&s, "", "help", (struct found){ .help = true });
	if (!s.first_name)
		return unknown_long(p, name, len);
	if (!s.exact && s.second_name)
		return err__set(p->err, -EINVAL, "'--%.*s' is ambiguous: --%s%s or --%s%s",
				(int)len, name, s.first_prefix, s.first_name, s.second_prefix,
				s.second_name);
	*ret_found = s.first;
	return 0;
}

/* Only by its whole name, so that prefixes of --help are --help. */
static bool is_help_all(const struct opt_command *cmd, const char *word)
{
	return strcmp(word, "--help-all") == 0 && !table_has(cmd, 0, "help");
}

static int parse_long(struct parse *p, const char *word)
{
	size_t len = strcspn(word + 2, "=");
	const char *value = word[2 + len] ? word + 3 + len : NULL;
	struct found found = { 0 };
	char as_typed[48];
	int r;

	if (is_help_all(p->cmd, word))
		return OPT_HELP_ALL_ASKED;
	r = find_long(p, word + 2, len, &found);
	if (r < 0)
		return r;
	if (found.help)
		return OPT_HELP_ASKED;
	snprintf(as_typed, sizeof(as_typed), "--%s%s", found.negated ? "no-" : "", found.opt->name);
	if (found.opt->type != OPT_TYPE_FLAG)
		return value ? set_value(p, found.opt, as_typed, value) :
			       set_from_next(p, found.opt, as_typed);
	if (value)
		return err__set(p->err, -EINVAL, "%s takes no value", as_typed);
	mark_given(p, found.opt);
	opt_value_set_flag(found.opt, !found.negated, p->values);
	return 0;
}

static const struct opt *rest_of(const struct opt_command *cmd)
{
	const struct opt *o;

	for (o = cmd->args; o && o->type != OPT_TYPE_END; o++) {
		if (o->type == OPT_TYPE_REST)
			return o;
	}
	return NULL;
}

static int parse_arg(struct parse *p, const char *word)
{
	const struct opt *o = p->cmd->args;
	u32 i;
	int r;

	for (i = 0; o && o->type != OPT_TYPE_END && i < p->args_len; i++) {
		if (o->type == OPT_TYPE_STRINGS)
			break;
		o++;
	}
	if (o && o->type == OPT_TYPE_REST)
		return err__set(p->err, -EINVAL,
				"unexpected argument '%s'; put '--' before a command to run", word);
	if (!o || o->type == OPT_TYPE_END)
		return err__set(p->err, -EINVAL, "unexpected argument '%s'", word);
	p->args_len++;
	r = opt_value_set(o, word, p->values, p->err);
	return r < 0 ? err__wrap(p->err, r, "%s", o->metavar) : 0;
}

/* The words after "--". */
static int parse_rest(struct parse *p)
{
	const struct opt *rest = rest_of(p->cmd);
	int r = 0;

	if (rest) {
		struct opt_rest *to = (void *)((char *)p->values + rest->off);

		if (p->idx >= p->argc)
			return err__set(p->err, -EINVAL, "nothing follows '--'; expected %s",
					rest->metavar);
		to->argv = p->argv + p->idx;
		to->argc = p->argc - p->idx;
		p->idx = p->argc;
	}
	while (p->idx < p->argc && r >= 0)
		r = parse_arg(p, p->argv[p->idx++]);
	return r;
}

static int check_exclusive(struct parse *p, const struct opt *o)
{
	const struct opt *other;
	const char *name = o->excludes;

	while (name && *name) {
		size_t len = strcspn(name, " ");

		for (other = p->cmd->opts; other->type != OPT_TYPE_END; other++) {
			if (other->name && strlen(other->name) == len &&
			    !strncmp(other->name, name, len) && p->given[other - p->cmd->opts])
				return err__set(p->err, -EINVAL,
						"--%s and --%s cannot be used together", o->name,
						other->name);
		}
		name += len;
		name += strspn(name, " ");
	}
	return 0;
}

static bool rest_given(const struct parse *p, const struct opt *o)
{
	return ((const struct opt_rest *)(const void *)((const char *)p->values + o->off))->argv;
}

static int check_whole(struct parse *p)
{
	const struct opt *o;
	u32 i = 0;
	int r;

	for (o = p->cmd->opts; o && o->type != OPT_TYPE_END; o++) {
		if (!p->given[o - p->cmd->opts])
			continue;
		r = check_exclusive(p, o);
		if (r < 0)
			return r;
	}
	for (o = p->cmd->args; o && o->type != OPT_TYPE_END; o++, i++) {
		bool missing = o->type == OPT_TYPE_REST ? !rest_given(p, o) : i >= p->args_len;

		if (o->flags & OPT_REQUIRED && missing)
			return err__set(p->err, -EINVAL, "%s is missing", o->metavar);
	}
	return 0;
}

int opt_parse(const struct opt_command *cmd, int argc, char **argv, void *values, struct err *err)
{
	struct parse p = {
		.cmd = cmd, .argc = argc, .argv = argv, .idx = 1, .values = values, .err = err
	};
	int r = 0;

	if (cmd->defaults)
		memcpy(values, cmd->defaults, cmd->values_sz);
	else if (cmd->values_sz)
		memset(values, 0, cmd->values_sz);
	while (p.idx < argc && !r) {
		const char *word = argv[p.idx++];

		if (word[0] != '-' || !word[1])
			r = parse_arg(&p, word);
		else if (word[1] != '-')
			r = parse_letters(&p, word);
		else if (word[2])
			r = parse_long(&p, word);
		else
			r = parse_rest(&p);
	}
	return r ? r : check_whole(&p);
}

void opt_release(const struct opt_command *cmd, void *values)
{
	const struct opt *o;

	for (o = cmd->opts; o && o->type != OPT_TYPE_END; o++)
		opt_value_release(o, values);
	for (o = cmd->args; o && o->type != OPT_TYPE_END; o++)
		opt_value_release(o, values);
}
