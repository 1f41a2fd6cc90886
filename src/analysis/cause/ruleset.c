/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules look for a function anywhere in a stack, not at its leaf: which function is the leaf
 * changes with inlining from kernel to kernel, and a wait for the address space can happen under
 * any system call. So the lists of names in rules have numbers, and a stack is the set of lists
 * that contain one of its frames (stack_lists.h). Testing a rule then takes a few bits, however
 * many names it lists. And since there are few such sets, most waits are like one that was tested
 * before.
 */
#include "analysis/cause/ruleset.h"

#include <errno.h>

#include "analysis/cause/rule_words.h"
#include "analysis/cause/syscall_name.h"
#include "base/mem.h"

#define NEED_MAX 16
#define AVOID_MAX 8
#define NO_LIST 0xffff

struct ready_rule {
	const struct rule *rule;
	u16 need[NEED_MAX]; /* numbers of lists */
	u16 avoid[AVOID_MAX];
	u8 need_len;
	u8 avoid_len;
	cause_set kinds;
	u16 caller; /* NO_LIST: does not matter */
	u16 caller_file;
	u16 code;
};

/* Everything that a rule tests: waits for which it is equal have the same result. */
struct question {
	u32 stacks; /* sets of lists, see stack_lists.h */
	u32 caller;
	u32 code;
	s32 sysno;
	u32 state;
	u32 flags;
	u32 futex; /* its kind, as a bit; 0: not a futex */
	u32 kthread;
	u32 comm;
	u32 group_comm;
	u32 lock; /* name of the kernel lock that was waited for; 0: none known */
	u32 bare; /* a file of another tool, without the stack that tells the system call */
};

struct answered {
	struct question question; /* the key */
	struct rule_answer answer;
};

_Static_assert(sizeof(struct question) == 48, "no padding in a key");

struct ruleset {
	struct vec rules; /* struct ready_rule */
	struct rule_words words;
};

/* Causes that are a wait for work if the user frames say so; locks and disks never are. */
static cause_set waits_for_work(void)
{
	cause_set set = 0;
	u32 i;

	for (i = 0; i < CAUSE_CNT; i++) {
		if (cause_row((enum cause)i)->may_idle)
			set |= CAUSE_SET(i);
	}
	return set;
}

cause_set rule_kinds(const struct rule *r)
{
	if (r->kinds)
		return r->kinds;
	return r->class == CLASS_IDLE && !r->line ? waits_for_work() : ~(cause_set)0;
}

static int need(struct ruleset *rs, struct ready_rule *ready, enum rule_side side, const char *list,
		struct err *err)
{
	if (!list)
		return 0;
	if (ready->need_len == NEED_MAX)
		return err__set(err, -EINVAL, "rule '%s' has more than %d conditions",
				ready->rule->name, NEED_MAX);
	return rule_words__add(&rs->words, side, list, &ready->need[ready->need_len++], err);
}

static int avoid(struct ruleset *rs, struct ready_rule *ready, enum rule_side side,
		 const char *list, struct err *err)
{
	if (!list)
		return 0;
	if (ready->avoid_len == AVOID_MAX)
		return err__set(err, -EINVAL, "rule '%s' has more than %d exceptions",
				ready->rule->name, AVOID_MAX);
	return rule_words__add(&rs->words, side, list, &ready->avoid[ready->avoid_len++], err);
}

static int add_regexes(struct ruleset *rs, struct ready_rule *ready, struct err *err)
{
	const struct rule *rule = ready->rule;
	int r = 0;
	u32 i;

	for (i = 0; rule->regexes && rule->regexes[i] && !r; i++)
		r = need(rs, ready, RULE_SIDE_REGEX, rule->regexes[i], err);
	for (i = 0; rule->not_regexes && rule->not_regexes[i] && !r; i++)
		r = avoid(rs, ready, RULE_SIDE_REGEX, rule->not_regexes[i], err);
	return r;
}

