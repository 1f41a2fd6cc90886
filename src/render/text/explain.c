/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A wrong rule is found by asking why: so each condition is printed with the frame that matched it.
 * Waits with the same stacks and results are merged.
 */
#include "render/text/explain.h"

#include <errno.h>
#include <stdlib.h>

#include "analysis/cause/cause_memo.h"
#include "analysis/name/label.h"
#include "analysis/name/place.h"
#include "analysis/cause/rule.h"
#include "analysis/cause/rule_words.h"
#include "analysis/cause/syscall_name.h"
#include "analysis/model/top.h"
#include "analysis/view/wait_stacks.h"
#include "base/intern.h"
#include "base/mem.h"
#include "base/text/units.h"
#include "profile/state.h"
#include "render/render_view.h"
#include "base/text/utf8.h"

#define SHOWN 5
#define FRAMES 40

struct alike_key {
	const struct rule *kind_rule; /* otherwise equal waits may have matched different rules */
	const struct rule *class_rule;
	u32 user;
	u32 kernel;
	u32 cause;
	u32 class;
	s32 sysno;
	u32 state;
};

struct alike {
	struct alike_key key;
	u32 wait; /* one of them */
	u64 ns;
	u64 count;
	bool uncounted; /* some of it */
};

struct explaining {
	const struct profile *p;
	const struct render_options *opt;
	struct sink *out;
	struct causes causes;
	struct labels labels;
	struct places places;
	struct top top;
	struct arena arena;
	struct intern alike;
};

static bool stack_has(const struct explaining *e, u32 stack, const char *part)
{
	for (; stack; stack = e->p->stacks[stack].parent) {
		if (strstr(labels__frame(&e->labels, e->p->stacks[stack].frame), part))
			return true;
	}
	return false;
}

static bool is_asked(const struct explaining *e, u32 wait, const char *what, u64 row)
{
	const struct profile_wait *w = &e->p->waits[wait];

	if (row)
		return e->top.row_of_wait[wait] == row - 1;
	return strcmp(cause_name(causes__of(&e->causes, wait)), what) == 0 ||
	       strstr(profile__str(e->p, e->p->tasks[w->task].comm), what) ||
	       stack_has(e, w->ustack, what) || stack_has(e, w->kstack, what);
}

static int add(struct explaining *e, u32 wait)
{
	const struct profile_wait *w = &e->p->waits[wait];
	struct alike fresh = {
		.key = {
			.user = w->ustack,
			.kernel = w->kstack,
			.cause = causes__of(&e->causes, wait),
			.class = causes__class(&e->causes, wait),
			.kind_rule = causes__kind_rule(&e->causes, wait),
			.class_rule = causes__class_rule(&e->causes, wait),
			.sysno = w->sysno,
			.state = w->state,
		},
		.wait = wait,
	};
	struct alike *alike;
	u32 id;

	if (intern__add(&e->alike, &fresh, &id))
		return -ENOMEM;
	alike = intern__at(&e->alike, id);
	alike->ns += wait_ns(w);
	alike->count += w->flags & WAIT_ON_CPU ? w->samples : w->count;
	alike->uncounted |= wait_is_uncounted(w);
	return 0;
}

/* "'do_futex'": the frame of a stack that is in the list, from the leaf. */
static void put_witness(const struct explaining *e, u32 stack, enum rule_side side,
			const char *list, const char *words)
{
	for (; stack; stack = e->p->stacks[stack].parent) {
		const struct profile_frame *f = &e->p->frames[e->p->stacks[stack].frame];
		const char *path = profile__str(e->p, e->p->modules[f->module].path);
		const char *name = side == RULE_SIDE_MODULE ? label_basename(path) :
							      profile__str(e->p, f->name);

		if (!rule_name_is_in(side, list, name))
			continue;
		sink__printf(e->out, "      %s ", words);
		utf8_put_harmless(e->out, name);
		sink__puts(e->out, "\n");
		return;
	}
}

static void put_caller(const struct explaining *e, u32 stack)
{
	u32 frame = place_own_frame(e->p, stack);

	sink__puts(e->out, "      called by ");
	utf8_put_harmless(e->out, labels__frame(&e->labels, frame));
	sink__puts(e->out, "\n");
}

