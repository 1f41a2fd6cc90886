/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters that made a part of a recording are stored with it as text, so that a graph of it
 * says how to reproduce it.
 */
#include "app/selection_words.h"

#include <errno.h>
#include <string.h>

#include "analysis/cause/cause.h"
#include "app/spell.h"
#include "base/sink.h"
#include "base/text/units.h"
#include "profile/state.h"

#define NAME_MAX_LEN 31

/* Names that an option accepts as a list; each has a number, used as a bit. */
struct named {
	const char *what; /* also the name of the option */
	const char *(*name)(u32 number);
	u32 first;
	u32 end;
};

static const char *name_of_cause(u32 number)
{
	return cause_name((enum cause)number);
}

static const char *name_of_class(u32 number)
{
	return class_name((enum wait_class)number);
}

static const struct named named_causes = { "cause", name_of_cause, 0, CAUSE_CNT };
static const struct named named_classes = { "class", name_of_class, CLASS_NONE + 1, CLASS_CNT };

static int add_bit(const struct named *of, const char *name, cause_set *bits, struct err *err)
{
	struct spell spell;
	u32 i;

	spell__init(&spell, name);
	for (i = of->first; i < of->end; i++) {
		if (strcmp(of->name(i), name) == 0) {
			*bits |= CAUSE_SET(i);
			return 0;
		}
		spell__offer(&spell, of->name(i));
	}
	return err__set(err, -EINVAL, "'%s' is not a %s%s%s%s", name, of->what,
			spell.best ? "; did you mean " : "", spell.best ? spell.best : "",
			spell.best ? "?" : "");
}

/* "lock,futex" */
static int parse_named(const struct named *of, const char *text, cause_set *ret_bits,
		       struct err *err)
{
	char name[NAME_MAX_LEN + 1];
	int r;

	*ret_bits = 0;
	for (;; text++) {
		size_t len = strcspn(text, ",");

		snprintf(name, sizeof(name), "%.*s", (int)(len < NAME_MAX_LEN ? len : NAME_MAX_LEN),
			 text);
		r = add_bit(of, name, ret_bits, err);
		text += len;
		if (r || !*text)
			return r;
	}
}

int selection_parse_classes(const char *text, void *value, struct err *err)
{
	cause_set bits;
	int r = parse_named(&named_classes, text, &bits, err);

	if (!r)
		*(u32 *)value |= (u32)bits;
	return r;
}

int selection_parse_causes(const char *text, void *value, struct err *err)
{
	cause_set bits;
	int r = parse_named(&named_causes, text, &bits, err);

	if (!r)
		*(cause_set *)value |= bits;
	return r;
}

int selection_parse_states(const char *text, void *value, struct err *err)
{
	u32 bits = 0;
	const char *at, *letter;

	for (at = text; *at; at++) {
		letter = strchr(PROFILE_STATE_LETTERS, *at);
		if (letter)
			bits |= 1U << (letter - PROFILE_STATE_LETTERS);
		else if (*at == 'K')
			bits |= SELECT_KILLABLE;
		else if (*at != ',')
			break;
	}
	if (*at || !bits)
		return err__set(err, -EINVAL, "'%.64s' is not a task state; try D or S,D", text);
	*(u32 *)value |= bits;
	return 0;
}

int selection_parse_bound(const char *text, void *value, struct err *err)
{
	struct select_bound *bound = value;

	*bound = (struct select_bound){ 0 };
	if (strchr(text, '%'))
		return units_parse_percent(text, &bound->ppm, err);
	if (units_parse_ns(text, 0, &bound->ns, NULL))
		return err__set(err, -EINVAL,
				"'%.64s' is not a time or percentage; try 10ms or 1%%", text);
	return 0;
}

/* Quoted for a shell. */
static void put_word(struct sink *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_-./:,@%+=";

	if (*word && !word[strspn(word, plain)]) {
		sink__puts(out, word);
		return;
	}
	sink__puts(out, "'");
	for (; *word; word++) {
		if (*word == '\'')
			sink__puts(out, "'\\''");
		else
			sink__put(out, word, 1);
	}
	sink__puts(out, "'");
}

static void put_option(struct sink *out, const char *name)
{
	sink__printf(out, "%s--%s", out->total_bytes ? " " : "", name);
}

static void put_strings(struct sink *out, const char *name, const struct vec *strings)
{
	size_t i;

	for (i = 0; i < strings->len; i++) {
		put_option(out, name);
		sink__puts(out, " ");
		put_word(out, *(const char **)vec__at(strings, i));
	}
}

static void put_ids(struct sink *out, const char *name, const struct vec *ids)
{
	size_t i;

	for (i = 0; i < ids->len; i++) {
		if (!i)
			put_option(out, name);
		sink__printf(out, "%s%u", i ? "," : " ", *(const u32 *)vec__at(ids, i));
	}
}

static void put_flag(struct sink *out, const char *name, bool on)
{
	if (on)
		put_option(out, name);
}

static void put_named(struct sink *out, const struct named *of, cause_set bits)
{
	const char *before = " ";
	u32 i;

	put_flag(out, of->what, bits);
	for (i = of->first; i < of->end; i++) {
		if (!(bits >> i & 1))
			continue;
		sink__printf(out, "%s%s", before, of->name(i));
		before = ",";
	}
}

static void put_states(struct sink *out, u32 bits)
{
	u32 i;

	put_flag(out, "state", bits);
	if (bits)
		sink__puts(out, " ");
	for (i = 0; i < PROFILE_STATES; i++) {
		if (bits >> i & 1)
			sink__printf(out, "%c", PROFILE_STATE_LETTERS[i]);
	}
	if (bits & SELECT_KILLABLE)
		sink__puts(out, "K");
}

static void put_bound(struct sink *out, const char *name, const struct select_bound *bound)
{
	char text[32];

	if (!bound->ns && !bound->ppm)
		return;
	put_option(out, name);
	if (bound->ppm) {
		sink__printf(out, " %.4g%%", (double)bound->ppm / 10000);
		return;
	}
	units_format_ns(bound->ns, text, sizeof(text));
	sink__puts(out, " ");
	put_word(out, text);
}

char *selection__words(const struct selection *v)
{
	struct sink out;
	size_t len;
	char *words;

	sink__init_mem(&out);
	put_ids(&out, "pid", &v->pids);
	put_ids(&out, "tid", &v->tids);
	put_strings(&out, "comm", &v->comms);
	put_strings(&out, "cgroup", &v->cgroups);
	put_strings(&out, "unit", &v->units);
	put_strings(&out, "container", &v->containers);
	put_strings(&out, "pod", &v->pods);
	put_flag(&out, "user-threads", v->user_threads);
	put_flag(&out, "kernel-threads", v->kernel_threads);
	put_named(&out, &named_causes, v->causes);
	put_named(&out, &named_classes, v->classes);
	put_flag(&out, "idle hide", v->no_idle);
	put_states(&out, v->states);
	put_strings(&out, "under", &v->under);
	put_strings(&out, "not-under", &v->not_under);
	put_strings(&out, "module", &v->modules);
	put_strings(&out, "object", &v->objects);
	put_strings(&out, "owner", &v->owners);
	put_strings(&out, "waker", &v->wakers);
	put_flag(&out, "regex", v->regex);
	put_bound(&out, "min", &v->min);
	put_bound(&out, "max", &v->max);
	sink__finish(&out, NULL);
	words = sink__steal(&out, &len);
	sink__done(&out);
	return words;
}
