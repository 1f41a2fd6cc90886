/* SPDX-License-Identifier: Apache-2.0 */
/* The process that is read is the test itself, with objects laid out as the tests say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "abi/stack.h"
#include "base/mem.h"
#include "visit/python_code.h"
#include "visit/python_frames.h"
#include "visit/python_thread.h"

#define IN_LOOP 0x120 /* offsets in the file of the interpreter */
#define ELSEWHERE 0x400

struct string {
	u64 len;
	u32 state;
	char text[36];
};

struct bytes {
	u64 len;
	char data[8];
};

struct code {
	u64 type;
	const struct string *file, *name;
	const struct bytes *lines;
	s32 line;
	u32 pad;
	u16 instructions[8];
};

struct frame {
	const struct frame *back;
	const struct code *code;
	const u16 *at;
	u8 owner; /* or: is it the first of its loop? */
	u8 pad[7];
};

struct state {
	u64 self;
	const struct frame *frame;
};

#define STRING(s)                                                                                  \
	{                                                                                          \
		.len = sizeof(s) - 1, .state = 1 << 2 | 0x20 | 0x40, .text = s                     \
	}

static const struct string file = STRING("/srv/app.py"), outer = STRING("outer"),
			   inner = STRING("inner"), leaf = STRING("leaf");
static const struct bytes lines = { 2, { 6, 1 } };
static struct code codes[] = {
	{ 0x7f0000000abc, &file, &outer, &lines, 10, 0, { 0 } },
	{ 0x7f0000000abc, &file, &inner, &lines, 20, 0, { 0 } },
	{ 0x7f0000000abc, &file, &leaf, &lines, 30, 0, { 0 } },
};

static const struct cs_python layout = {
	.version = 0x30b,
	.ranges = 1,
	.eval = { { 0x100, 0x200 } },
	.code_type = 0xabc,
	.entry = CS_PYTHON_ENTRY_MARK,
	.instr = CS_PYTHON_INSTR_PTR,
	.thread_id = offsetof(struct state, self),
	.thread_frame = offsetof(struct state, frame),
	.cframe_frame = CS_PYTHON_NO_OFF,
	.frame_back = offsetof(struct frame, back),
	.frame_code = offsetof(struct frame, code),
	.frame_instr = offsetof(struct frame, at),
	.frame_entry = offsetof(struct frame, owner),
	.code_ob_type = offsetof(struct code, type),
	.code_file = offsetof(struct code, file),
	.code_name = offsetof(struct code, name),
	.code_line = offsetof(struct code, line),
	.code_lines = offsetof(struct code, lines),
	.code_instr = offsetof(struct code, instructions),
	.str_len = offsetof(struct string, len),
	.str_state = offsetof(struct string, state),
	.str_ascii = offsetof(struct string, text),
	.bytes_len = offsetof(struct bytes, len),
	.bytes_data = offsetof(struct bytes, data),
	.thread_sz = sizeof(struct state),
	.frame_sz = sizeof(struct frame),
	.code_sz = offsetof(struct code, instructions),
};

struct world {
	struct code_files files;
	struct memory_window window;
	struct process p;
	struct python_reader reader;
	struct host_stack stack;
	struct cs_python layout;
	struct state state;
	pthread_key_t key;
};

static int set_up(void **state)
{
	struct world *w = mem_alloc(sizeof(*w));
	struct code_file *f;

	assert_non_null(w);
	assert_int_equal(code_files__init(&w->files), 0);
	assert_int_equal(python_reader__init(&w->reader), 0);
	f = vec__push(&w->files.files);
	assert_non_null(f);
	*f = (struct code_file){ .fd = -1 };
	f->python = mem_alloc(sizeof(layout));
	assert_non_null(f->python);
	*f->python = layout;
	process__init(&w->p, (u32)getpid(), &w->files, &w->window);
	w->p.image = 7;
	w->state.self = (u64)pthread_self();
	assert_int_equal(pthread_key_create(&w->key, NULL), 0);
	assert_int_equal(pthread_setspecific(w->key, &w->state), 0);
	*state = w;
	return 0;
}

static int tear_down(void **state)
{
	struct world *w = *state;

	pthread_key_delete(w->key);
	process__done(&w->p);
	python_reader__done(&w->reader);
	code_files__done(&w->files);
	mem_free(w);
	return 0;
}

/* The native stack: IN_LOOP is a frame of the interpreter loop. Leaf first. */
static void native(struct world *w, const u64 *offs, u32 len)
{
	w->stack = (struct host_stack){ .len = len };
	for (u32 i = 0; i < len; i++)
		w->stack.frame[i] = (struct host_frame){ .off = offs[i],
							 .id = CODE_FILE_VDSO + 1,
							 .found = true,
							 .is_file = true,
							 .exact = !i };
}

static void read_stack(struct world *w)
{
	assert_int_equal(python_reader__read(&w->reader, &w->p, (u32)gettid(), &w->stack), 0);
}

static u64 number_of(struct world *w, const struct code *c)
{
	struct python_code_object o;

	assert_true(python_code_object__read(&o, &w->p, (u64)(uintptr_t)c, &layout));
	return python_code_object__number(&o, &layout);
}

static void assert_frame(struct world *w, u32 idx, u32 loop, const struct code *c, u32 instr)
{
	const struct python_frame *f = &w->reader.frames.frame[idx];

	assert_true(idx < w->reader.frames.len);
	assert_int_equal(f->loop, loop);
	assert_int_equal(f->instr, instr);
	assert_true(f->code == number_of(w, c));
}

