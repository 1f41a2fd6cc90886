/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules ask for a function anywhere in a stack, not at its leaf: which function is the leaf changes
 * with inlining from kernel to kernel, and a wait for the address space can hide under any system
 * call. So the lists of names that rules ask for have numbers, a frame has a bit for each list that
 * it is in, and a stack the or of its frames, which is made once for each node of the trie. A rule
 * is then a few bits to look at, however many names it knows.
 */
#include "analysis/ruleset.h"

#include <errno.h>

#include "analysis/label.h"
#include "analysis/place.h"
#include "analysis/rule_words.h"
#include "analysis/syscall_name.h"
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
	u16 caller; /* NO_LIST: does not matter */
	u16 caller_file;
	u16 code;
};

struct ruleset {
	struct vec rules; /* struct ready_rule */
	struct rule_words words;
};

/* Kinds that are a wait for work if the user's frames say so; locks and disks never are. */
#define WAITS_FOR_WORK                                                                             \
	(RULE_KIND(CAUSE_FUTEX) | RULE_KIND(CAUSE_NET_RECV) | RULE_KIND(CAUSE_NET_ACCEPT) |        \
	 RULE_KIND(CAUSE_UNIX) | RULE_KIND(CAUSE_PIPE) | RULE_KIND(CAUSE_TTY) |                    \
	 RULE_KIND(CAUSE_POLL) | RULE_KIND(CAUSE_URING) | RULE_KIND(CAUSE_SLEEP) |                 \
	 RULE_KIND(CAUSE_IPC) | RULE_KIND(CAUSE_CHILD) | RULE_KIND(CAUSE_SYSCALL) |                \
	 RULE_KIND(CAUSE_COND) | RULE_KIND(CAUSE_SEMAPHORE) | RULE_KIND(CAUSE_JOIN) |              \
	 RULE_KIND(CAUSE_PARK) | RULE_KIND(CAUSE_OBJECT_WAIT) | RULE_KIND(CAUSE_QUEUE) |           \
	 RULE_KIND(CAUSE_SIGNAL) | RULE_KIND(CAUSE_UNKNOWN))

