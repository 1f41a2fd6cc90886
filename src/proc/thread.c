/* SPDX-License-Identifier: Apache-2.0 */
/*
 * These files are read many times a second, so the parsers allocate nothing. None of the text is
 * trusted: a container may mount something else in the place of /proc.
 */
#include "proc/thread.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

static u64 next_dec(struct view *v)
{
	view__blank(v);
	return view__dec(v);
}

int thread_sched__parse(struct thread_sched *ret, struct view text, struct err *err)
{
	struct thread_sched s;

	s.on_ns = next_dec(&text);
	s.runq_ns = next_dec(&text);
	s.runs = next_dec(&text);
	if (text.bad)
		return err__set(err, -EINVAL, "the schedstat of a thread is malformed");
	*ret = s;
	return 0;
}

/* Fields of stat, counted from the one after the comm. */
#define STAT_FLAGS 6
#define STAT_UTIME 11
#define STAT_START 19

u64 thread_ticks_ns(u64 ticks)
{
	return ticks * (NSEC_PER_SEC / (u64)sysconf(_SC_CLK_TCK));
}

static void skip_fields(struct view *v, int n)
{
	struct view field;

	while (n-- > 0 && view__token(v, &field))
		;
}

int thread_stat__parse(struct thread_stat *ret, struct view text, struct err *err)
{
	const u8 *end = text.end;
	struct view rest, state;
	struct thread_stat s = { 0 };

	/* the comm may contain anything, including parentheses: the last one ends it */
	while (view__left(&text) && text.end[-1] != ')')
		text.end--;
	rest = view__of(text.end, (size_t)(end - text.end));
	if (!view__left(&text) || !view__token(&rest, &state) || view__left(&state) != 1)
		return err__set(err, -EINVAL, "the stat of a thread has no state");
	s.state = (char)*state.p;
	skip_fields(&rest, STAT_FLAGS - 1);
	s.flags = (u32)next_dec(&rest);
	skip_fields(&rest, STAT_UTIME - STAT_FLAGS - 1);
	s.cpu_ticks = next_dec(&rest);
	s.cpu_ticks += next_dec(&rest);
	skip_fields(&rest, STAT_START - STAT_UTIME - 2);
	s.start_boottime_ns = thread_ticks_ns(next_dec(&rest));
	if (rest.bad)
		return err__set(err, -EINVAL, "the stat of a thread is malformed");
	*ret = s;
	return 0;
}

int thread_switches__parse(struct thread_switches *ret, struct view text, struct err *err)
{
	struct thread_switches s = { 0 };
	struct view line, key;
	u32 seen = 0;

	while (view__line(&text, &line)) {
		if (!view__token(&line, &key))
			continue;
		if (view__eq(&key, "voluntary_ctxt_switches:")) {
			s.voluntary = next_dec(&line);
			seen |= 1;
		} else if (view__eq(&key, "nonvoluntary_ctxt_switches:")) {
			s.involuntary = next_dec(&line);
			seen |= 2;
		}
		if (line.bad)
			return err__set(err, -EINVAL, "the switches of a thread are malformed");
	}
	if (seen != 3)
		return err__set(err, -ENOENT, "the status of a thread counts no switches");
	*ret = s;
	return 0;
}

static u64 next_hex(struct view *v)
{
	view__blank(v);
	if (!view__accept(v, '0') || !view__accept(v, 'x')) {
		v->bad = true;
		return 0;
	}
	return view__hex(v);
}

/* "running", "-1 0xsp 0xpc", or "0 0x.. (six of them) 0xsp 0xpc" */
int thread_call__parse(struct thread_call *ret, struct view text, struct err *err)
{
	struct thread_call c = { .is_blocked = true, .sysno = -1 };
	struct view line, rest, word;
	u64 number;

	if (!view__line(&text, &line))
		return err__set(err, -EINVAL, "the system call of a thread is empty");
	rest = line;
	if (view__token(&rest, &word) && view__eq(&word, "running")) {
		*ret = (struct thread_call){ .sysno = -1 };
		return 0;
	}
	if (view__accept(&line, '-')) {
		number = view__dec(&line);
		line.bad |= number != 1;
	} else {
		number = view__dec(&line);
		line.bad |= number > INT32_MAX;
		c.sysno = (s32)number;
		for (size_t i = 0; i < ARRAY_LEN(c.args); i++)
			c.args[i] = next_hex(&line);
	}
	c.sp = next_hex(&line);
	c.pc = next_hex(&line);
	if (line.bad)
		return err__set(err, -EINVAL, "the system call of a thread is malformed");
	*ret = c;
	return 0;
}

/* Names of functions; ".isra.0" and the like are part of them. */
static bool is_symbol(const struct view *v)
{
	for (const u8 *p = v->p; p < v->end; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return false;
	return v->end > v->p;
}

bool thread_wchan_parse(struct view text, char *buf, size_t sz)
{
	struct view name;

	return view__token(&text, &name) && !view__eq(&name, "0") && is_symbol(&name) &&
	       view__copy(&name, buf, sz);
}

/* The address is 0 for whoever may not see it, and says nothing here. */
static bool take_function(struct view line, char *buf, size_t sz)
{
	struct view address, name;
	const u8 *plus;

	if (!view__token(&line, &address) || *address.p != '[' || !view__token(&line, &name))
		return false;
	plus = memchr(name.p, '+', view__left(&name));
	if (plus)
		name.end = plus;
	return is_symbol(&name) && view__copy(&name, buf, sz);
}

bool thread_stack_next(struct view *text, char *buf, size_t sz)
{
	struct view line;

	while (view__line(text, &line))
		if (take_function(line, buf, sz))
			return true;
	return false;
}
