/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A look reads several files and the memory of a thread that is not stopped. Its counters are read
 * before and after: if it got no CPU in between, then from the moment at which it was found blocked
 * nothing on its stack can have changed.
 */
#include "visit/look.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "profile/header.h"
#include "proc/thread.h"

#define KERNEL_FRAMES_MAX 64
#define TRIES 2

/* Decided once, by our own counters: those of another thread may be 0 because it never ran. */
static bool counts_nothing(const struct proc_files *pf)
{
	struct thread_sched own = { 0 };
	char buf[128];
	struct view text;

	return !proc_text_read(pf->root_fd, "self/schedstat", buf, sizeof(buf), &text) ||
	       thread_sched__parse(&own, text, NULL) || (!own.on_ns && !own.runs);
}

int looker__init(struct looker *l, const struct look_options *opt, const char *root)
{
	int r = proc_files__init(&l->proc, root);

	l->opt = *opt;
	if (r)
		return r;
	l->coarse = counts_nothing(&l->proc);
	if (code_files__init(&l->code) || stack_book__init(&l->stacks) ||
	    python_reader__init(&l->python) || things__init(&l->things, l->proc.root_fd) ||
	    intern__init(&l->keys, sizeof(struct look_key), sizeof(struct look_key)))
		return -ENOMEM;
	return 0;
}

void looker__done(struct looker *l)
{
	if (!l)
		return;
	intern__done(&l->keys);
	things__done(&l->things);
	stack_book__done(&l->stacks);
	python_reader__done(&l->python);
	code_files__done(&l->code);
	proc_files__done(&l->proc);
}

static int read_file(struct looker *l, const struct looked_at *t, enum proc_file file,
		     struct view *ret)
{
	return proc_files__read(&l->proc, t->tgid, t->tid, file, -1, ret);
}

static int read_stat(struct looker *l, const struct looked_at *t, struct thread_stat *ret)
{
	struct view text;
	int r = read_file(l, t, PROC_STAT, &text);

	return r ? r : thread_stat__parse(ret, text, NULL);
}

/* Without schedstat: ticks of the clock, and the counts of switches if there are any. */
static int read_coarse(struct looker *l, const struct looked_at *t, struct tally_reading *ret)
{
	struct thread_switches switches;
	struct thread_stat stat;
	struct view text;
	int r = read_stat(l, t, &stat);

	if (r)
		return r;
	ret->on_ns = thread_ticks_ns(stat.cpu_ticks);
	if (!read_file(l, t, PROC_STATUS, &text) && !thread_switches__parse(&switches, text, NULL))
		ret->runs = switches.voluntary + switches.involuntary;
	else
		ret->runs = TALLY_RUNS_UNKNOWN;
	return 0;
}

int looker__read(struct looker *l, const struct looked_at *t, struct tally_reading *ret)
{
	struct thread_sched sched;
	struct view text;
	int r;

	*ret = (struct tally_reading){ .at_ns = clock_mono_ns() };
	if (l->coarse)
		return read_coarse(l, t, ret);
	r = proc_files__read(&l->proc, t->tgid, t->tid, PROC_SCHEDSTAT, t->fd, &text);
	if (!r)
		r = thread_sched__parse(&sched, text, NULL);
	if (r)
		return r;
	ret->on_ns = sched.on_ns;
	ret->runq_ns = sched.runq_ns;
	ret->runs = sched.runs;
	return 0;
}

static u32 state_of(char letter)
{
	const char *at = letter ? strchr(PROFILE_STATE_LETTERS, letter) : NULL;

	/* a letter of an older kernel: W and K were of sleeps that no signal ends */
	return at ? (u32)(at - PROFILE_STATE_LETTERS) : 2;
}

static int look_stack(struct looker *l, const struct looked_at *t, const struct thread_call *call,
		      u32 *ret)
{
	struct process *p = t->process;
	int r = process__walk(p, call->pc, call->sp, l->opt.depth, &l->stack);

	if (!r && !p->image)
		r = stack_book__image(&l->stacks, p->tgid, &p->image);
	if (!r)
		r = python_reader__read(&l->python, p, t->tid, &l->stack);
	return r ? r : stack_book__add_user(&l->stacks, p, &l->stack, &l->python.frames, ret);
}

