/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stripped files do not tell where the types of generators and futures are, so their names do.
 * tp_name of a class statement is what follows the word `class`: it has no dot, and the type is on
 * the heap. What C code makes is not on the heap, or has the name of its module before a dot.
 */
#include "async/py_types.h"

/* PyTypeObject, the same in 3.8 to 3.13. */
#define TYPE_NAME 24
#define TYPE_FLAGS 168
#define TYPE_BASE 256
#define TYPE_SZ 264
#define FLAG_HEAP (1U << 9)
/* Classes have few ancestors. */
#define BASES_MAX 32
/* A program that makes classes all day long must not take all memory. */
#define KINDS_MAX 4096
#define NAME_SZ 32
#define PAGE_SZ 4096U

struct type_bytes {
	u8 bytes[TYPE_SZ];
	char name[NAME_SZ];
};

static const struct {
	const char *name;
	enum py_kind kind;
	bool heap; /* it may be on the heap */
} names[] = {
	{ "coroutine", PY_CORO, false },
	{ "generator", PY_CORO, false },
	{ "async_generator", PY_CORO, false },
	{ "coroutine_wrapper", PY_WRAPPER, false },
	{ "async_generator_asend", PY_WRAPPER, false },
	{ "async_generator_athrow", PY_WRAPPER, false },
	{ "anext_awaitable", PY_WRAPPER, false },
	{ "_asyncio.FutureIter", PY_WRAPPER, true },
	{ "_asyncio.Future", PY_FUTURE, true },
	{ "_asyncio.Task", PY_TASK, true },
	{ "dict", PY_DICT, false },
	{ "set", PY_SET, false },
	{ "weakref", PY_WEAKREF, false }, /* to 3.10 */
	{ "weakref.ReferenceType", PY_WEAKREF, false },
	{ "module", PY_MODULE, false },
	{ "NoneType", PY_NONE, false },
};

void py_types__init(struct py_types *t)
{
	map64__init(&t->kinds);
}

void py_types__done(struct py_types *t)
{
	if (t)
		map64__done(&t->kinds);
}

static bool read_type(struct task_memory *mem, u64 type, struct type_bytes *ret)
{
	u64 name, left;

	if (!py_plausible(type) || !task_memory__read(mem, type, ret->bytes, TYPE_SZ))
		return false;
	name = py_word(ret->bytes, TYPE_NAME);
	left = PAGE_SZ - name % PAGE_SZ;
	memset(ret->name, 0, sizeof(ret->name));
	return task_memory__read(mem, name, ret->name, NAME_SZ - 1) ||
	       (left < NAME_SZ && task_memory__read(mem, name, ret->name, left));
}

static enum py_kind own_kind(const struct type_bytes *t)
{
	bool heap = py_word(t->bytes, TYPE_FLAGS) & FLAG_HEAP;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(t->name, names[i].name) == 0 && (names[i].heap || !heap))
			return names[i].kind;
	}
	return PY_OTHER;
}

enum py_kind py_type__own_kind(struct task_memory *mem, u64 type)
{
	struct type_bytes t;

	return read_type(mem, type, &t) ? own_kind(&t) : PY_OTHER;
}

/* Only futures and tasks are known by what they inherit from: objects of a subclass begin alike. */
static enum py_kind find_kind(struct task_memory *mem, u64 type)
{
	bool gathering = false;
	struct type_bytes t;

	for (u32 i = 0; i < BASES_MAX && read_type(mem, type, &t); i++) {
		enum py_kind kind = own_kind(&t);

		if (!i)
			gathering = strcmp(t.name, "_GatheringFuture") == 0;
		if (kind == PY_FUTURE && gathering)
			return PY_GATHERING;
		if (kind && (!i || kind == PY_FUTURE || kind == PY_TASK))
			return kind;
		type = py_word(t.bytes, TYPE_BASE);
	}
	return PY_OTHER;
}

enum py_kind py_types__kind(struct py_types *t, struct task_memory *mem, u64 type)
{
	enum py_kind kind;
	u64 known;

	if (map64__get(&t->kinds, type, &known))
		return (enum py_kind)known;
	kind = find_kind(mem, type);
	/* without memory for it, it is read again */
	if (t->kinds.len < KINDS_MAX)
		(void)map64__set(&t->kinds, type, kind);
	return kind;
}

enum py_kind py_types__kind_of(struct py_types *t, struct task_memory *mem, u64 obj)
{
	u64 type;

	return py_plausible(obj) && task_memory__read(mem, obj + PY_OB_TYPE, &type, sizeof(type)) ?
		       py_types__kind(t, mem, type) :
		       PY_OTHER;
}