/* The lists for one frame of the stack. */
static int add_frames(struct ruleset *rs, struct ready_rule *ready, struct err *err)
{
	const struct rule *rule = ready->rule;
	int r = 0;

	if (rule->caller)
		r = rule_words__add(&rs->words, RULE_SIDE_USER, rule->caller, &ready->caller, err);
	if (!r && rule->caller_file)
		r = rule_words__add(&rs->words, RULE_SIDE_MODULE, rule->caller_file,
				    &ready->caller_file, err);
	if (!r && rule->code)
		r = rule_words__add(&rs->words, RULE_SIDE_USER, rule->code, &ready->code, err);
	return r;
}

static int add_rule(struct ruleset *rs, const struct rule *rule, struct err *err)
{
	struct ready_rule *ready;
	int r = 0;
	u32 i;

	if (rs->rules.len == RULES_MAX)
		return err__set(err, -EINVAL, "more than %d rules", RULES_MAX);
	ready = vec__push(&rs->rules);
	if (!ready)
		return err__nomem(err);
	*ready = (struct ready_rule){ rule, .kinds = rule_kinds(rule), .caller = NO_LIST,
				      .caller_file = NO_LIST, .code = NO_LIST };
	for (i = 0; i < RULE_LISTS && !r; i++) {
		r = need(rs, ready, RULE_SIDE_KERNEL, rule->kernel[i], err);
		if (!r)
			r = need(rs, ready, RULE_SIDE_USER, rule->user[i], err);
	}
	if (!r)
		r = need(rs, ready, RULE_SIDE_MODULE, rule_files(rule), err);
	if (!r)
		r = need(rs, ready, RULE_SIDE_MODULE, rule->modules, err);
	if (!r)
		r = avoid(rs, ready, RULE_SIDE_KERNEL, rule->not_kernel, err);
	if (!r)
		r = avoid(rs, ready, RULE_SIDE_USER, rule->not_user, err);
	if (!r)
		r = add_frames(rs, ready, err);
	return r ? r : add_regexes(rs, ready, err);
}

static bool is_off(const struct ruleset_options *opt, const struct rule *rule)
{
	size_t i;

	if (opt->no_idle && rule->class == CLASS_IDLE)
		return true;
	for (i = 0; i < opt->off_len; i++) {
		if (strcmp(opt->off[i].name, rule->name) == 0)
			return true;
	}
	return false;
}

static bool is_built_in(const char *name)
{
	const struct rule_table *const *t;
	size_t i;

	for (t = rule_tables; *t; t++) {
		for (i = 0; i < (*t)->len; i++) {
			if (strcmp((*t)->rules[i].name, name) == 0)
				return true;
		}
	}
	return false;
}

static int add_all(struct ruleset *rs, const struct ruleset_options *opt, struct err *err)
{
	const struct rule_table *const *t;
	int r = 0;
	size_t i;

	for (i = 0; i < opt->off_len; i++) {
		if (!is_built_in(opt->off[i].name))
			return err__set(err, -EINVAL, "%s: there is no rule '%.64s' to switch off",
					opt->off[i].where, opt->off[i].name);
	}
	for (i = 0; i < opt->first_len && !r; i++) {
		r = add_rule(rs, &opt->first[i], err);
		if (r == -EINVAL)
			err__wrap(err, r, "%s", opt->first[i].name);
	}
	for (t = rule_tables; *t && !r; t++) {
		for (i = 0; i < (*t)->len && !r; i++) {
			if (!is_off(opt, &(*t)->rules[i]))
				r = add_rule(rs, &(*t)->rules[i], err);
		}
	}
	return r;
}

int ruleset__new(const struct ruleset_options *opt, struct ruleset **ret, struct err *err)
{
	static const struct ruleset_options none;
	struct ruleset *rs = mem_alloc(sizeof(*rs));
	int r;

	*ret = NULL;
	if (!rs)
		return err__nomem(err);
	vec__init(&rs->rules, sizeof(struct ready_rule));
	r = rule_words__init(&rs->words);
	r = r ? err__nomem(err) : add_all(rs, opt ? opt : &none, err);
	if (r) {
		ruleset__free(rs);
		return r;
	}
	rule_words__prepare(&rs->words);
	*ret = rs;
	return 0;
}

