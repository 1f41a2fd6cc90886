/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/row_type.h"

#include <string.h>

#include "profile/estimate.h"

#define AT(type, member) .off = offsetof(type, member), .sz = sizeof(((type *)0)->member)
#define WAIT(member) AT(struct profile_wait, member)
#define HOT(member) AT(struct profile_hot, member)
#define WAKE(member) AT(struct profile_wake, member)
#define MEASURED(member) AT(struct profile_measured, member)

/* All that a wait of a profile may have. */
#define WAIT_FLAGS                                                                                 \
	(WAIT_IOWAIT | WAIT_KILLABLE | WAIT_PREEMPTED | WAIT_NEW | WAIT_PRE | WAIT_OPEN |          \
	 WAIT_NO_RESUME | WAIT_LOST | WAIT_THROTTLED | WAIT_SUMMED | WAIT_VISITED |                \
	 WAIT_RUNNABLE | WAIT_TOLD_CAUSE | WAIT_TOLD_CLASS)

static const struct row_column wait_columns[] = {
	{ "task", ROW_TASK, WAIT(task), .stored = 0, .is_delta = true },
	{ "state", ROW_STATE, WAIT(state), .stored = 4 },
	{ "sysno", ROW_CALL, WAIT(sysno), .stored = 3 },
	{ "flags", ROW_FLAGS, WAIT(flags), .stored = 5 },
	{ "object", ROW_OBJECT, WAIT(object), .stored = 13 },
	{ "owner", ROW_TASK, WAIT(owner), .stored = 14 },
	{ "owner_tid", ROW_NUMBER, WAIT(owner_tid), .stored = 15 },
	{ "pad", ROW_ZERO, WAIT(pad), .stored = ROW_STORED_APART },
	{ "blocked_ns", ROW_SUM, WAIT(blocked_ns), .stored = ROW_STORED_APART },
	{ "runq_ns", ROW_SUM, WAIT(runq_ns), .stored = ROW_STORED_APART },
	{ "count", ROW_SUM, WAIT(count), .stored = ROW_STORED_APART },
	{ "max_ns", ROW_MAX, WAIT(max_ns), .stored = ROW_STORED_APART },
	{ "samples", ROW_SUM, WAIT(samples), .stored = ROW_STORED_APART },
	{ "var_us2", ROW_VARIANCE, WAIT(var_us2), .stored = ROW_STORED_APART },
	{ "hist", ROW_HIST, WAIT(hist), .stored = ROW_STORED_APART },
	{ "user_stack", ROW_STACK, WAIT(ustack), .stored = 1, .is_delta = true },
	{ "kernel_stack", ROW_STACK, WAIT(kstack), .stored = 2, .is_kernel = true },
	{ "on_ns", ROW_ZERO, WAIT(on_ns), .stored = ROW_STORED_APART },
	{ "part_of", ROW_ZERO, WAIT(part_of), .stored = ROW_STORED_APART },
	{ "waker", ROW_ZERO, WAIT(waker), .stored = ROW_STORED_APART },
};

_Static_assert(ARRAY_LEN(wait_columns) <= ROW_COLUMNS_MAX, "readers keep an array of this");

const struct row_type wait_row_type = {
	.noun = "wait",
	.columns = wait_columns,
	.columns_len = ARRAY_LEN(wait_columns),
	.sz = sizeof(struct profile_wait),
	.key_sz = offsetof(struct profile_wait, blocked_ns),
	.flags = WAIT_FLAGS,
};

static const struct row_column hot_columns[] = {
	{ "task", ROW_TASK, HOT(task), .stored = 0, .is_delta = true, .is_needed = true },
	{ "sysno", ROW_CALL, HOT(sysno), .stored = 3 },
	{ "flags", ROW_FLAGS, HOT(flags), .stored = 4 },
	{ "pad", ROW_ZERO, HOT(pad), .stored = ROW_STORED_APART },
	{ "on_ns", ROW_SUM, HOT(on_ns), .stored = 5 },
	{ "samples", ROW_SUM, HOT(samples), .stored = 6 },
	{ "var_us2", ROW_VARIANCE, HOT(var_us2), .stored = 7 },
	{ "user_stack", ROW_STACK, HOT(ustack), .stored = 1, .is_delta = true },
	{ "kernel_stack", ROW_STACK, HOT(kstack), .stored = 2, .is_kernel = true },
};