static void put_futexes(const struct explaining *e, u32 futexes)
{
	const char *before = "      it waited for a futex that is known to be: ";
	u32 i;

	for (i = 0; i < FUTEX_KIND_CNT; i++) {
		if (!(futexes >> i & 1))
			continue;
		sink__printf(e->out, "%s%s", before, futex_kind_name((enum futex_kind)i));
		before = " ";
	}
	sink__puts(e->out, "\n");
}

/* The causes to which a rule of a class applies, if not all. */
static void put_kinds(const struct explaining *e, const struct rule *r)
{
	const char *before = "      kind is one of ";
	u32 i;

	if (rule_kinds(r) == ~(cause_set)0)
		return;
	if (!r->kinds) {
		sink__puts(e->out, "      kind can be a wait for work\n");
		return;
	}
	for (i = 0; i < CAUSE_CNT; i++) {
		if (!(r->kinds >> i & 1))
			continue;
		sink__printf(e->out, "%s%s", before, cause_name((enum cause)i));
		before = ", ";
	}
	sink__puts(e->out, "\n");
}

static void put_flags(const struct explaining *e, u32 flags)
{
	static const struct {
		u32 flag;
		const char *sentence;
	} table[] = {
		{ WAIT_IOWAIT, "the kernel says it waits for I/O (in_iowait)" },
		{ WAIT_KILLABLE, "only a deadly signal can end it" },
		{ WAIT_PREEMPTED, "it lost its CPU and could have run on" },
		{ WAIT_THROTTLED, "its cgroup had used up its CPU quota (cpu.max)" },
		{ WAIT_RUNNABLE, "it was woken, or it lost its CPU: visits cannot tell" },
		{ WAIT_NEW, "the thread is new, and was on no CPU before" },
		{ WAIT_LOST, "of these waits only the sum is known" },
		{ WAIT_SUMMED, "imported: the source has the sum of these waits only" },
		{ WAIT_VISITED, "visits of the thread found it so; nobody counted its waits" },
		{ WAIT_ON_CPU, "it was on a CPU" },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(table); i++) {
		if (flags & table[i].flag)
			sink__printf(e->out, "      %s\n", table[i].sentence);
	}
}

static void put_only(const struct explaining *e, enum rule_only only)
{
	static const char *const sentences[] = {
		[ONLY_ANY] = "",
		[ONLY_KTHREAD] = "      it is a thread of the kernel\n",
		[ONLY_FAULT] = "      it was in no system call, and is no thread of the kernel\n",
		[ONLY_SYSCALL] = "      it was in a system call\n",
	};

	sink__puts(e->out, sentences[only]);
}

static void put_plain(const struct explaining *e, const struct rule *r)
{
	u32 i;

	if (r->states) {
		sink__puts(e->out, "      state is one of ");
		for (i = 0; i < PROFILE_STATES; i++) {
			if (r->states >> i & 1)
				sink__printf(e->out, "%c", state_letter(i));
		}
		sink__puts(e->out, "\n");
	}
	put_flags(e, r->flags);
	put_only(e, r->only);
	if (r->futexes)
		put_futexes(e, r->futexes);
	if (r->locks)
		sink__printf(e->out,
			     "      it waited for a lock of the kernel that is known to be: %s\n",
			     r->locks);
	if (r->syscalls)
		sink__printf(e->out, "      system call is one of: %s\n", r->syscalls);
	if (r->threads)
		sink__printf(e->out, "      name of the thread, not its frames: %s\n", r->threads);
	if (r->processes)
		sink__printf(e->out, "      name of the process, not its frames: %s\n",
			     r->processes);
	for (i = 0; r->regexes && r->regexes[i]; i++)
		sink__printf(e->out, "      user stack fits '%s'\n", r->regexes[i]);
	if (r->not_kernel)
		sink__printf(e->out, "      kernel stack has none of: %s\n", r->not_kernel);
	if (r->not_user)
		sink__printf(e->out, "      user stack has none of: %s\n", r->not_user);
	for (i = 0; r->not_regexes && r->not_regexes[i]; i++)
		sink__printf(e->out, "      user stack does not fit '%s'\n", r->not_regexes[i]);
}

