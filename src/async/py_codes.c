/* SPDX-License-Identifier: Apache-2.0 */
#include "async/py_codes.h"

#include <errno.h>

#include "base/clock.h"

#define FRESH_NS NSEC_PER_SEC
/* A program that makes functions all day long must not take all memory. */
#define CODES_MAX 65536

int py_codes__init(struct py_codes *pc, struct python_codes *records)
{
	*pc = (struct py_codes){ .records = records };
	map64__init(&pc->by_addr);
	vec__init(&pc->codes, sizeof(struct py_code));
	return strtab__init(&pc->names);
}

void py_codes__done(struct py_codes *pc)
{
	if (!pc || !pc->codes.elem_sz)
		return;
	map64__done(&pc->by_addr);
	vec__done(&pc->codes);
	strtab__done(&pc->names);
	*pc = (struct py_codes){ 0 };
}

static int start_again(struct py_codes *pc)
{
	struct python_codes *records = pc->records;
	u64 now_ns = pc->now_ns;
	int r;

	py_codes__done(pc);
	r = py_codes__init(pc, records);
	pc->now_ns = now_ns;
	return r;
}

/* Reads it; its name only if it is not the one that was there. *ret_ok: it is one. */
static int read_code(struct py_codes *pc, struct process *p, const struct py_layout *l,
		     struct py_code *c, bool *ret_ok)
{
	struct python_code_object o;
	struct cs_code_event ev;
	char name[PYTHON_TEXT_SZ];
	u64 number;
	int r;

	*ret_ok = python_code_object__read(&o, p, c->addr, &l->python);
	if (!*ret_ok)
		return 0;
	number = python_code_object__number(&o, &l->python);
	c->checked_ns = pc->now_ns;
	if (number == c->number)
		return 0;
	c->number = number;
	c->locals = l->off->locals_cnt ? (u32)python_word(o.bytes, l->off->locals_cnt) : 0;
	python_code_object__describe(&o, p, &l->python, &ev);
	python_text(ev.name, ev.name_len, ev.name_char, true, name);
	r = strtab__add(&pc->names, name, &c->name);
	return r ? r : python_code_object__take(&o, p, &l->python, pc->records);
}

int py_codes__get(struct py_codes *pc, struct process *p, const struct py_layout *l, u64 addr,
		  const struct py_code **ret)
{
	struct py_code fresh = { .addr = addr }, *c = &fresh;
	u64 known;
	bool ok;
	int r = 0;

	*ret = NULL;
	if (!py_plausible(addr))
		return 0;
	if (map64__get(&pc->by_addr, addr, &known))
		c = vec__at(&pc->codes, known);
	if (c == &fresh || pc->now_ns - c->checked_ns > FRESH_NS) {
		r = read_code(pc, p, l, c, &ok);
		if (r || !ok)
			return r;
	}
	if (c == &fresh) {
		if (pc->codes.len >= CODES_MAX && start_again(pc))
			return -ENOMEM;
		c = vec__push(&pc->codes);
		if (!c || map64__set(&pc->by_addr, addr, pc->codes.len - 1))
			return -ENOMEM;
		*c = fresh;
	}
	*ret = c;
	return 0;
}
