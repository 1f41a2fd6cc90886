/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trigger is one condition and its terms, separated by spaces. Each condition needs a length: one
 * that no user chose would fire all the time in one program and never in another.
 */
#include "app/flight/trigger_spec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "app/spell.h"
#include "base/text/units.h"

#define WORD_SZ 64

static const struct {
	const char *name;
	enum trigger_kind kind;
} conditions[] = {
	{ "wait", TRIGGER_WAIT },
	{ "cpu-idle-and-blocked", TRIGGER_BLOCKED },
	{ "request", TRIGGER_REQUEST },
};

/* Copies a word, so that it has a NUL; false if it is too long. */
static bool copy(const char *word, size_t len, char *buf)
{
	if (len >= WORD_SZ)
		return false;
	memcpy(buf, word, len);
	buf[len] = '\0';
	return true;
}

static int parse_length(struct trigger_spec *spec, const char *text, size_t len, struct err *err)
{
	char length[WORD_SZ];
	struct err why = { 0 };

	if (!copy(text, len, length))
		return err__set(err, -EINVAL, "--trigger: '%s' has no length", spec->text);
	if (units_parse_ns(length, 0, &spec->ns, &why))
		return err__set(err, -EINVAL, "--trigger: '%s': %s", spec->text, why.msg);
	return 0;
}

static int parse_condition(struct trigger_spec *spec, const char *word, size_t len, struct err *err)
{
	const char *more = memchr(word, '>', len);
	size_t name_len = more ? (size_t)(more - word) : len, i;

	if (len == 3 && !memcmp(word, "end", 3)) {
		spec->kind = TRIGGER_END;
		return 0;
	}
	for (i = 0; i < ARRAY_LEN(conditions); i++) {
		const char *name = conditions[i].name;

		if (strlen(name) != name_len || memcmp(word, name, name_len) != 0)
			continue;
		spec->kind = conditions[i].kind;
		if (!more)
			return err__set(err, -EINVAL,
					"--trigger: '%s' needs a length, as in '%s>200ms'",
					spec->text, name);
		return parse_length(spec, more + 1, len - name_len - 1, err);
	}
	return err__set(err, -EINVAL,
			"--trigger: '%s' is not 'wait>TIME', 'request>TIME', "
			"'cpu-idle-and-blocked>TIME' or 'end'",
			spec->text);
}

static int parse_cause(struct trigger_spec *spec, const char *word, size_t len, struct err *err)
{
	char name[WORD_SZ];
	struct spell spell;
	enum cause cause;

	if (!len)
		return err__set(err, -EINVAL, "--trigger: '%s': 'cause=' needs a cause",
				spec->text);
	if (!copy(word, len, name))
		return err__set(err, -EINVAL, "--trigger: '%s' has a cause that does not exist",
				spec->text);
	cause = cause_find(name);
	if (cause < CAUSE_CNT) {
		spec->causes |= CAUSE_SET(cause);
		return 0;
	}
	spell__init(&spell, name);
	for (cause = 0; cause < CAUSE_CNT; cause++)
		spell__offer(&spell, cause_name(cause));
	return err__set(err, -EINVAL, "--trigger: there is no cause '%s'%s%s%s", name,
			spell.best ? "; did you mean '" : "", spell.best ? spell.best : "",
			spell.best ? "'?" : "");
}

/* "NAME=VALUE", which may be empty; false if the word is another one. */
static bool is_term(const char *word, size_t len, const char *name, const char **ret,
		    size_t *ret_len)
{
	size_t name_len = strlen(name);

	if (len < name_len || memcmp(word, name, name_len) != 0)
		return false;
	*ret = word + name_len;
	*ret_len = len - name_len;
	return true;
}

static int parse_glob(struct trigger_spec *spec, const char *word, size_t len, struct err *err)
{
	bool has_class = spec->kind == TRIGGER_REQUEST;
	const char *glob, *had;
	size_t glob_len;

	if (is_term(word, len, "comm=", &glob, &glob_len)) {
		had = spec->comm;
		spec->comm = glob;
		spec->comm_len = glob_len;
	} else if (has_class && is_term(word, len, "class=", &glob, &glob_len)) {
		had = spec->class;
		spec->class = glob;
		spec->class_len = glob_len;
	} else {
		return err__set(err, -EINVAL, "--trigger: '%.*s' is neither 'cause=NAME' nor %s",
				(int)len, word,
				has_class ? "'class=GLOB' nor 'comm=GLOB'" : "'comm=GLOB'");
	}
	if (!glob_len)
		return err__set(err, -EINVAL, "--trigger: '%s': '%.*s' needs a name or a pattern",
				spec->text, (int)len, word);
	return had ? err__set(err, -EINVAL, "--trigger: '%s' has more than one '%.*s'", spec->text,
			      (int)(glob - word), word) :
		     0;
}

static int parse_term(struct trigger_spec *spec, const char *word, size_t len, struct err *err)
{
	const char *cause;
	size_t cause_len;

	if (spec->kind != TRIGGER_WAIT && spec->kind != TRIGGER_REQUEST)
		return err__set(err, -EINVAL,
				"--trigger: '%s': only 'wait' and 'request' have terms",
				spec->text);
	if (is_term(word, len, "cause=", &cause, &cause_len))
		return parse_cause(spec, cause, cause_len, err);
	return parse_glob(spec, word, len, err);
}

int trigger_spec__parse(struct trigger_spec *spec, const char *text, struct err *err)
{
	bool is_first = true;
	int r = 0;

	*spec = (struct trigger_spec){ .text = text };
	while (!r && *text) {
		size_t len = strcspn(text, " ");

		if (len) {
			r = is_first ? parse_condition(spec, text, len, err) :
				       parse_term(spec, text, len, err);
			is_first = false;
		}
		text += len;
		text += *text == ' ';
	}
	return !r && is_first ? parse_condition(spec, "", 0, err) : r;
}