static void put_rule(const struct explaining *e, const struct alike *a, const struct rule *r,
		     bool of_class)
{
	u32 i;

	if (!r) {
		sink__puts(e->out, e->p->waits[a->wait].flags & WAIT_TOLD_CAUSE ?
					   "as its source says\n" :
					   "no rule says otherwise\n");
		return;
	}
	sink__printf(e->out, "by rule %s (seen: %s)\n", r->name, r->seen);
	if (of_class)
		put_kinds(e, r);
	put_plain(e, r);
	for (i = 0; i < RULE_LISTS; i++) {
		if (r->kernel[i])
			put_witness(e, a->key.kernel, RULE_SIDE_KERNEL, r->kernel[i],
				    "kernel stack has");
		if (r->user[i])
			put_witness(e, a->key.user, RULE_SIDE_USER, r->user[i], "user stack has");
	}
	if (rule_files(r))
		put_witness(e, a->key.user, RULE_SIDE_MODULE, rule_files(r), "user stack has file");
	if (r->modules)
		put_witness(e, a->key.user, RULE_SIDE_MODULE, r->modules, "user stack has file");
	if (r->caller || r->caller_file)
		put_caller(e, a->key.user);
	if (r->code)
		put_witness(e, a->key.user, RULE_SIDE_USER, r->code, "interpreted, lowest is");
}

static void put_stack(const struct explaining *e, const char *side, u32 stack)
{
	u32 n = 0;

	sink__printf(e->out, "  %s:", side);
	if (!stack)
		sink__puts(e->out, " none");
	for (; stack && n < FRAMES; stack = e->p->stacks[stack].parent, n++) {
		sink__puts(e->out, n ? " < " : " ");
		utf8_put_harmless(e->out, labels__frame(&e->labels, e->p->stacks[stack].frame));
	}
	sink__puts(e->out, stack ? " < ..\n" : "\n");
}

static bool is_same_code(const struct own_code *a, const struct own_code *b)
{
	return a->role == b->role && strcmp(a->rule, b->rule) == 0 &&
	       a->library_len == b->library_len &&
	       (!a->library_len || memcmp(a->library, b->library, a->library_len) == 0);
}

/* "    library requests (a Python package): " */
static void put_role(const struct explaining *e, const struct own_code *code)
{
	static const char *const roles[] = {
		[CODE_PROGRAM] = "the program",
		[CODE_LIBRARY] = "library ",
		[CODE_MACHINERY] = "machinery",
	};
	char library[128];

	sink__printf(e->out, "    %s", roles[code->role]);
	snprintf(library, sizeof(library), "%.*s", (int)code->library_len,
		 code->library_len ? code->library : "");
	utf8_put_harmless(e->out, library);
	sink__printf(e->out, "%s%s%s: ", *code->rule ? " (" : "", code->rule,
		     *code->rule ? ")" : "");
}

/* Whose code the frames of a user stack are, and by which rule: a line for each run. */
static void put_roles(const struct explaining *e, u32 stack)
{
	struct own_code last = { 0 }, code;
	u32 n = 0;

	for (; stack && n < FRAMES; stack = e->p->stacks[stack].parent, n++) {
		u32 frame = e->p->stacks[stack].frame;

		places__code(&e->places, frame, &code);
		if (n && is_same_code(&code, &last)) {
			sink__puts(e->out, " < ");
		} else {
			sink__puts(e->out, n ? "\n" : "");
			put_role(e, &code);
		}
		utf8_put_harmless(e->out, labels__frame(&e->labels, frame));
		last = code;
	}
	sink__puts(e->out, !n ? "" : stack ? " < ..\n" : "\n");
}

/* The place as tables show it, and why it is that one. */
static int put_place(struct explaining *e, u32 stack)
{
	u32 place;
	int r = places__user(&e->places, stack, &place);

	if (r || !stack)
		return r;
	sink__puts(e->out, "  place: ");
	utf8_put_harmless(e->out, places__text(&e->places, place));
	sink__puts(e->out, "\n");
	put_roles(e, stack);
	return 0;
}