void ruleset__free(struct ruleset *rs)
{
	if (!rs)
		return;
	rule_words__done(&rs->words);
	vec__done(&rs->rules);
	mem_free(rs);
}

const struct rule *ruleset__rule(const struct ruleset *rs, u32 number)
{
	if (!rs || number >= rs->rules.len)
		return NULL;
	return ((const struct ready_rule *)vec__at(&rs->rules, number))->rule;
}

int rule_frames__init(struct rule_frames *f, const struct ruleset *rs, const struct profile *p)
{
	int r;

	memset(f, 0, sizeof(*f));
	r = stack_lists__init(&f->lists, &rs->words, p);
	return r ? r : intern__init(&f->answers, sizeof(struct answered), sizeof(struct question));
}

void rule_frames__done(struct rule_frames *f)
{
	stack_lists__done(&f->lists);
	intern__done(&f->answers);
}

/* One wait under test. */
struct asked {
	const struct profile *p;
	const struct question *q;
	const u64 *stacks; /* lists that contain one of their frames */
	const u64 *caller;
	const u64 *code;
	const char *syscall;
};

static bool is_in(const u64 *lists, u32 list)
{
	return lists[list / 64] >> (list % 64) & 1;
}

static bool frames_fit(const struct ready_rule *ready, const struct asked *a)
{
	if (ready->caller != NO_LIST && !is_in(a->caller, ready->caller))
		return false;
	if (ready->caller_file != NO_LIST && !is_in(a->caller, ready->caller_file))
		return false;
	return ready->code == NO_LIST || is_in(a->code, ready->code);
}

static bool only_fits(enum rule_only only, const struct asked *a)
{
	switch (only) {
	case ONLY_KTHREAD:
		return a->q->kthread;
	case ONLY_FAULT:
		return !a->q->kthread && a->q->sysno < 0 && !a->q->bare;
	case ONLY_SYSCALL:
		return a->q->sysno >= 0;
	default:
		return true;
	}
}

static bool names_fit(const struct rule *r, const struct asked *a)
{
	if (r->syscalls && !(a->syscall && rule_list_has(r->syscalls, a->syscall)))
		return false;
	if (r->threads && !rule_list_has(r->threads, profile__str(a->p, a->q->comm)))
		return false;
	return !r->processes || rule_list_has(r->processes, profile__str(a->p, a->q->group_comm));
}

static bool lock_fits(const struct rule *r, const struct asked *a)
{
	return !r->locks || (a->q->lock && rule_list_has(r->locks, profile__str(a->p, a->q->lock)));
}

static bool fits(const struct ready_rule *ready, const struct asked *a)
{
	const struct rule *r = ready->rule;
	u32 i;

	if (r->states && !(a->q->state < PROFILE_STATES && (r->states & 1U << a->q->state)))
		return false;
	if ((a->q->flags & r->flags) != r->flags || (r->futexes && !(r->futexes & a->q->futex)))
		return false;
	for (i = 0; i < ready->need_len; i++) {
		if (!is_in(a->stacks, ready->need[i]))
			return false;
	}
	for (i = 0; i < ready->avoid_len; i++) {
		if (is_in(a->stacks, ready->avoid[i]))
			return false;
	}
	if (!frames_fit(ready, a))
		return false;
	return lock_fits(r, a) && only_fits(r->only, a) && names_fit(r, a);
}

/* A preempted thread waits for nothing, and a lost wait is unknown. */
static bool can_have_class(const struct question *q)
{
	return q->state && !(q->flags & (WAIT_LOST | WAIT_ON_CPU));
}

/* A rule for frames is meant for waits, not for preemption there or for samples on a CPU. */
static bool may_ask(const struct rule *r, const struct question *q)
{
	if (!r->line)
		return true;
	return !(q->flags & WAIT_ON_CPU) && (r->states || can_have_class(q));
}

static struct rule_answer ask(const struct ruleset *rs, const struct asked *a)
{
	const struct ready_rule *rules = rs->rules.data;
	struct rule_answer answer = { CAUSE_UNKNOWN,
				      a->q->flags & WAIT_ON_CPU ? CLASS_ON_CPU : CLASS_WORK,
				      RULE_NONE, RULE_NONE };
	size_t i;

