/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/sink.h"
#include "lib/literal.h"
#include "lib/seen.h"

static void put_name(struct sink *out, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++) {
		if (name[i] == '^')
			sink__puts(out, "<");
		else if (name[i] == ' ' || name[i] == '\\')
			sink__printf(out, "\\x%02x", name[i]);
		else
			sink__put(out, &name[i], 1);
	}
}

/* As lines of a literal, which wants the root first. */
static void put_chain(struct sink *out, const char *chain, char side, bool has_program)
{
	size_t end = strlen(chain), from;
	u32 address = 1;

	while (end) {
		for (from = end; from && chain[from - 1] != '<'; from--)
			;
		if (chain[from] == '@' || chain[from] == '#') {
			sink__printf(out, " %c @%s 0x%x ", side, chain[from] == '@' ? "c" : "m",
				     address++);
			if (end - from == 1)
				sink__puts(out, "!no_symbol");
			else
				put_name(out, &chain[from + 1], end - from - 1);
		} else if (chain[from] == '[') {
			sink__printf(out, " %c @n 0x%x ", side, address++);
			put_name(out, &chain[from], end - from);
		} else if (memmem(&chain[from], end - from, ".py:", 4)) {
			sink__printf(out, " %c @p 0x%x ", side, address++);
			put_name(out, &chain[from], end - from);
		} else if (has_program) {
			sink__printf(out, " %c @o 0x%x ", side, address++);
			put_name(out, &chain[from], end - from);
		} else {
			sink__printf(out, " %c ", side);
			put_name(out, &chain[from], end - from);
		}
		sink__puts(out, "\n");
		end = from ? from - 1 : 0;
	}
}

static void put_flags(struct sink *out, u32 flags)
{
	static const struct {
		u32 bit;
		const char *name;
	} names[] = {
		{ WAIT_IOWAIT, "iowait" },     { WAIT_KILLABLE, "killable" },
		{ WAIT_NEW, "new" },	       { WAIT_PREEMPTED, "preempted" },
		{ WAIT_LOST, "lost" },	       { WAIT_THROTTLED, "throttled" },
		{ WAIT_RUNNABLE, "runnable" },
	};
	const char *before = " flags=";
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (!(flags & names[i].bit))
			continue;
		sink__printf(out, "%s%s", before, names[i].name);
		before = ",";
	}
}

struct profile *seen_profile(const struct seen *s)
{
	struct profile *p = NULL;
	struct err err = { 0 };
	struct sink out;
	char *text;
	size_t len;

	sink__init_mem(&out);
	sink__printf(&out,
		     "arch x86_64\nmodule c elf /lib/x86_64-linux-gnu/libc.so.6\n"
		     "module p code %s tgid=1\nmodule n note [tasks]\n",
		     s->interpreter ? s->interpreter : "[python]");
	if (s->module)
		sink__printf(&out, "module m elf %s\n", s->module);
	if (s->program)
		sink__printf(&out, "module o elf %s\n", s->program);
	sink__puts(&out, "task 1/1 ");
	put_name(&out, s->thread ? s->thread : "a", strlen(s->thread ? s->thread : "a"));
	sink__printf(&out, "%s\nwait %c", s->kthread ? " flags=kthread" : "", s->state);
	if (s->syscall)
		sink__printf(&out, " sys=%s", s->syscall);
	sink__printf(&out, " %s=1ms", s->state == 'R' ? "runq" : "blocked");
	put_flags(&out, s->flags);
	sink__puts(&out, "\n");
	if (s->futex)
		sink__printf(&out, " object futex futex=%s tgid=1\n", futex_kind_name(s->futex));
	if (s->lock)
		sink__printf(&out, " object kernel-lock name=%s tgid=1\n", s->lock);
	if (s->user)
		put_chain(&out, s->user, 'u', s->program);
	put_chain(&out, s->chain, 'k', false);
	assert_int_equal(sink__finish(&out, NULL), 0);
	text = sink__steal(&out, &len);
	sink__done(&out);
	if (literal_parse(text, &p, &err))
		fail_msg("%s: %s in\n%s", s->what, err.msg, text);
	mem_free(text);
	/* as a view has it: no wait of a recording is one */
	p->waits[1].flags |= s->flags & WAIT_ON_CPU;
	p->hdr.visit_sources = s->task ? VISITS_OF_TASKS : 0;
	return p;
}

struct profile *seen_profile_in(const struct seen *s, const char *path)
{
	struct seen moved = *s;

	moved.program = moved.module = moved.interpreter = path;
	return seen_profile(&moved);
}