u64 rule_kinds(const struct rule *r)
{
	if (r->kinds)
		return r->kinds;
	return r->class == CLASS_IDLE && !r->line ? WAITS_FOR_WORK : ~0ULL;
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

/* What one frame of the stack has to be. */
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
	*ready = (struct ready_rule){ rule, .caller = NO_LIST, .caller_file = NO_LIST,
				      .code = NO_LIST };
	for (i = 0; i < RULE_LISTS && !r; i++) {
		r = need(rs, ready, RULE_SIDE_KERNEL, rule->kernel[i], err);
		if (!r)
			r = need(rs, ready, RULE_SIDE_USER, rule->user[i], err);
	}
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

static void match_frame(const struct ruleset *rs, const struct profile *p, u32 frame, u64 *bits)
{
	const struct profile_frame *f = &p->frames[frame];
	const char *path = profile__str(p, p->modules[f->module].path);
	bool kernel = f->flags & FRAME_KERNEL;

	if (f->flags & FRAME_TRUNCATED)
		return;
	if (f->name)
		rule_words__match(&rs->words, kernel ? RULE_SIDE_KERNEL : RULE_SIDE_USER,
				  profile__str(p, f->name), bits);
	if (!kernel && *path)
		rule_words__match(&rs->words, RULE_SIDE_MODULE, label_basename(path), bits);
}

/* Parents stand before their children. */
int rule_frames__init(struct rule_frames *f, const struct ruleset *rs, const struct profile *p)
{
	u32 i, k;

	memset(f, 0, sizeof(*f));
	f->words = (rule_words__lists(&rs->words) + 63) / 64;
	f->words += !f->words;
	f->of_frame = mem_array((size_t)p->frames_len + 1, f->words * sizeof(u64));
	f->of_stack = mem_array((size_t)p->stacks_len + 1, f->words * sizeof(u64));
	f->own = mem_array((size_t)p->stacks_len + 1, sizeof(u32));
	f->code = mem_array((size_t)p->stacks_len + 1, sizeof(u32));
	if (!f->of_frame || !f->of_stack || !f->own || !f->code)
		return -ENOMEM;
	for (i = 1; i < p->frames_len; i++)
		match_frame(rs, p, i, &f->of_frame[(size_t)i * f->words]);
	for (i = 1; i < p->stacks_len; i++) {
		const u64 *parent = &f->of_stack[(size_t)p->stacks[i].parent * f->words];
		const u64 *frame = &f->of_frame[(size_t)p->stacks[i].frame * f->words];

		for (k = 0; k < f->words; k++)
			f->of_stack[(size_t)i * f->words + k] = parent[k] | frame[k];
	}
	return 0;
}

void rule_frames__done(struct rule_frames *f)
{
	mem_free(f->of_frame);
	mem_free(f->of_stack);
	mem_free(f->own);
	mem_free(f->code);
	memset(f, 0, sizeof(*f));
}

/* One wait while it is asked about. */
struct asked {
	const struct profile *p;
	const struct profile_wait *w;
	struct rule_frames *f;
	const char *syscall;
	bool kthread;
};

static bool stacks_have(const struct asked *a, u32 list)
{
	const u64 *user = &a->f->of_stack[(size_t)a->w->ustack * a->f->words];
	const u64 *kernel = &a->f->of_stack[(size_t)a->w->kstack * a->f->words];

	return (user[list / 64] | kernel[list / 64]) >> (list % 64) & 1;
}

static bool frame_is(const struct asked *a, u32 frame, u32 list)
{
	return a->f->of_frame[(size_t)frame * a->f->words + list / 64] >> (list % 64) & 1;
}

static u32 caller(const struct asked *a)
{
	u32 *own = &a->f->own[a->w->ustack];

	if (!*own)
		*own = place_own_frame(a->p, a->w->ustack) + 1;
	return *own - 1;
}

static u32 lowest_code(const struct asked *a)
{
	u32 *code = &a->f->code[a->w->ustack], at;

	for (at = a->w->ustack; at && !*code; at = a->p->stacks[at].parent) {
		const struct profile_frame *f = &a->p->frames[a->p->stacks[at].frame];

		if (!(f->flags & FRAME_TRUNCATED) && a->p->modules[f->module].kind == MODULE_CODE)
			*code = a->p->stacks[at].frame + 1;
	}
	return *code ? *code - 1 : 0;
}

static bool frames_fit(const struct ready_rule *ready, const struct asked *a)
{
	if (ready->caller != NO_LIST && !frame_is(a, caller(a), ready->caller))
		return false;
	if (ready->caller_file != NO_LIST && !frame_is(a, caller(a), ready->caller_file))
		return false;
	return ready->code == NO_LIST || frame_is(a, lowest_code(a), ready->code);
}

static bool only_fits(enum rule_only only, const struct asked *a)
{
	switch (only) {
	case ONLY_KTHREAD:
		return a->kthread;
	case ONLY_FAULT:
		return !a->kthread && a->w->sysno < 0;
	case ONLY_SYSCALL:
		return a->w->sysno >= 0;
	default:
		return true;
	}
}

static bool names_fit(const struct rule *r, const struct asked *a)
{
	const struct profile_task *t = &a->p->tasks[a->w->task];

	if (r->syscalls && !(a->syscall && rule_list_has(r->syscalls, a->syscall)))
		return false;
	if (r->threads && !rule_list_has(r->threads, profile__str(a->p, t->comm)))
		return false;
	return !r->processes || rule_list_has(r->processes, profile__str(a->p, t->group_comm));
}

/* What the record has of the word itself; a wait without an object is of no kind of futex. */
static bool futex_fits(const struct rule *r, const struct asked *a)
{
	const struct profile_object *o = a->w->object ? &a->p->objects[a->w->object] : NULL;

	if (!r->futexes)
		return true;
	return o && o->kind == OBJECT_FUTEX && o->futex < FUTEX_KIND_CNT &&
	       (r->futexes & 1U << o->futex);
}

/* What the record has of the kernel's lock itself. */
static bool lock_fits(const struct rule *r, const struct asked *a)
{
	const struct profile_object *o = a->w->object ? &a->p->objects[a->w->object] : NULL;

	if (!r->locks)
		return true;
	return o && o->kind == OBJECT_KERNEL_LOCK &&
	       rule_list_has(r->locks, profile__str(a->p, o->name));
}

static bool fits(const struct ready_rule *ready, const struct asked *a)
{
	const struct rule *r = ready->rule;
	u32 i;

	if (r->states && !(a->w->state < PROFILE_STATES && (r->states & 1U << a->w->state)))
		return false;
	if ((a->w->flags & r->flags) != r->flags)
		return false;
	for (i = 0; i < ready->need_len; i++) {
		if (!stacks_have(a, ready->need[i]))
			return false;
	}
	for (i = 0; i < ready->avoid_len; i++) {
		if (stacks_have(a, ready->avoid[i]))
			return false;
	}
	if (!frames_fit(ready, a))
		return false;
	return futex_fits(r, a) && lock_fits(r, a) && only_fits(r->only, a) && names_fit(r, a);
}

/* What ran on its own and lost its CPU is no wait for anything, and what is lost is not known. */
static bool can_have_class(const struct profile_wait *w)
{
	return w->state && !(w->flags & (WAIT_LOST | WAIT_ON_CPU));
}

/*
 * Whoever writes a rule for frames thinks of waits there, not of time slices that end there, nor of
 * samples of a CPU.
 */
static bool may_ask(const struct rule *r, const struct profile_wait *w)
{
	if (!r->line)
		return true;
	return !(w->flags & WAIT_ON_CPU) && (r->states || can_have_class(w));
}

struct rule_answer ruleset__ask(const struct ruleset *rs, const struct profile *p,
				struct rule_frames *f, u32 wait)
{
	const struct profile_wait *w = &p->waits[wait];
	const struct ready_rule *rules = rs->rules.data;
	struct rule_answer answer = { CAUSE_UNKNOWN,
				      w->flags & WAIT_ON_CPU ? CLASS_ON_CPU : CLASS_WORK, RULE_NONE,
				      RULE_NONE };
	struct asked a = { .p = p, .w = w, .f = f };
	size_t i;

	a.syscall = syscall_name(profile__str(p, p->hdr.arch), w->sysno);
	a.kthread = p->tasks[w->task].flags & TASK_KTHREAD;
	for (i = 0; i < rs->rules.len && answer.kind_rule == RULE_NONE; i++) {
		if (rules[i].rule->kind == CAUSE_UNKNOWN || !may_ask(rules[i].rule, w) ||
		    !fits(&rules[i], &a))
			continue;
		answer.kind = rules[i].rule->kind;
		answer.kind_rule = (u16)i;
	}
	for (i = 0; can_have_class(w) && i < rs->rules.len && answer.class_rule == RULE_NONE; i++) {
		if (rules[i].rule->class == CLASS_NONE ||
		    !(rule_kinds(rules[i].rule) >> answer.kind & 1) || !fits(&rules[i], &a))
			continue;
		answer.class = rules[i].rule->class;
		answer.class_rule = (u16)i;
	}
	return answer;
}