	for (i = 0; i < rs->rules.len && answer.kind_rule == RULE_NONE; i++) {
		if (rules[i].rule->kind == CAUSE_UNKNOWN || !may_ask(rules[i].rule, a->q) ||
		    !fits(&rules[i], a))
			continue;
		answer.kind = rules[i].rule->kind;
		answer.kind_rule = (u16)i;
	}
	if (!can_have_class(a->q))
		return answer;
	for (i = 0; i < rs->rules.len && answer.class_rule == RULE_NONE; i++) {
		if (rules[i].rule->class == CLASS_NONE || !(rules[i].kinds >> answer.kind & 1) ||
		    !fits(&rules[i], a))
			continue;
		answer.class = rules[i].rule->class;
		answer.class_rule = (u16)i;
	}
	return answer;
}

/* What is known about the futex itself; a wait without an object has no kind of futex. */
static u32 futex_of(const struct profile *p, const struct profile_wait *w)
{
	const struct profile_object *o = w->object ? &p->objects[w->object] : NULL;

	return o && o->kind == OBJECT_FUTEX && o->futex < FUTEX_KIND_CNT ? 1U << o->futex : 0;
}

/* The name of the kernel lock; 0: none or unknown. */
static u32 lock_of(const struct profile *p, const struct profile_wait *w)
{
	const struct profile_object *o = w->object ? &p->objects[w->object] : NULL;

	return o && o->kind == OBJECT_KERNEL_LOCK ? o->name : 0;
}

/* -ENOMEM or 0. */
static int question_of(struct stack_lists *l, const struct profile *p, const struct profile_wait *w,
		       struct question *q)
{
	const struct profile_task *t = &p->tasks[w->task];

	*q = (struct question){
		.caller = stack_lists__caller(l, w->ustack),
		.code = stack_lists__code(l, w->ustack),
		.sysno = w->sysno,
		.state = w->state,
		.flags = w->flags,
		.futex = futex_of(p, w),
		.lock = lock_of(p, w),
		.kthread = t->flags & TASK_KTHREAD,
		.comm = t->comm,
		.group_comm = t->group_comm,
		.bare = p->hdr.source && !w->kstack,
	};
	return stack_lists__both(l, w->ustack, w->kstack, &q->stacks);
}

/* Where the profile was recorded, rules decided; only rules that the user gives now are newer. */
static void keep_told(const struct ruleset *rs, u32 flags, struct rule_answer *answer)
{
	const u32 kind = (flags & WAIT_TOLD_CAUSE) >> 16, class = (flags & WAIT_TOLD_CLASS) >> 24;
	const struct rule *r = ruleset__rule(rs, answer->kind_rule);

	if (kind && kind <= CAUSE_CNT && !(r && r->line)) {
		answer->kind = (enum cause)(kind - 1);
		answer->kind_rule = RULE_NONE;
	}
	r = ruleset__rule(rs, answer->class_rule);
	if (class && class < CLASS_CNT && !(r && r->line)) {
		answer->class = (enum wait_class) class;
		answer->class_rule = RULE_NONE;
	}
}

int ruleset__ask(const struct ruleset *rs, const struct profile *p, struct rule_frames *f, u32 wait,
		 struct rule_answer *ret)
{
	u32 len = intern__len(&f->answers), id;
	struct answered item = { 0 }, *known;
	struct asked a = { .p = p };
	int r;

	r = question_of(&f->lists, p, &p->waits[wait], &item.question);
	if (!r)
		r = intern__add(&f->answers, &item, &id);
	if (r)
		return r;
	known = intern__at(&f->answers, id);
	if (id >= len) {
		a.q = &known->question;
		a.stacks = stack_lists__bits(&f->lists, a.q->stacks);
		a.caller = stack_lists__bits(&f->lists, a.q->caller);
		a.code = stack_lists__bits(&f->lists, a.q->code);
		a.syscall = syscall_name(profile__str(p, p->hdr.arch), a.q->sysno);
		known->answer = ask(rs, &a);
	}
	*ret = known->answer;
	keep_told(rs, p->waits[wait].flags, ret);
	return 0;
}
