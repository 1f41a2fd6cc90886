/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/python/py_world.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "async/task/task_memory.h"

#define TYPE_SZ 512
#define TYPE_NAME 24
#define TYPE_FLAGS 168
#define TYPE_BASE 256
#define TYPE_BASIC_SZ 32
#define TYPE_WEAK_OFF 208
#define TYPE_DICT_OFF 288
#define HEAP (1U << 9)
#define ASCII_COMPACT 0x60
#define CORO_SZ 512
#define VALUES_AT 256 /* of a coroutine, or of a frame that is an object */
#define DUMMY (~0ULL)

static py_world_fn *hook;
static void *hook_arg;

static void *at(u64 addr)
{
	return (void *)(uintptr_t)addr;
}

static void map_area(void)
{
	static void *area;

	if (!area)
		area = mmap(at(PY_WORLD_AT), PY_WORLD_SZ, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (area == MAP_FAILED)
		abort();
	memset(area, 0, PY_WORLD_SZ);
}

/* Instead of that of src/async. */
void task_memory__read_pieces(struct task_memory *m, struct task_piece *pieces, size_t n)
{
	m->calls++;
	for (size_t i = 0; i < n; i++) {
		struct task_piece *p = &pieces[i];

		if (hook)
			hook(hook_arg, p->addr);
		p->ok = !m->gone && !m->denied && p->addr >= PY_WORLD_AT &&
			p->addr + p->sz <= PY_WORLD_AT + PY_WORLD_SZ;
		if (p->ok)
			memcpy(p->buf, at(p->addr), p->sz);
	}
}

bool task_memory__read(struct task_memory *m, u64 addr, void *buf, size_t sz)
{
	struct task_piece piece = { .addr = addr, .buf = buf, .sz = sz };

	task_memory__read_pieces(m, &piece, 1);
	return piece.ok;
}

void py_world__on_read(py_world_fn *fn, void *arg)
{
	hook = fn;
	hook_arg = arg;
}

u64 py_world__alloc(struct py_world *w, size_t sz)
{
	u64 addr = w->end;

	w->end += (sz + 15) & ~15ULL;
	if (w->end > PY_WORLD_AT + PY_WORLD_SZ)
		abort();
	return addr;
}

void py_world__put(u64 addr, u64 word)
{
	memcpy(at(addr), &word, sizeof(word));
}

u64 py_world__get(u64 addr)
{
	u64 word;

	memcpy(&word, at(addr), sizeof(word));
	return word;
}

static void put_int(u64 addr, u32 value)
{
	memcpy(at(addr), &value, sizeof(value));
}

static void put_byte(u64 addr, int value)
{
	*(signed char *)at(addr) = (signed char)value;
}

u64 py_world__type(struct py_world *w, const char *name, bool heap, u64 base)
{
	u64 type = py_world__alloc(w, TYPE_SZ), text = py_world__alloc(w, 64);

	strcpy(at(text), name);
	py_world__put(type + TYPE_NAME, text);
	py_world__put(type + TYPE_FLAGS, heap ? HEAP : 0);
	py_world__put(type + TYPE_BASE, base);
	py_world__put(type + TYPE_BASIC_SZ, w->off->basic_sz);
	py_world__put(type + TYPE_DICT_OFF, (u64)(s64)w->off->dict_off);
	py_world__put(type + TYPE_WEAK_OFF, (u64)(s64)w->off->weak_off);
	return type;
}

static void take_layout(struct py_world *w)
{
	bool inside = w->minor >= 11, late = w->minor >= 12;

	w->python = (struct cs_python){
		.version = 3U << 8 | w->minor,
		.instr = inside		? CS_PYTHON_INSTR_PTR :
			 w->minor == 10 ? CS_PYTHON_INSTR_UNITS :
					  CS_PYTHON_INSTR_BYTES,
		.frame_code = late ? 0 : 32,
		.frame_instr = inside	      ? 56 :
			       w->minor == 10 ? 96 :
						104,
		.code_ob_type = PY_OB_TYPE,
		.code_file = inside ? 112 : 104,
		.code_name = inside ? 128 : 112,
		.code_line = inside ? 68 : 40,
		.code_lines = inside ? 136 : 120,
		.code_instr = inside ? 192 : 0,
		.str_len = 16,
		.str_state = 32,
		.str_ascii = late ? 40 : 48,
		.str_compact = late ? 56 : 72,
		.bytes_len = 16,
		.bytes_data = 32,
		.code_sz = 144,
	};
}

void py_world__init(struct py_world *w, u32 minor)
{
	static const char *const names[PY_WORLD_TYPES] = {
		[PY_OTHER] = "object",
		[PY_CORO] = "coroutine",
		[PY_WRAPPER] = "coroutine_wrapper",
		[PY_FUTURE] = "_asyncio.Future",
		[PY_GATHERING] = "_GatheringFuture",
		[PY_TASK] = "_asyncio.Task",
		[PY_DICT] = "dict",
		[PY_SET] = "set",
		[PY_WEAKREF] = "weakref",
		[PY_MODULE] = "module",
		[PY_NONE] = "NoneType",
		[PY_WORLD_CODE] = "code",
	};

	map_area();
	hook = NULL;
	*w = (struct py_world){ .minor = minor,
				.end = PY_WORLD_AT,
				.off = py_offsets_of(3U << 8 | minor) };
	if (!w->off)
		abort();
	take_layout(w);
	for (u32 i = 0; i < PY_WORLD_TYPES; i++)
		w->types[i] = py_world__type(w, names[i], i >= PY_FUTURE && i <= PY_TASK,
					     i == PY_GATHERING ? w->types[PY_FUTURE] : 0);
	w->python.code_type = w->types[PY_WORLD_CODE] & 0xfff;
}

u64 py_world__object(struct py_world *w, u64 type, size_t sz)
{
	u64 obj = py_world__alloc(w, sz);

	py_world__put(obj, 1);
	py_world__put(obj + PY_OB_TYPE, type);
	return obj;
}

u64 py_world__str(struct py_world *w, const char *text)
{
	u64 str = py_world__object(w, w->types[PY_OTHER], 64 + strlen(text) + 96);

	py_world__put(str + w->python.str_len, strlen(text));
	put_int(str + w->python.str_state, ASCII_COMPACT | 1 << 2);
	strcpy(at(str + w->python.str_ascii), text);
	return str;
}

u64 py_world__code(struct py_world *w, const char *name, u32 locals)
{
	u64 code = py_world__object(w, w->types[PY_WORLD_CODE], 512);

	py_world__put(code + w->python.code_name, py_world__str(w, name));
	if (w->off->locals_cnt)
		put_int(code + w->off->locals_cnt, locals);
	return code;
}

static u64 frame_of(const struct py_world *w, u64 coro)
{
	return w->minor >= 11 ? coro + w->off->frame : py_world__get(coro + w->off->frame);
}

void py_world__step(struct py_world *w, u64 coro, u32 instr)
{
	u64 frame = frame_of(w, coro);
	u64 code = py_world__get(frame + w->python.frame_code);

	if (w->python.instr == CS_PYTHON_INSTR_PTR)
		py_world__put(frame + w->python.frame_instr,
			      code + w->python.code_instr + 2 * instr);
	else
		put_int(frame + w->python.frame_instr, w->minor == 10 ? instr : 2 * instr);
}

static void put_state(struct py_world *w, u64 coro, u64 frame, enum py_world_coro state)
{
	const int fresh = w->minor >= 13 ? -3 : -2;
	const int bytes[] = { fresh, -1, 0, 1 };

	if (w->minor < 10) {
		put_byte(coro + w->off->running, state == PY_WORLD_RUNS);
		if (state == PY_WORLD_NEW)
			put_int(frame + w->python.frame_instr, ~0U);
	} else if (w->minor == 10) {
		put_byte(frame + 108, bytes[state]);
	} else {
		put_byte(coro + w->off->running, bytes[state]);
	}
	if (state == PY_WORLD_OVER && w->minor < 11)
		py_world__put(coro + w->off->frame, 0);
}

/* One value, above the variables of the frame. */
static void put_top(struct py_world *w, u64 frame, u32 locals, u64 value)
{
	u64 values = frame + VALUES_AT;

	if (w->minor >= 11) {
		put_int(frame + 64, locals + 1);
		py_world__put(frame + 72 + 8ULL * locals, value);
		return;
	}
	py_world__put(frame + 64, values);
	py_world__put(values, value);
	if (w->minor == 10)
		put_int(frame + 80, 1);
	else
		py_world__put(frame + 72, values + 8);
}

u64 py_world__coro(struct py_world *w, u64 code, u32 instr, enum py_world_coro state, u64 awaits)
{
	u64 coro = py_world__object(w, w->types[PY_CORO], CORO_SZ), frame = coro + w->off->frame;

	if (w->minor < 11) {
		frame = py_world__object(w, w->types[PY_OTHER], CORO_SZ);
		py_world__put(coro + w->off->frame, frame);
	}
	py_world__put(frame + w->python.frame_code, code);
	py_world__step(w, coro, instr);
	if (awaits)
		put_top(w, frame,
			w->off->locals_cnt ? (u32)py_world__get(code + w->off->locals_cnt) : 0,
			awaits);
	put_state(w, coro, frame, state);
	return coro;
}

u64 py_world__holder(struct py_world *w, enum py_kind kind, u64 held)
{
	u64 obj = py_world__object(w, w->types[kind], 32);

	py_world__put(obj + PY_HELD, held);
	return obj;
}

u64 py_world__future(struct py_world *w, bool done)
{
	u64 f = py_world__object(w, w->types[PY_FUTURE], PY_TASK_SZ);

	put_int(f + w->off->state, done);
	return f;
}

u64 py_world__task(struct py_world *w, u64 coro, u64 waiter, const char *name)
{
	u64 t = py_world__object(w, w->types[PY_TASK], PY_TASK_SZ);

	py_world__put(t + w->off->coro, coro);
	py_world__put(t + w->off->waiter, waiter);
	py_world__put(t + w->off->name, py_world__str(w, name));
	return t;
}

/* Every third slot that is free is one that was in use. */
u64 py_world__set(struct py_world *w, const u64 *objects, u64 n, u64 len)
{
	u64 set = py_world__object(w, w->types[PY_SET], 208);
	u64 table = py_world__alloc(w, len * 16);

	py_world__put(set + 24, n);
	py_world__put(set + 32, len - 1);
	py_world__put(set + 40, table);
	for (u64 i = 0, slot = 0; i < n; i++, slot = (slot + 5) % len) {
		py_world__put(table + slot * 16, objects[i]);
		py_world__put(table + slot * 16 + 8, i);
	}
	for (u64 slot = 0; slot < len; slot += 3) {
		if (py_world__get(table + slot * 16))
			continue;
		py_world__put(table + slot * 16, w->types[PY_OTHER]);
		py_world__put(table + slot * 16 + 8, DUMMY);
	}
	return set;
}

u64 py_world__dict(struct py_world *w, const char *const *keys, const u64 *values, u64 n,
		   bool split)
{
	bool inside = w->minor >= 11;
	u64 dict = py_world__object(w, w->types[PY_DICT], 64);
	u64 table = py_world__alloc(w, 512), apart = py_world__alloc(w, 256);
	u64 entries = table + 8 + (inside ? 32 : 40), sz = inside ? 16 : 24, key = inside ? 0 : 8;

	py_world__put(dict + 32, table);
	py_world__put(dict + 40, split ? apart : 0);
	if (inside) {
		put_byte(table + 8, 3);
		put_byte(table + 9, 3);
		put_byte(table + 10, 1);
		py_world__put(table + 24, n);
	} else {
		py_world__put(table + 8, 8);
		py_world__put(table + 32, n);
	}
	for (u64 i = 0; i < n; i++) {
		py_world__put(entries + i * sz + key, py_world__str(w, keys[i]));
		py_world__put(split ? apart + (w->minor >= 13 ? 8 : 0) + 8 * i :
				      entries + i * sz + key + 8,
			      values[i]);
	}
	return dict;
}
