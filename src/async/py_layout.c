/* SPDX-License-Identifier: Apache-2.0 */
/*
 * _PyRuntime > interpreter > sys.modules > asyncio.tasks > _all_tasks or _scheduled_tasks. The
 * first two steps differ even between releases of a version, so sys.modules is searched for: it is
 * the dict in the state of an interpreter that has "sys" and "builtins".
 */
#include "async/py_layout.h"

#include <elf.h>
#include <errno.h>

#include "async/py_dict.h"
#include "capture/runtime/python_module.h"
#include "elf/image.h"
#include "elf/lookup.h"

#define VERSION(minor) (3U << 8 | (minor))
/* Where the pointers may be. */
#define RUNTIME_SZ 1024
#define INTERPRETER_SZ 8192
#define BATCH TASK_MEMORY_PIECES
/* An instance without slots, to 3.10; how far its values are before it, from 3.11 on. */
#define INSTANCE_DICT 16
#define BEFORE_VALUES_311 32
#define BEFORE_DICT 24
#define INLINE_VALUES_313 24 /* behind its head of 16 bytes, and that of the values */
/* PyTypeObject. */
#define TYPE_BASIC_SZ 32
#define TYPE_WEAK_OFF 208
#define TYPE_DICT_OFF 288
#define TYPE_SZ 296

static const struct py_offsets offsets[] = {
	{ VERSION(8), PY_FRAMES_POINTERS, .state = 72, .waiter = 104, .coro = 112, .name = 120,
	  .basic_sz = 144, .dict_off = 88, .weak_off = 96, .frame = 16, .running = 24 },
	{ VERSION(9), PY_FRAMES_POINTERS, .state = 80, .waiter = 144, .coro = 152, .name = 160,
	  .basic_sz = 184, .dict_off = 96, .weak_off = 104, .frame = 16, .running = 24 },
	{ VERSION(10), PY_FRAMES_DEPTH, .state = 88, .waiter = 152, .coro = 160, .name = 168,
	  .basic_sz = 192, .dict_off = 104, .weak_off = 112, .frame = 16 },
	{ VERSION(11), PY_FRAMES_INSIDE, .state = 88, .waiter = 128, .coro = 136, .name = 144,
	  .basic_sz = 176, .dict_off = 104, .weak_off = 112, .frame = 80, .running = 75,
	  .locals_cnt = 76 },
	{ VERSION(12), PY_FRAMES_INSIDE, .state = 88, .waiter = 128, .coro = 136, .name = 144,
	  .basic_sz = 176, .dict_off = 104, .weak_off = 112, .frame = 72, .running = 67,
	  .locals_cnt = 72 },
	{ VERSION(13), PY_FRAMES_INSIDE, .state = 96, .waiter = 112, .coro = 120, .name = 128,
	  .basic_sz = 144, .dict_off = -1, .weak_off = -32, .frame = 72, .running = 67,
	  .locals_cnt = 72 },
};

struct symbols {
	u64 runtime;
	u64 dict_type;
};

const struct py_offsets *py_offsets_of(u32 version)
{
	for (size_t i = 0; i < ARRAY_LEN(offsets); i++) {
		if (offsets[i].version == version)
			return &offsets[i];
	}
	return NULL;
}

static bool take_symbol(void *arg, const char *name, u64 vaddr, u64 sz)
{
	struct symbols *s = arg;

	(void)sz;
	if (strcmp(name, "_PyRuntime") == 0)
		s->runtime = vaddr;
	else if (strcmp(name, "PyDict_Type") == 0)
		s->dict_type = vaddr;
	return true;
}

/* Since 3.13 the file itself says where fields are, and it may say anything. */
static bool is_sound(const struct cs_python *p)
{
	return p->code_ob_type == PY_OB_TYPE && p->frame_code + sizeof(u64) <= PY_FRAME_FIELDS_SZ &&
	       (p->version < VERSION(11) || p->frame_instr + sizeof(u64) <= PY_FRAME_FIELDS_SZ) &&
	       p->str_len + sizeof(u64) <= PY_STRING_HEAD_MAX &&
	       p->str_state + sizeof(u64) <= PY_STRING_HEAD_MAX &&
	       p->str_ascii <= PY_STRING_HEAD_MAX;
}

/* Where the file lies in memory, and its symbols there. */
static int place(struct py_layout *l, const struct image *img, const struct map_range *range,
		 struct err *err)
{
	struct symbols s = { 0 };
	u64 vaddr;