const struct row_type hot_row_type = {
	.noun = "hot",
	.columns = hot_columns,
	.columns_len = ARRAY_LEN(hot_columns),
	.sz = sizeof(struct profile_hot),
	.key_sz = offsetof(struct profile_hot, on_ns),
	.flags = HOT_NOT_SAMPLED,
};

static const struct row_column wake_columns[] = {
	{ "task", ROW_TASK, WAKE(task), .stored = 0, .is_delta = true },
	{ "state", ROW_STATE, WAKE(state), .stored = 4 },
	{ "sysno", ROW_CALL, WAKE(sysno), .stored = 3 },
	{ "flags", ROW_FLAGS, WAKE(flags), .stored = 5 },
	{ "object", ROW_OBJECT, WAKE(object), .stored = 6 },
	{ "owner", ROW_TASK, WAKE(owner), .stored = 7 },
	{ "owner_tid", ROW_NUMBER, WAKE(owner_tid), .stored = 8 },
	{ "waker", ROW_WAKER, WAKE(waker), .stored = 9, .is_needed = true },
	{ "doing", ROW_DOING, WAKE(doing), .stored = 10 },
	{ "did_state", ROW_STATE, WAKE(did_state), .stored = 14 },
	{ "did_sysno", ROW_CALL, WAKE(did_sysno), .stored = 13 },
	{ "did_flags", ROW_FLAGS, WAKE(did_flags), .stored = 15 },
	{ "did_object", ROW_OBJECT, WAKE(did_object), .stored = 16 },
	{ "pad", ROW_ZERO, WAKE(pad), .stored = ROW_STORED_APART },
	{ "ns", ROW_SUM, WAKE(ns), .stored = 17 },
	{ "count", ROW_SUM, WAKE(count), .stored = 18 },
	{ "bursts", ROW_SUM, WAKE(bursts), .stored = 19 },
	{ "crowd", ROW_SUM, WAKE(crowd), .stored = 20 },
	{ "brief", ROW_SUM, WAKE(brief), .stored = 21 },
	{ "again", ROW_SUM, WAKE(again), .stored = 22 },
	{ "brief_ns", ROW_SUM, WAKE(brief_ns), .stored = 23 },
	{ "user_stack", ROW_STACK, WAKE(ustack), .stored = 1, .is_delta = true },
	{ "kernel_stack", ROW_STACK, WAKE(kstack), .stored = 2, .is_kernel = true },
	{ "did_user_stack", ROW_STACK, WAKE(did_ustack), .stored = 11 },
	{ "did_kernel_stack", ROW_STACK, WAKE(did_kstack), .stored = 12, .is_kernel = true },
};

_Static_assert(ARRAY_LEN(wake_columns) <= ROW_COLUMNS_MAX, "readers keep an array of this");

const struct row_type wake_row_type = {
	.noun = "wake",
	.columns = wake_columns,
	.columns_len = ARRAY_LEN(wake_columns),
	.sz = sizeof(struct profile_wake),
	.key_sz = offsetof(struct profile_wake, ns),
	.flags = WAIT_FLAGS,
};

static const struct row_column measured_columns[] = {
	{ "task", ROW_TASK, MEASURED(task), .stored = 0, .is_delta = true, .is_needed = true },
	{ "pad", ROW_ZERO, MEASURED(pad), .stored = ROW_STORED_APART },
	{ "count", ROW_SUM, MEASURED(count), .stored = ROW_STORED_APART },
	{ "total_ns", ROW_SUM, MEASURED(total_ns), .stored = 3 },
	{ "max_ns", ROW_MAX, MEASURED(max_ns), .stored = 4 },
	{ "hist", ROW_HIST, MEASURED(hist), .stored = ROW_STORED_APART },
	{ "user_stack", ROW_STACK, MEASURED(ustack), .stored = 1, .is_delta = true },
	{ "waker_user_stack", ROW_STACK, MEASURED(waker_ustack), .stored = 2, .is_delta = true },
};

