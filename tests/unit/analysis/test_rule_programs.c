/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules for one program must not judge the waits of another one that has functions of the same
 * names: each is asked about all waits that were seen, where they were seen and as if they had been
 * seen in a program that no rule knows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cause/rule.h"
#include "analysis/cause/ruleset.h"
#include "lib/seen.h"

#define STRANGER "/opt/acme/bin/acme"

static const struct seen_table *const tables[] = {
	&seen_kernel,
	&seen_libraries,
	&seen_runtimes,
	&seen_servers,
};

/* Families of rules for one program, and the files by which its waits are known in those tables. */
static const struct family {
	const char *name;
	const char *files;
} families[] = {
	{ "postgres/", "postgres" },
	{ "mysql/", "mariadbd" },
	{ "redis/", "redis-server redis-check-rdb" },
	{ "nginx/", "nginx" },
	{ "java/", "libjvm.so libnio.so libjli.so" },
	{ "python/", "python3.11 _queue.cpython-311-x86_64-linux-gnu.so "
		     "loop.cpython-311-x86_64-linux-gnu.so [python]" },
};

/*
 * Libraries and run times that are linked into programs of any name: at least one list of such a
 * rule has only names that begin as the library's own do.
 */
static const struct space {
	const char *family;
	const char *prefixes;
} spaces[] = {
	{ "go/", "runtime. os/signal." },
	{ "rust/", "std:: parking_lot:: tokio:: rayon_core:: crossbeam_channel::" },
	{ "node/", "uv_ node:: v8::" },
};

static const struct family *family_of(const struct rule *r)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(families); i++) {
		if (strncmp(r->name, families[i].name, strlen(families[i].name)) == 0)
			return &families[i];
	}
	return NULL;
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word), here;

	for (; *words; words += here, words += strspn(words, " ")) {
		here = strcspn(words, " ");
		if (here == len && memcmp(words, word, len) == 0)
			return true;
	}
	return false;
}

static bool is_in_one_of(const struct profile *p, const char *files)
{
	u32 i;

	for (i = 1; i < p->frames_len; i++) {
		const char *path = profile__str(p, p->modules[p->frames[i].module].path);
		const char *slash = strrchr(path, '/');

		if (has_word(files, slash ? slash + 1 : path))
			return true;
	}
	return false;
}

/* A rule for one program that decided about wait 1 of the profile, where it must not. */
static const struct rule *wrong_rule(const struct profile *p, const struct ruleset *rules)
{
	const struct rule *found = NULL, *said[2];
	struct causes c;
	size_t i;

	assert_int_equal(causes__init(&c, p, rules, NULL), 0);
	said[0] = causes__kind_rule(&c, 1);
	said[1] = causes__class_rule(&c, 1);
	for (i = 0; i < ARRAY_LEN(said); i++) {
		const struct family *f = said[i] ? family_of(said[i]) : NULL;

		if (f && !is_in_one_of(p, f->files))
			found = said[i];
	}
	causes__done(&c);
	return found;
}

static u32 judge(const struct ruleset *rules)
{
	u32 wrong = 0;
	size_t i, j;

	for (i = 0; i < ARRAY_LEN(tables); i++) {
		for (j = 0; j < tables[i]->len; j++) {
			const struct seen *s = &tables[i]->waits[j];
			struct profile *here = seen_profile(s);
			struct profile *there = seen_profile_in(s, STRANGER);
			const struct rule *r = wrong_rule(here, rules);

			r = r ? r : wrong_rule(there, rules);
			if (r)
				print_error("%s decides about '%s' of another program\n", r->name,
					    s->what);
			wrong += !!r;
			profile__free(here);
			profile__free(there);
		}
	}
	return wrong;
}

/* A rule that is asked behind another one may be wrong, too. */
static u32 judge_alone(const struct rule *only)
{
	static struct rule_off off[RULES_MAX];
	struct ruleset_options opt = { .off = off };
	const struct rule_table *const *t;
	struct ruleset *rules;
	u32 wrong;
	size_t i;

	for (t = rule_tables; *t; t++) {
		for (i = 0; i < (*t)->len; i++) {
			if (&(*t)->rules[i] != only)
				off[opt.off_len++] =
					(struct rule_off){ (*t)->rules[i].name, "here" };
		}
	}
	assert_int_equal(ruleset__new(&opt, &rules, NULL), 0);
	wrong = judge(rules);
	ruleset__free(rules);
	return wrong;
}

static void test_rules__for_one_program_leave_the_others_alone(void **state)
{
	const struct rule_table *const *t;
	u32 wrong = 0, asked = 0;
	size_t i;

	(void)state;
	for (t = rule_tables; *t; t++) {
		for (i = 0; i < (*t)->len; i++) {
			if (!family_of(&(*t)->rules[i]))
				continue;
			wrong += judge_alone(&(*t)->rules[i]);
			asked++;
		}
	}
	assert_int_equal(wrong, 0);
	assert_true(asked > 50);
}

static bool begins_as(const char *name, const char *prefixes)
{
	size_t len;

	name += *name == '*';
	for (; *prefixes; prefixes += len, prefixes += strspn(prefixes, " ")) {
		len = strcspn(prefixes, " ");
		if (strncmp(name, prefixes, len) == 0)
			return true;
	}
	return false;
}

static bool is_of_space(const char *list, const char *prefixes)
{
	for (; list && *list; list += strcspn(list, " "), list += strspn(list, " ")) {
		if (!begins_as(list, prefixes))
			return false;
	}
	return list;
}

static void test_rules__for_libraries_name_functions_as_those_do(void **state)
{
	const struct rule_table *const *t;
	u32 wrong = 0;
	size_t i, j, k;

	(void)state;
	for (t = rule_tables; *t; t++) {
		for (i = 0; i < (*t)->len; i++) {
			const struct rule *r = &(*t)->rules[i];

			for (j = 0; j < ARRAY_LEN(spaces); j++) {
				bool named = false;

				if (strncmp(r->name, spaces[j].family, strlen(spaces[j].family)))
					continue;
				for (k = 0; k < RULE_LISTS; k++)
					named |= is_of_space(r->user[k], spaces[j].prefixes);
				if (!named)
					print_error("%s has names that any program may have\n",
						    r->name);
				wrong += !named;
			}
		}
	}
	assert_int_equal(wrong, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules__for_one_program_leave_the_others_alone),
		cmocka_unit_test(test_rules__for_libraries_name_functions_as_those_do),
	};

	return cmocka_run_group_tests_name("rule_programs", tests, NULL, NULL);
}
