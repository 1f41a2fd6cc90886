/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks of asyncio in hostile memory: a piece of our own, at a fixed place, that is what the input
 * says. A word whose upper half is POINTER leads into it, so that sets, tasks and coroutines can be
 * built, also in circles.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "async/py_dict.h"
#include "async/py_reader.h"

#define AREA_AT 0x200000000000ULL
#define AREA_SZ 16384U
#define POINTER 0x50595059U
/* Types are known by their addresses alone, one for each kind, and one of code. */
#define TYPES_AT (AREA_AT + AREA_SZ)
#define IS_TYPE (1U << 31)
#define CODE_KIND (PY_NONE + 1)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static u8 *area(void)
{
	static u8 *at;

	if (!at)
		at = mmap((void *)AREA_AT, AREA_SZ, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (at == MAP_FAILED)
		abort();
	return at;
}

/* Words of the input. */
static void fill(const uint8_t *data, size_t size)
{
	u8 *at = area();

	memset(at, 0, AREA_SZ);
	for (size_t i = 0; i + 8 <= size && i < AREA_SZ; i += 8) {
		u64 w;

		memcpy(&w, data + i, sizeof(w));
		if (w >> 32 == POINTER)
			w = (u32)w & IS_TYPE ? TYPES_AT + 8 * (w % (CODE_KIND + 1)) :
					       AREA_AT + (u32)w % AREA_SZ;
		memcpy(at + i, &w, sizeof(w));
	}
}

static int see(void *arg, const struct task_seen *t)
{
	(void)arg;
	if (t->state >= TASK_STATES || (t->python && t->python->len > CS_STACK_MAX))
		abort();
	return 0;
}

static void read_all(struct py_reader *r, struct py_tasks *t, struct process *p, u8 minor)
{
	static const struct py_offsets *known;
	struct task_memory mem = { .tgid = (u32)getpid() };
	const struct task_pass pass = {
		.one_in = 1 + minor % 5, .random = minor, .depth = 16, .each = see
	};
	u64 len;

	known = py_offsets_of(3U << 8 | (8 + minor % 6));
	t->layout = (struct py_layout){ .off = known, .scheduled = AREA_AT };
	t->layout.eager = minor & 0x80 ? AREA_AT + 48 : 0;
	/* the fields of 3.11, which has them all */
	t->layout.python = (struct cs_python){ .version = known->version,
					       .frame_code = 32,
					       .frame_instr = 56,
					       .code_ob_type = 8,
					       .code_file = 112,
					       .code_name = 128,
					       .code_line = 72,
					       .code_lines = 136,
					       .code_instr = 184,
					       .str_len = 16,
					       .str_state = 32,
					       .str_ascii = 48,
					       .str_compact = 72,
					       .bytes_len = 16,
					       .bytes_data = 32,

					       .code_sz = 144,
					       .code_type = 8 * CODE_KIND };
	t->layout.python.instr = known->frames == PY_FRAMES_INSIDE ? CS_PYTHON_INSTR_PTR :
								     CS_PYTHON_INSTR_BYTES;
	for (u64 kind = PY_OTHER; kind <= PY_NONE; kind++)
		map64__set(&t->types.kinds, TYPES_AT + 8 * kind, kind);
	process__forget(p);
	py_reader__pass(r, t, &mem, p, &pass, &len);
	py_dict__get(&mem, &t->layout.python, AREA_AT + 64, "sys", &len);
	t->layout.modules = AREA_AT + 64;
	py_layout__find(&t->layout, &t->types, &mem, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct py_reader reader;
	static struct memory_window window;
	struct python_codes records;
	struct py_tasks tasks;
	struct process p;

	if (size < 9)
		return 0;
	fill(data + 1, size - 1);
	process__init(&p, (u32)getpid(), NULL, &window);
	if (python_codes__init(&records) || py_tasks__init(&tasks, &records))
		abort();
	py_reader__init(&reader);
	read_all(&reader, &tasks, &p, data[0]);
	py_reader__done(&reader);
	py_tasks__done(&tasks);
	python_codes__done(&records);
	process__done(&p);
	return 0;
}