static int look_user(struct looker *l, const struct looked_at *t, const struct thread_call *call,
		     bool stack, struct look_key *key)
{
	struct thing thing = { 0 };
	int r = 0;

	process__forget(t->process);
	if (stack)
		r = look_stack(l, t, call, &key->ustack);
	if (!r && l->opt.objects)
		r = things__find(&l->things, t->process, call, &thing);
	key->object = thing.object;
	key->owner_tid = thing.owner_tid;
	return r;
}

/* The whole stack where we may read it, else the function in which the thread sleeps. */
static int look_kernel(struct looker *l, const struct looked_at *t, struct look_key *key)
{
	char name[THREAD_SYMBOL_SZ], names[KERNEL_FRAMES_MAX][THREAD_SYMBOL_SZ];
	struct view text;
	u32 len = 0;
	int r = 0;

	if (!l->no_stack && !read_file(l, t, PROC_STACK, &text))
		while (len < KERNEL_FRAMES_MAX &&
		       thread_stack_next(&text, names[len], THREAD_SYMBOL_SZ))
			len++;
	else
		l->no_stack = true;
	while (!r && len-- > 0)
		r = stack_book__add_kernel(&l->stacks, key->kstack, names[len], &key->kstack);
	if (r || key->kstack || read_file(l, t, PROC_WCHAN, &text) ||
	    !thread_wchan_parse(text, name, sizeof(name)))
		return r;
	return stack_book__add_kernel(&l->stacks, 0, name, &key->kstack);
}

/* ret->key is 0 if it turns out to run. */
static int fill_key(struct looker *l, const struct looked_at *t, bool stack, struct look *ret,
		    struct look_key *key)
{
	struct thread_call call;
	struct view text;
	int r = 0;

	*key = (struct look_key){ .sysno = -1 };
	ret->key = 1;
	ret->sp = ret->pc = 0;
	if (!t->is_kthread && !read_file(l, t, PROC_SYSCALL, &text) &&
	    !thread_call__parse(&call, text, NULL)) {
		ret->key = call.is_blocked;
		ret->sp = call.sp;
		ret->pc = call.pc;
		key->sysno = call.sysno;
		if (call.is_blocked)
			r = look_user(l, t, &call, stack, key);
	}
	if (!r && ret->key && l->opt.kernel_stacks)
		r = look_kernel(l, t, key);
	return r;
}

/* One look; ret->key is not 0 if it is blocked, in *key. */
static int look_once(struct looker *l, const struct looked_at *t, bool stack, struct look *ret,
		     struct look_key *key)
{
	struct thread_stat stat;
	int r = read_stat(l, t, &stat);

	if (r)
		return r;
	ret->state = state_of(stat.state);
	ret->is_dead = stat.state == 'Z' || stat.state == 'X';
	ret->key = 0;
	if (!ret->state || ret->is_dead)
		return 0;
	return fill_key(l, t, stack, ret, key);
}

int looker__look(struct looker *l, const struct looked_at *t, struct look *ret)
{
	struct tally_reading after;
	struct look_key key;
	bool moved = true;
	int r = 0;

	l->looks++;
	for (int i = 0; !r && moved && i < TRIES; i++) {
		r = look_once(l, t, l->opt.user_stacks, ret, &key);
		if (!r)
			r = looker__read(l, t, &after);
		moved = !r && after.runs != ret->now.runs;
		if (!r)
			ret->now = after;
	}
	if (r || !ret->key)
		return r;
	if (moved) {
		l->moved++;
		key = (struct look_key){ .sysno = -1 };
	}
	return intern__add(&l->keys, &key, &ret->key);
}

int looker__peek(struct looker *l, const struct looked_at *t, struct look *ret)
{
	struct look_key key;
	int r = look_once(l, t, false, ret, &key);

	return r || !ret->key ? r : intern__add(&l->keys, &key, &ret->key);
}
