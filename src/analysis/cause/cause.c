/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cause and class of each wait of a profile. The rules are data, in rules_*.c, and ruleset.c
 * evaluates them; here are the names, and the results for a whole profile.
 *
 * Anything that a rule cannot test (what a file is for, what a thread will do) is not guessed.
 */
#include "analysis/cause/cause.h"

#include <errno.h>

#include "analysis/cause/ruleset.h"
#include "base/mem.h"

enum { BUSY = 0, EITHER = 1 };

const struct cause_row *cause_row(enum cause cause)
{
	static const struct cause_row rows[] = {
#define X(NAME, name, FAMILY, may_idle, color, sentence, hint)                                     \
	{ name, CAUSE_FAMILY_##FAMILY, may_idle, color, sentence, hint },
		CAUSES(X)
#undef X
	};

	return &rows[(u32)cause < CAUSE_CNT ? cause : CAUSE_UNKNOWN];
}

const struct cause_family_row *cause_family_row(enum cause_family family)
{
	static const struct cause_family_row rows[] = {
#define X(NAME, name, letter, firefox) { name, letter, firefox },
		CAUSE_FAMILIES(X)
#undef X
	};

	return &rows[(u32)family < CAUSE_FAMILY_CNT ? family : CAUSE_FAMILY_OTHER];
}

const char *cause_name(enum cause cause)
{
	return cause_row(cause)->name;
}

const char *cause_sentence(enum cause cause)
{
	return cause_row(cause)->sentence;
}

const char *cause_hint(enum cause cause)
{
	return (u32)cause < CAUSE_CNT ? cause_row(cause)->hint : "";
}

/* Of causes whose hint is about threads. */
static const struct {
	enum cause cause;
	const char *hint;
} task_hints[] = {
	{ CAUSE_PREEMPTED, "others ran instead: see the tasks that ran while others were ready" },
	{ CAUSE_RUNNABLE, "others ran instead: see the tasks that ran while others were ready" },
	{ CAUSE_LOCK, "find what tasks do while they hold it" },
	{ CAUSE_COND,
	  "another task signals late: if it is a wait for work, add a rule with --rules" },
	{ CAUSE_SEMAPHORE, "another task posts late: find what it does meanwhile" },
	{ CAUSE_BARRIER, "all tasks wait for the slowest one: find it" },
	{ CAUSE_JOIN, "look at the task that it waits for: it does the work" },
	{ CAUSE_QUEUE, "the producer is slow: look at its task" },
};

const char *cause_task_hint(enum cause cause)
{
	for (size_t i = 0; i < ARRAY_LEN(task_hints); i++)
		if (task_hints[i].cause == cause)
			return task_hints[i].hint;
	return cause_hint(cause);
}

bool cause_has_syscall(enum cause cause)
{
	switch (cause) {
	case CAUSE_PREEMPTED:
	case CAUSE_YIELD:
	case CAUSE_NEW:
	case CAUSE_THROTTLED:
	case CAUSE_FAULT:
	case CAUSE_STOPPED:
	case CAUSE_EXIT:
	case CAUSE_KTHREAD:
	case CAUSE_LOST:
	case CAUSE_ON_CPU:
		return false;
	default:
		return true;
	}
}

enum cause cause_find(const char *name)
{
	int i;

	for (i = 0; i < CAUSE_CNT; i++) {
		if (strcmp(cause_name((enum cause)i), name) == 0)
			break;
	}
	return (enum cause)i;
}

const char *class_name(enum wait_class class)
{
	static const char *const names[] = {
#define X(NAME, name, sentence) name,
		CLASSES(X)
#undef X
	};

	return (u32) class < CLASS_CNT ? names[class] : names[CLASS_NONE];
}

const char *class_sentence(enum wait_class class)
{
	static const char *const sentences[] = {
#define X(NAME, name, sentence) sentence,
		CLASSES(X)
#undef X
	};

	return (u32) class < CLASS_CNT ? sentences[class] : sentences[CLASS_NONE];
}

const char *cause_shown_name(u32 shown)
{
	if (shown == CAUSE_SHOWN_IDLE)
		return class_name(CLASS_IDLE);
	return shown < CAUSE_CNT ? cause_name((enum cause)shown) : "none";
}

const char *cause_shown_sentence(u32 shown)
{
	return shown == CAUSE_SHOWN_IDLE ? class_sentence(CLASS_IDLE) :
					   cause_sentence((enum cause)shown);
}

static int ask_all(struct causes *c, const struct profile *p)
{
	struct rule_frames frames;
	int r = rule_frames__init(&frames, c->rules, p);
	u32 i;

	for (i = 1; i < p->waits_len && !r; i++) {
		struct rule_answer answer = { 0 };

		r = ruleset__ask(c->rules, p, &frames, i, &answer);
		c->of_wait[i] = (u8)answer.kind;
		c->class_of_wait[i] = (u8)answer.class;
		c->kind_rule[i] = answer.kind_rule;
		c->class_rule[i] = answer.class_rule;
	}
	rule_frames__done(&frames);
	return r;
}

int causes__init(struct causes *c, const struct profile *p, const struct ruleset *rules,
		 struct err *err)
{
	size_t len = (size_t)p->waits_len + 1;
	int r;

	memset(c, 0, sizeof(*c));
	if (!rules) {
		r = ruleset__new(NULL, &c->own_rules, err);
		if (r)
			return r;
	}
	c->rules = rules ? rules : c->own_rules;
	c->of_wait = mem_array(len, sizeof(*c->of_wait));
	c->class_of_wait = mem_array(len, sizeof(*c->class_of_wait));
	c->kind_rule = mem_array(len, sizeof(*c->kind_rule));
	c->class_rule = mem_array(len, sizeof(*c->class_rule));
	if (!c->of_wait || !c->class_of_wait || !c->kind_rule || !c->class_rule)
		return err__nomem(err);
	c->waits_len = c->rows_len = p->waits_len;
	return ask_all(c, p) ? err__nomem(err) : 0;
}

void causes__done(struct causes *c)
{
	if (!c)
		return;
	if (c->borrowed) {
		memset(c, 0, sizeof(*c));
		return;
	}
	mem_free(c->of_wait);
	mem_free(c->class_of_wait);
	mem_free(c->kind_rule);
	mem_free(c->class_rule);
	ruleset__free(c->own_rules);
	memset(c, 0, sizeof(*c));
}

static bool has(const struct causes *c, u32 wait)
{
	return wait && wait < c->waits_len;
}

enum cause causes__of(const struct causes *c, u32 wait)
{
	if (has(c, wait))
		return (enum cause)c->of_wait[wait];
	return wait && wait < c->rows_len ? CAUSE_ON_CPU : CAUSE_UNKNOWN;
}

enum wait_class causes__class(const struct causes *c, u32 wait)
{
	if (has(c, wait))
		return (enum wait_class)c->class_of_wait[wait];
	return wait && wait < c->rows_len ? CLASS_ON_CPU : CLASS_WORK;
}

u32 causes__shown(const struct causes *c, u32 wait)
{
	return causes__class(c, wait) == CLASS_IDLE ? CAUSE_SHOWN_IDLE : (u32)causes__of(c, wait);
}

const struct rule *causes__kind_rule(const struct causes *c, u32 wait)
{
	return has(c, wait) ? ruleset__rule(c->rules, c->kind_rule[wait]) : NULL;
}

const struct rule *causes__class_rule(const struct causes *c, u32 wait)
{
	return has(c, wait) ? ruleset__rule(c->rules, c->class_rule[wait]) : NULL;
}
