/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_UNIT_IMPORT_IMPORTED_H
#define TESTS_UNIT_IMPORT_IMPORTED_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "import/import.h"

/* For tests of formats: bytes in, a profile or a message out. */

static inline s32 test_call(const char *name)
{
	static const char *const calls[] = { "read", "futex", "poll", "clock_nanosleep" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(calls); i++) {
		if (strcmp(calls[i], name) == 0)
			return (s32)i;
	}
	return -1;
}

static inline struct import_options test_options(void)
{
	return (struct import_options){ .name = "in.txt",
					.arch = "x86_64",
					.syscall_number = test_call };
}

static inline struct profile *imported(struct view bytes, struct import_options opt)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	if (import_bytes(bytes, &opt, &p, &err))
		fail_msg("%s", err.msg);
	return p;
}

static inline void assert_refused(struct view bytes, struct import_options opt, const char *message)
{
	struct profile *p = NULL;
	struct err err = { 0 };

	assert_int_equal(import_bytes(bytes, &opt, &p, &err), -EINVAL);
	assert_string_equal(err.msg, message);
	assert_null(p);
}

/* Of a stack, "root;...;leaf". */
static inline const char *stack_text(const struct profile *p, u32 leaf, char *buf, size_t sz)
{
	const struct profile_stack *s = &p->stacks[leaf];
	const struct profile_frame *f = &p->frames[s->frame];
	size_t len;

	buf[0] = '\0';
	if (!leaf)
		return buf;
	stack_text(p, s->parent, buf, sz);
	len = strlen(buf);
	snprintf(buf + len, sz - len, "%s%s", len ? ";" : "",
		 f->name ? profile__str(p, f->name) : "?");
	return buf;
}

struct seen_wait {
	const char *comm;
	u32 tid;
	char state;
	s32 sysno;
	u64 blocked_ns;
	u64 runq_ns;
	u64 count;
	const char *user;
	const char *kernel;
};

static inline void assert_wait(const struct profile *p, u32 id, struct seen_wait want)
{
	const struct profile_wait *w = &p->waits[id];
	char text[1024];

	assert_true(id < p->waits_len);
	assert_string_equal(profile__str(p, p->tasks[w->task].comm), want.comm);
	assert_int_equal(p->tasks[w->task].tid, want.tid);
	assert_int_equal(PROFILE_STATE_LETTERS[w->state], want.state);
	assert_int_equal(w->sysno, want.sysno);
	assert_int_equal(w->blocked_ns, want.blocked_ns);
	assert_int_equal(w->runq_ns, want.runq_ns);
	assert_int_equal(w->count, want.count);
	assert_string_equal(stack_text(p, w->ustack, text, sizeof(text)), want.user);
	assert_string_equal(stack_text(p, w->kstack, text, sizeof(text)), want.kernel);
}

static inline u64 listed_ns(const struct profile *p)
{
	struct profile_budget b;

	assert_int_equal(profile__budget(p, &b), 0);
	return b.listed_blocked_ns + b.listed_runq_ns;
}

#endif