	lookup_symbols(img, LOOKUP_DYNSYM, take_symbol, &s);
	if (!s.runtime || !s.dict_type)
		lookup_symbols(img, LOOKUP_SYMTAB, take_symbol, &s);
	if (img->machine != EM_X86_64 || !s.runtime || !s.dict_type ||
	    !image__vaddr_of_offset(img, range->off, &vaddr))
		return err__set(err, -ENOTSUP,
				"its Python has no symbol _PyRuntime: its tasks cannot be found");
	l->runtime = s.runtime + range->start - vaddr;
	l->dict_type = s.dict_type + range->start - vaddr;
	return 0;
}

int py_layout__open(struct py_layout *l, int fd, const struct map_range *range, struct err *err)
{
	struct image *img;
	int r;

	*l = (struct py_layout){ 0 };
	r = python_module__read(fd, range->path, &l->python, err);
	if (r == -ENOTSUP)
		return err__wrap(err, r, "its asyncio cannot be read");
	if (r)
		return r;
	l->off = py_offsets_of(l->python.version);
	if (!l->off)
		return err__set(err, -ENOTSUP, "asyncio of Python %u.%u cannot be read",
				l->python.version >> 8, l->python.version & 0xff);
	if (!is_sound(&l->python))
		return err__set(err, -ENOTSUP,
				"asyncio of a Python without the global lock cannot be read");
	r = image__open(fd, range->path, &img, err);
	if (r)
		return r;
	r = place(l, img, range, err);
	image__free(img);
	return r;
}

static bool is_modules(const struct py_layout *l, struct py_types *types, struct task_memory *mem,
		       u64 dict)
{
	u64 sys, builtins;

	return py_dict__get(mem, &l->python, dict, "sys", &sys) &&
	       py_types__kind_of(types, mem, sys) == PY_MODULE &&
	       py_dict__get(mem, &l->python, dict, "builtins", &builtins) &&
	       py_types__kind_of(types, mem, builtins) == PY_MODULE;
}

/* Those of `n` words that may be addresses of a dict: their types, 0 where they are not. */
static void read_types(struct task_memory *mem, const u64 *words, size_t n, u64 *ret)
{
	struct task_piece pieces[BATCH];
	size_t of[BATCH], len = 0;

	for (size_t i = 0; i < n; i++) {
		ret[i] = 0;
		if (!py_plausible(words[i]))
			continue;
		of[len] = i;
		pieces[len++] =
			(struct task_piece){ words[i] + PY_OB_TYPE, &ret[i], sizeof(*ret), false };
	}
	task_memory__read_pieces(mem, pieces, len);
	for (size_t i = 0; i < len; i++)
		ret[of[i]] = pieces[i].ok ? ret[of[i]] : 0;
}

/* sys.modules in the state of an interpreter. */
static bool find_modules_in(struct py_layout *l, struct py_types *types, struct task_memory *mem,
			    u64 interpreter)
{
	u64 words[INTERPRETER_SZ / sizeof(u64)], type[BATCH];

	if (!task_memory__read(mem, interpreter, words, sizeof(words)))
		return false;
	for (size_t first = 0; first < ARRAY_LEN(words); first += BATCH) {
		read_types(mem, words + first, BATCH, type);
		for (size_t i = 0; i < BATCH; i++) {
			if (type[i] != l->dict_type || !is_modules(l, types, mem, words[first + i]))
				continue;
			l->modules = words[first + i];
			return true;
		}
	}
	return false;
}

static bool find_modules(struct py_layout *l, struct py_types *types, struct task_memory *mem)
{
	u64 words[RUNTIME_SZ / sizeof(u64)];

	if (l->modules)
		return true;
	if (!task_memory__read(mem, l->runtime, words, sizeof(words)))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		bool again = false;

		for (size_t j = 0; j < i && !again; j++)
			again = words[j] == words[i];
		if (!again && py_plausible(words[i]) && find_modules_in(l, types, mem, words[i]))
			return true;
	}
	return false;
}

/* The dict of a module that is imported; 0: it is not. */
static u64 dict_of_module(const struct py_layout *l, struct py_types *types,
			  struct task_memory *mem, const char *name)
{
	u64 module, dict;

	if (!py_dict__get(mem, &l->python, l->modules, name, &module) ||
	    py_types__kind_of(types, mem, module) != PY_MODULE ||
	    !task_memory__read(mem, module + PY_HELD, &dict, sizeof(dict)) ||
	    py_types__kind_of(types, mem, dict) != PY_DICT)
		return 0;
	return dict;
}

