/* SPDX-License-Identifier: Apache-2.0 */
/* In a round, as many tasks of each process are read as the budget allows. */
#include <errno.h>
#include <stdio.h>

#include "async/tasks_priv.h"
#include "profile/code.h"

#define TORN_NOTE "[torn]"
#define CALL_NOTE "[system call]"

int tasks_group_of(struct tasks *t, const struct task_seen *seen, u32 *ret)
{
	const struct task_process *p = t->current;
	struct task_group g = { .tgid = p->tgid,
				.start_boottime_ns = p->start_boottime_ns,
				.start = seen->start };
	const char *name = seen->name ? seen->name : task_process__start_name(p, seen->start);
	int r;

	if (!name || !*name) {
		name = NULL;
		g.start = 0;
	}
	*ret = intern__find(&t->groups, &g);
	if (*ret)
		return 0;
	r = strtab__add(&t->names, p->comm, &g.process_name);
	if (!r)
		r = strtab__add(&t->names, name ? name : "[unknown]", &g.name);
	return r ? r : intern__add(&t->groups, &g, ret);
}

int tasks_stack_of(struct tasks *t, const struct task_seen *seen, const char *note, u32 *ret)
{
	struct process *p = &t->current->walker;
	int r = 0;

	*ret = 0;
	/* the outermost returns to runtime.goexit, which nobody called */
	if (seen->stack && seen->stack->end == CS_END_ROOT && seen->stack->len > 1)
		seen->stack->len--;
	for (u32 i = 0; !r && seen->stack && i < seen->stack->len; i++)
		r = process__place(p, &seen->stack->frame[i]);
	if (!r && seen->stack)
		r = stack_book__add_user(&t->looker.stacks, p, seen->stack, &t->no_python, ret);
	if (!r && seen->python)
		r = stack_book__add_python(&t->looker.stacks, p->image, seen->python, seen->cut,
					   ret);
	if (!r && seen->places && seen->cut)
		r = stack_book__add_cut(&t->looker.stacks, ret);
	for (u32 i = 0; !r && seen->places && i < seen->places_len; i++)
		r = stack_book__add_place(&t->looker.stacks, *ret, seen->places[i].name,
					  seen->places[i].file, seen->places[i].line, ret);
	if (!r && note)
		r = stack_book__add_note(&t->looker.stacks, *ret, note, ret);
	return r;
}

/* With what its thread does; one that is torn stays what it was, as far as that was right. */
static enum task_state state_of(const struct task_seen *seen)
{
	const struct task_thread *thread = &seen->thread;

	if (!thread->is_known || (seen->state != TASK_RUNS && seen->state != TASK_CALLS))
		return seen->state;
	if (thread->is_blocked)
		return seen->state == TASK_RUNS && !seen->torn ? TASK_STOPS : seen->state;
	return thread->waits_cpu ? TASK_STALLS : TASK_RUNS;
}

static const char *note_of(const struct task_seen *seen, enum task_state state, char *buf,
			   size_t sz)
{
	if (state == TASK_RUNS)
		return NULL;
	if (state == TASK_STOPS)
		return NOTE_TASK_STOPPED;
	if (state == TASK_STALLS)
		return NOTE_TASK_STALLED;
	if (seen->torn)
		return TORN_NOTE;
	if (state == TASK_CALLS)
		return CALL_NOTE;
	if (!seen->reason)
		return NULL;
	snprintf(buf, sz, "[%s]", seen->reason);
	return buf;
}

static int add_runner(struct tasks *t, u64 loop, u32 group)
{
	struct task_runner *runner = vec__push(&t->running);

	if (!runner)
		return -ENOMEM;
	*runner = (struct task_runner){ loop, group };
	return 0;
}

/* Who holds its loop may be seen later in the pass. */
static int add_waiter(struct tasks *t, const struct task_seen *seen, const struct task_key *key)
{
	struct task_waiter *waiter = vec__push(&t->ready);

	if (!waiter)
		return -ENOMEM;
	*waiter = (struct task_waiter){ *key, seen->weight, seen->loop };
	return 0;
}