#define NATIVE(w, ...)                                                                             \
	native(w, (const u64[]){ __VA_ARGS__ }, sizeof((const u64[]){ __VA_ARGS__ }) / sizeof(u64))

static void test_python_reader__read_divides_frames_among_loops(void **state)
{
	struct world *w = *state;
	const struct frame a = { NULL, &codes[0], codes[0].instructions + 1, 1, { 0 } };
	const struct frame b = { &a, &codes[1], codes[1].instructions, 1, { 0 } };
	const struct frame c = { &b, &codes[2], codes[2].instructions + 5, 0, { 0 } };

	w->state.frame = &c;
	NATIVE(w, ELSEWHERE, IN_LOOP, ELSEWHERE, IN_LOOP, ELSEWHERE);
	read_stack(w);
	assert_int_equal(w->reader.frames.len, 3);
	assert_frame(w, 0, 1, &codes[2], 5);
	assert_frame(w, 1, 1, &codes[1], 0);
	assert_frame(w, 2, 3, &codes[0], 1);
	assert_int_equal(w->reader.unread, 0);
}

static void test_python_reader__read_stops_at_a_shim(void **state)
{
	struct world *w = *state;
	const struct frame a = { NULL, &codes[0], codes[0].instructions, 0, { 0 } };
	const struct frame shim = { &a, NULL, NULL, 3, { 0 } };
	const struct frame b = { &shim, &codes[1], codes[1].instructions, 0, { 0 } };

	code_files__at(&w->files, CODE_FILE_VDSO + 1)->python->entry = CS_PYTHON_ENTRY_SHIM;
	w->state.frame = &b;
	NATIVE(w, IN_LOOP, ELSEWHERE, IN_LOOP);
	read_stack(w);
	assert_int_equal(w->reader.frames.len, 2);
	assert_frame(w, 0, 0, &codes[1], 0);
	assert_frame(w, 1, 2, &codes[0], 0);
}

static void test_python_reader__read_takes_nothing_of_another_type(void **state)
{
	struct world *w = *state;
	const struct code no_code = { 0x7f0000000def, &file, &leaf, &lines, 1, 0, { 0 } };
	const struct frame a = { NULL, &no_code, no_code.instructions, 1, { 0 } };
	const struct frame b = { &a, &codes[1], codes[1].instructions, 1, { 0 } };

	w->state.frame = &b;
	NATIVE(w, IN_LOOP, ELSEWHERE, IN_LOOP);
	read_stack(w);
	assert_int_equal(w->reader.frames.len, 1);
	assert_int_equal(w->reader.unread, 1);
}

static void test_python_reader__read_counts_a_thread_without_a_state(void **state)
{
	struct world *w = *state;

	w->state.self = 1; /* another thread's */
	NATIVE(w, ELSEWHERE, IN_LOOP);
	read_stack(w);
	assert_int_equal(w->reader.frames.len, 0);
	assert_int_equal(w->reader.unread, 1);
	/* without a loop there is nothing to look for */
	NATIVE(w, ELSEWHERE, ELSEWHERE);
	read_stack(w);
	assert_int_equal(w->reader.unread, 1);
}

static void test_python_reader__read_cuts_what_is_too_deep(void **state)
{
	struct world *w = *state;
	struct frame again = { NULL, &codes[0], codes[0].instructions, 0, { 0 } };

	again.back = &again;
	w->state.frame = &again;
	NATIVE(w, ELSEWHERE, IN_LOOP, ELSEWHERE);
	read_stack(w);
	assert_int_equal(w->stack.len, 2);
	assert_int_equal(w->stack.end, CS_END_DEPTH);
	assert_int_equal(w->reader.frames.len + w->stack.len, CS_STACK_MAX);
	assert_int_equal(w->reader.unread, 0);
}

static int take(void *arg, const struct interpreted_code *code)
{
	u32 *n = arg;

	assert_int_equal(code->image, 7);
	assert_int_equal(code->version, 0x30b);
	assert_string_equal(code->file, "/srv/app.py");
	assert_string_equal(code->name, *n ? "outer" : "inner");
	assert_int_equal(code->first_line, *n ? 10 : 20);
	assert_int_equal(view__left(&code->lines), 2);
	++*n;
	return 0;
}

static void test_python_reader__read_keeps_names_once(void **state)
{
	struct world *w = *state;
	const struct frame a = { NULL, &codes[0], codes[0].instructions, 1, { 0 } };
	const struct frame b = { &a, &codes[1], codes[1].instructions, 0, { 0 } };
	u32 n = 0;

	w->state.frame = &b;
	for (int i = 0; i < 2; i++) {
		NATIVE(w, IN_LOOP);
		read_stack(w);
	}
	assert_int_equal(python_codes__give(&w->reader.codes, take, &n), 0);
	assert_int_equal(n, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_python_reader__read_divides_frames_among_loops),
		TEST(test_python_reader__read_stops_at_a_shim),
		TEST(test_python_reader__read_takes_nothing_of_another_type),
		TEST(test_python_reader__read_counts_a_thread_without_a_state),
		TEST(test_python_reader__read_cuts_what_is_too_deep),
		TEST(test_python_reader__read_keeps_names_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