/* The first attribute of an instance that has no dict; 0: it has one. */
static u64 first_value(const struct py_layout *l, struct task_memory *mem, u64 obj)
{
	u64 at, value = 0;

	switch (l->off->version) {
	case VERSION(11):
		if (!task_memory__read(mem, obj - BEFORE_VALUES_311, &at, sizeof(at)) || !at)
			return 0;
		break;
	case VERSION(12): /* the lowest bit tells it from a dict */
		if (!task_memory__read(mem, obj - BEFORE_DICT, &at, sizeof(at)) || !(at & 1))
			return 0;
		at++;
		break;
	case VERSION(13):
		if (!task_memory__read(mem, obj - BEFORE_DICT, &at, sizeof(at)) || at)
			return 0;
		at = obj + INLINE_VALUES_313;
		break;
	default:
		return 0;
	}
	return task_memory__read(mem, at, &value, sizeof(value)) ? value : 0;
}

/* The set in a WeakSet: `data`, which is also the first attribute that it gets. */
static u64 set_of_weak_set(const struct py_layout *l, struct py_types *types,
			   struct task_memory *mem, u64 obj)
{
	u64 dict, set = first_value(l, mem, obj);
	u64 at = l->off->frames == PY_FRAMES_INSIDE ? obj - BEFORE_DICT : obj + INSTANCE_DICT;

	if (!set && (!task_memory__read(mem, at, &dict, sizeof(dict)) ||
		     py_types__kind_of(types, mem, dict) != PY_DICT ||
		     !py_dict__get(mem, &l->python, dict, "data", &set)))
		return 0;
	return py_types__kind_of(types, mem, set) == PY_SET ? set : 0;
}

/* The offsets are right if this type is as that on which they were found. */
static bool is_known_type(const struct py_layout *l, struct task_memory *mem, u64 type)
{
	u8 t[TYPE_SZ];

	return task_memory__read(mem, type, t, sizeof(t)) &&
	       py_word(t, TYPE_BASIC_SZ) == l->off->basic_sz &&
	       (s64)py_word(t, TYPE_DICT_OFF) == l->off->dict_off &&
	       (s64)py_word(t, TYPE_WEAK_OFF) == l->off->weak_off;
}

/* The module is whole when it has the last of the names that it takes from its C part. */
static int find_sets(struct py_layout *l, struct py_types *types, struct task_memory *mem, u64 dict,
		     struct err *err)
{
	bool two = l->off->version >= VERSION(12);
	u64 c_part, task, weak, eager = 0;

	if (!py_dict__get(mem, &l->python, dict, "_c_register_task", &c_part) ||
	    !py_dict__get(mem, &l->python, dict, "Task", &task) ||
	    !py_dict__get(mem, &l->python, dict, two ? "_scheduled_tasks" : "_all_tasks", &weak))
		return err__set(err, -EAGAIN, "its asyncio runs without the C module _asyncio");
	if (two && (!py_dict__get(mem, &l->python, dict, "_eager_tasks", &eager) ||
		    py_types__kind_of(types, mem, eager) != PY_SET))
		eager = 0;
	if (py_type__own_kind(mem, task) != PY_TASK || !is_known_type(l, mem, task) ||
	    (two && !eager))
		return err__set(err, -ENOTSUP,
				"its asyncio does not look as that of Python 3.%u should",
				l->off->version & 0xff);
	l->eager = eager;
	if (!py_dict__get(mem, &l->python, dict, "_current_tasks", &l->current) ||
	    py_types__kind_of(types, mem, l->current) != PY_DICT)
		l->current = 0;
	l->scheduled = set_of_weak_set(l, types, mem, weak);
	return l->scheduled ? 0 :
			      err__set(err, -ENOTSUP, "the tasks of its asyncio were not found");
}

int py_layout__find(struct py_layout *l, struct py_types *types, struct task_memory *mem,
		    struct err *err)
{
	u64 dict;

	if (!find_modules(l, types, mem))
		return err__set(err, mem->denied ? -EACCES : -EAGAIN, "its Python has not started");
	dict = dict_of_module(l, types, mem, "asyncio.tasks");
	return dict ? find_sets(l, types, mem, dict, err) :
		      err__set(err, -EAGAIN, "it has not imported asyncio");
}