const struct row_type measured_row_type = {
	.noun = "measured wait",
	.columns = measured_columns,
	.columns_len = ARRAY_LEN(measured_columns),
	.sz = sizeof(struct profile_measured),
	.key_sz = offsetof(struct profile_measured, count),
};

_Static_assert(MEASURED_HIST_LEN == PROFILE_HIST_LEN, "formats have one kind of histogram");

u64 row_column__get(const struct row_column *c, const void *row)
{
	const char *at = (const char *)row + c->off;
	u32 narrow;
	u64 wide;

	if (c->sz == sizeof(wide)) {
		memcpy(&wide, at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, at, sizeof(narrow));
	return narrow;
}

void row_column__set(const struct row_column *c, void *row, u64 value)
{
	char *at = (char *)row + c->off;
	u32 narrow = (u32)value;

	if (c->sz == sizeof(value))
		memcpy(at, &value, sizeof(value));
	else
		memcpy(at, &narrow, sizeof(narrow));
}

const struct row_column *row_type__find(const struct row_type *type, const char *name)
{
	u32 i;

	for (i = 0; i < type->columns_len; i++) {
		if (strcmp(type->columns[i].name, name) == 0)
			return &type->columns[i];
	}
	return NULL;
}

static const char *missing(const struct row_type *type, const struct row_column *c, u64 value,
			   const struct row_limits *limits)
{
	switch (c->kind) {
	case ROW_TASK:
		return value < limits->tasks && (value || !c->is_needed) ? NULL : "a thread";
	case ROW_STACK:
		return value < limits->stacks ? NULL : "a stack";
	case ROW_OBJECT:
		return value < limits->objects ? NULL : "an object";
	case ROW_CALL:
		return (s32)value >= -1 ? NULL : "a system call";
	case ROW_STATE:
		return value < PROFILE_STATES ? NULL : "a state";
	case ROW_FLAGS:
		return value & ~(u64)type->flags ? "a flag" : NULL;
	case ROW_WAKER:
		return value < limits->wakers && (value || !c->is_needed) ? NULL : "a waker";
	case ROW_DOING:
		return value < DOING_CNT ? NULL : "a doing";
	case ROW_ZERO:
		return value ? "a member" : NULL;
	default:
		return NULL;
	}
}

const char *row_type__missing(const struct row_type *type, const void *row,
			      const struct row_limits *limits)
{
	const char *what = NULL;
	u32 i;

	for (i = 0; i < type->columns_len && !what; i++) {
		const struct row_column *c = &type->columns[i];

		if (c->kind != ROW_HIST)
			what = missing(type, c, row_column__get(c, row), limits);
	}
	return what;
}

static bool add_hist(const struct row_column *c, void *sum, const void *row)
{
	u32 *to = (u32 *)((char *)sum + c->off);
	const u32 *from = (const u32 *)((const char *)row + c->off);
	bool wrapped = false;
	u32 i;

	for (i = 0; i < c->sz / sizeof(*to); i++)
		wrapped |= __builtin_add_overflow(to[i], from[i], &to[i]);
	return !wrapped;
}

static bool add_column(const struct row_column *c, void *sum, const void *row)
{
	u64 a, b;

	if (row_column__is_key(c) || c->kind == ROW_ZERO)
		return true;
	if (c->kind == ROW_HIST)
		return add_hist(c, sum, row);
	a = row_column__get(c, sum);
	b = row_column__get(c, row);
	if (c->kind == ROW_MAX)
		a = a > b ? a : b;
	else if (c->kind == ROW_VARIANCE)
		a = estimate_add_var(a, b);
	else if (__builtin_add_overflow(a, b, &a))
		return false;
	row_column__set(c, sum, a);
	return true;
}

bool row_type__add(const struct row_type *type, void *sum, const void *row)
{
	bool fits = true;
	u32 i;

	for (i = 0; i < type->columns_len; i++)
		fits &= add_column(&type->columns[i], sum, row);
	return fits;
}