static int put_alike(struct explaining *e, const struct alike *a)
{
	const struct profile_wait *w = &e->p->waits[a->wait];
	const char *call = syscall_name(profile__str(e->p, e->p->hdr.arch), w->sysno);
	const char *what = w->flags & WAIT_ON_CPU ? "sample" : "wait";
	char time[32], count[32];

	units_format_ns(a->ns, time, sizeof(time));
	units_format_count(a->count, count, sizeof(count));
	if (a->uncounted || (!a->count && (w->flags & WAIT_SUMMED || e->p->hdr.visit_hz)))
		sink__printf(e->out, "%s in waits, as of thread ", time);
	else
		sink__printf(e->out, "%s in %s %s%s, as of thread ", time, count, what,
			     units_plural(a->count));
	utf8_put_harmless(e->out, profile__str(e->p, e->p->tasks[w->task].comm));
	if (w->flags & WAIT_ON_CPU)
		sink__puts(e->out, ", on a CPU");
	else
		sink__printf(e->out, ", state %c", state_letter(w->state));
	sink__printf(e->out, ", system call %s\n",
		     call	  ? call :
		     w->sysno < 0 ? "none" :
				    "without a name");
	sink__printf(e->out, "  kind %s: %s\n    ", cause_name((enum cause)a->key.cause),
		     cause_sentence((enum cause)a->key.cause));
	put_rule(e, a, causes__kind_rule(&e->causes, a->wait), false);
	sink__printf(e->out, "  class %s: %s\n    ", class_name((enum wait_class)a->key.class),
		     class_sentence((enum wait_class)a->key.class));
	put_rule(e, a, causes__class_rule(&e->causes, a->wait), true);
	put_stack(e, "kernel", a->key.kernel);
	put_stack(e, "user", a->key.user);
	return put_place(e, a->key.user);
}

static int longest_first(const void *x, const void *y)
{
	const struct alike *a = *(const struct alike *const *)x;
	const struct alike *b = *(const struct alike *const *)y;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return a->wait < b->wait ? -1 : a->wait > b->wait;
}

static int put_all(struct explaining *e)
{
	u32 len = intern__len(&e->alike) - 1, i;
	const struct alike **list = mem_array((size_t)len + 1, sizeof(*list));
	int r = 0;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		list[i] = intern__at(&e->alike, i + 1);
	qsort(list, len, sizeof(*list), longest_first);
	for (i = 0; i < len && i < SHOWN && !r; i++) {
		sink__puts(e->out, i ? "\n" : "");
		r = put_alike(e, list[i]);
	}
	if (len > SHOWN)
		sink__printf(e->out, "\n%u more wait%s not shown\n", len - SHOWN,
			     units_plural(len - SHOWN));
	mem_free(list);
	return r;
}

static int gather(struct explaining *e, const char *what)
{
	bool number = *what && !what[strspn(what, "0123456789")];
	u64 row = number ? strtoull(what, NULL, 10) : 0;
	int r = causes__recall(&e->causes, e->p, e->opt->memo, NULL);
	u32 i;

	if (number && !row)
		row = ~0ULL; /* the first row is 1 */
	if (!r)
		r = labels__init(&e->labels, e->p, NULL);
	if (!r)
		r = places__init(&e->places, e->p, &e->labels, NULL);
	if (!r)
		r = top__build(e->p, TOP_BY_PLACE, e->opt->memo, &e->arena, &e->top, NULL);
	if (!r)
		r = intern__init(&e->alike, sizeof(struct alike), sizeof(struct alike_key));
	for (i = 1; i < e->p->waits_len && !r; i++) {
		if (is_asked(e, i, what, row))
			r = add(e, i);
	}
	return r;
}

int explain_put(const struct profile *p, const struct render_options *opt, const char *what,
		struct sink *out, struct err *err)
{
	struct explaining e = { .opt = opt, .out = out };
	struct viewed rows;
	int r = viewed__init(&rows, p, render_view(p, opt, VIEW_OFF), NULL);

	arena__init(&e.arena);
	e.p = rows.p;
	if (!r)
		r = gather(&e, what);
	if (!r && intern__len(&e.alike) == 1)
		r = -ENOENT;
	if (!r)
		r = put_all(&e);
	if (r == -ENOENT)
		err__set(err, r, "no wait has '%.64s' in its stack, thread or cause, or as its row",
			 what);
	else if (r)
		err__nomem(err);
	intern__done(&e.alike);
	places__done(&e.places);
	labels__done(&e.labels);
	causes__done(&e.causes);
	arena__done(&e.arena);
	viewed__done(&rows);
	return r;
}
