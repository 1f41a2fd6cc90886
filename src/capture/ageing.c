/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/ageing.h"

#include "abi/object.h"
#include "abi/stack.h"
#include "abi/waker.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "capture/program/tables.h"

/* The programs cache an object for 100 ms, so turns must be further apart than that. */
#define TURN_NS (250 * NSEC_PER_MSEC)
#define WINDOWS_TO_WAIT 2
/* This many stacks, most of them from earlier windows, slow down reading before memory runs out. */
#define STACKS_MANY 4096
#define STACKS_UNUSED 4

static u64 side(const struct ageing *a)
{
	return a->turns & 1 ? CS_STACK_SIDE : 0;
}

static bool is_old_stack(void *arg, const void *key)
{
	return (*(const u64 *)key & CS_STACK_SIDE) != side(arg);
}

static bool is_old_object(void *arg, const void *key)
{
	const struct cs_object_key *k = key;

	return !(k->kind & CS_OBJECT_SIDE) != !side(arg);
}

static int remove_old(struct ageing *a, struct programs *p, struct err *err)
{
	size_t sz;
	int r = 0;

	for (u32 i = 0; !r && i < PROGRAMS_STACKS; i++)
		r = table_remove(programs__stacks_fd(p, i, &sz), sizeof(u64), is_old_stack, a, err);
	if (!r)
		r = table_remove(programs__objects_fd(p), sizeof(struct cs_object_key),
				 is_old_object, a, err);
	if (!r && programs__wakers_fd(p) >= 0)
		r = table_remove(programs__wakers_fd(p), sizeof(u64), is_old_stack, a, err);
	programs__control(p)->objects_full = 0;
	return r;
}

static bool is_half_full(int fd, u64 entries)
{
	return entries > table_room(fd) / 2;
}

static bool is_due(const struct programs *p, const struct ageing_use *use)
{
	u64 stacks = 0;
	size_t sz;

	for (u32 i = 0; i < PROGRAMS_STACKS; i++) {
		if (is_half_full(programs__stacks_fd(p, i, &sz), use->entries[i]))
			return true;
		stacks += use->entries[i];
	}
	return is_half_full(programs__objects_fd(p), use->objects) ||
	       (use->wakers && is_half_full(programs__wakers_fd(p), use->wakers)) ||
	       stacks > STACKS_MANY + STACKS_UNUSED * use->stacks;
}

static bool is_any(void *arg, const void *key)
{
	(void)arg;
	(void)key;
	return true;
}

/* A thread that wakes another one again comes back, so one that is gone is not named twice. */
static int empty_outsiders(struct programs *p, const struct ageing_use *use, struct err *err)
{
	int fd = programs__outsiders_fd(p);

	if (!use->outsiders || !is_half_full(fd, use->outsiders))
		return 0;
	return table_remove(fd, sizeof(struct cs_outsider_key), is_any, NULL, err);
}

int ageing__read(struct ageing *a, struct programs *p, const struct ageing_use *use,
		 struct err *err)
{
	int r = empty_outsiders(p, use, err);

	if (r || programs__takes_early(p))
		return r;
	if (!a->removes) {
		a->due = is_due(p, use);
		return 0;
	}
	if (++a->windows < WINDOWS_TO_WAIT)
		return 0;
	r = remove_old(a, p, err);
	a->removes = r != 0;
	return r;
}

/* Every turn has its own salt, whose bit 63 is the new side. */
static u64 salt(const struct ageing *a)
{
	return (hash_u64(a->turns) & ~CS_STACK_SIDE) | side(a);
}

void ageing__turn(struct ageing *a, struct programs *p)
{
	volatile struct cs_control *control = programs__control(p);
	u64 now_ns = clock_mono_ns();

	if (!a->due || a->removes || now_ns - a->turned_ns < TURN_NS)
		return;
	a->turns++;
	a->turned_ns = now_ns;
	a->windows = 0;
	a->removes = true;
	a->due = false;
	/* In this order, so that whatever is cached under the new salt has the new side. */
	__atomic_store_n(&control->salt, salt(a), __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&control->tables_gen, 1, __ATOMIC_SEQ_CST);
	log_debug("the tables of stacks and objects turn for the %lluth time", a->turns);
}