/* What a blocked thread waits for. */
static void take_thread(const struct task_seen *seen, struct task_key *key)
{
	if (key->state != TASK_CALLS && key->state != TASK_STOPS)
		return;
	key->letter = TASKS_LETTER;
	if (!seen->thread.is_known || seen->torn)
		return;
	key->letter = seen->thread.state;
	key->look = seen->thread.key;
}

static int saw(void *arg, const struct task_seen *seen)
{
	struct tasks *t = arg;
	struct task_key key = { .state = state_of(seen) };
	char note[TASK_REASON_SZ + 2];
	int r = tasks_group_of(t, seen, &key.group);

	t->window.seen++;
	t->window.torn += seen->torn;
	if (!r && seen->state != TASK_UNREAD)
		r = tasks_stack_of(t, seen, note_of(seen, key.state, note, sizeof(note)),
				   &key.stack);
	take_thread(seen, &key);
	if (!r && seen->state == TASK_RUNS)
		r = add_runner(t, seen->loop, key.group);
	if (!r && seen->state == TASK_READY)
		return add_waiter(t, seen, &key);
	return r ? r : task_sums__add(&t->sums, &key, seen->weight);
}

/* The group of the task that holds a loop; 0: none was seen. Of several, each gets its share. */
static u32 holder_of(const struct tasks *t, u64 loop, size_t turn)
{
	size_t n = 0;

	for (size_t i = 0; i < t->running.len; i++)
		n += ((const struct task_runner *)vec__at(&t->running, i))->loop == loop;
	for (size_t i = 0, at = 0; n && i < t->running.len; i++) {
		const struct task_runner *runner = vec__at(&t->running, i);

		if (runner->loop == loop && at++ == turn % n)
			return runner->group;
	}
	return 0;
}

/* What is ready waits for what runs on the same loop. */
static int add_ready(struct tasks *t)
{
	int r = 0;

	for (size_t i = 0; !r && i < t->ready.len; i++) {
		struct task_waiter *waiter = vec__at(&t->ready, i);

		waiter->key.holder = holder_of(t, waiter->loop, i);
		r = task_sums__add(&t->sums, &waiter->key, waiter->weight);
	}
	vec__reset(&t->ready);
	vec__reset(&t->running);
	return r;
}

/* What reading all tasks of all processes would cost. */
static u64 cost_of_all(const struct tasks *t)
{
	u64 cost_ns = 0;

	for (size_t i = 0; i < t->processes.len; i++) {
		const struct task_process *p = tasks_process(t, i);

		if (p->state == TASK_PROCESS_READ)
			cost_ns += p->tasks * p->cost_ns;
	}
	return cost_ns;
}

/* What was measured in it is named while it is still known. */
static int leave(struct tasks *t, struct task_process *p)
{
	int r = tasks_measure__leave(t, p);

	task_process__forget(p);
	return r;
}

int tasks_pass(struct tasks *t)
{
	struct task_pass pass = { .budget_ns = t->budget.pass_ns,
				  .depth = t->depth,
				  .each = saw,
				  .look = tasks_look,
				  .arg = t };
	int r = 0;

	pass.one_in = task_budget__one_in(&t->budget, cost_of_all(t));
	t->window.in_parts |= pass.one_in > 1;
	for (size_t i = 0; !r && i < t->processes.len; i++) {
		t->current = tasks_process(t, i);
		if (t->current->state != TASK_PROCESS_READ)
			continue;
		pass.random = rounds__draw(&t->rounds);
		process__forget(&t->current->walker);
		if (t->current->runtime == TASK_RUNTIME_PYTHON && !t->current->walker.image)
			r = stack_book__image(&t->looker.stacks, t->current->tgid,
					      &t->current->walker.image);
		t->window.failed -= t->current->failed;
		if (!r)
			r = task_process__pass(t->current, &t->readers, &pass);
		if (!r)
			r = add_ready(t);
		t->window.failed += t->current->failed;
		if (!r && t->current->is_lost)
			r = leave(t, t->current);
	}
	return r;
}
