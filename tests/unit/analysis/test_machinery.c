/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/label.h"
#include "analysis/name/machinery.h"
#include "lib/lit.h"

#define MODULES                                                                                    \
	"module py elf /usr/bin/python3.11\n"                                                      \
	"module app elf /usr/bin/app\n"                                                            \
	"module code code [python] tgid=1\n"                                                       \
	"task 1/1 a\nwait S blocked=1ms\n"
#define EVAL " u @py 0x1 _PyEval_EvalFrameDefault\n"

#define DEPTH_MAX 32

/* What is left of a stack, leaf first, joined by a space. Names with "inl_" are inlined. */
static void assert_left(const char *stack, const char *expected)
{
	char text[4096], left[1024] = "";
	u32 frames[DEPTH_MAX], len = 0, at, i, n = 0;
	bool hidden[DEPTH_MAX];
	struct machinery m;
	struct profile *p;
	struct labels l;

	snprintf(text, sizeof(text), "%s%s", MODULES, stack);
	p = lit(text);
	for (i = 1; i < p->frames_len; i++) {
		if (strncmp(profile__str(p, p->frames[i].name), "inl_", 4) == 0)
			p->frames[i].flags |= FRAME_INLINED;
	}
	assert_int_equal(labels__init(&l, p, NULL), 0);
	assert_int_equal(machinery__init(&m, p, NULL), 0);
	for (at = p->waits[1].ustack; at; at = p->stacks[at].parent)
		frames[len++] = p->stacks[at].frame;
	memset(hidden, 1, sizeof(hidden));
	n = machinery__mark(&m, frames, len, hidden);
	for (i = 0; i < len; i++) {
		size_t used = strlen(left);

		n -= hidden[i];
		if (!hidden[i])
			snprintf(left + used, sizeof(left) - used, "%s%s", used ? " " : "",
				 labels__frame(&l, frames[i]));
	}
	assert_int_equal(n, 0);
	assert_string_equal(left, expected);
	machinery__done(&m);
	labels__done(&l);
	profile__free(p);
}

static void test_machinery__hides_the_loop_behind_interpreted_frames(void **state)
{
	(void)state;
	assert_left(" u main\n" EVAL " u @code 1 f\n u @code 2 g\n", "g f main");
}

static void test_machinery__keeps_a_loop_without_interpreted_frames(void **state)
{
	(void)state;
	assert_left(" u main\n" EVAL " u @py 2 os_read\n", "os_read _PyEval_EvalFrameDefault main");
	/* the second turn of the loop could not be read */
	assert_left(" u main\n" EVAL " u @code 1 f\n" EVAL " u @py 2 os_read\n",
		    "os_read _PyEval_EvalFrameDefault f main");
}

static void test_machinery__hides_what_passes_calls_between_interpreted_frames(void **state)
{
	(void)state;
	assert_left(EVAL " u @code 1 f\n u @py 2 PyObject_Call\n u @py 3 slot_tp_call\n"
			 " u @py 4 _PyFunction_Vectorcall\n u @py 5 _PyEval_Vector\n" EVAL
			 " u @code 6 g\n",
		    "g f");
}

static void test_machinery__keeps_functions_that_the_program_calls(void **state)
{
	(void)state;
	assert_left(EVAL " u @code 1 f\n u @py 2 cfunction_vectorcall_FASTCALL\n"
			 " u @py 3 builtin_sorted\n u @py 2 cfunction_vectorcall_O\n"
			 " u @py 4 list_sort\n"
			 " u @py 5 PyObject_CallOneArg\n" EVAL " u @code 6 key\n",
		    "key list_sort builtin_sorted f");
}

static void test_machinery__keeps_glue_that_touches_no_interpreted_frame(void **state)
{
	(void)state;
	assert_left(" u @py 9 PyObject_Call\n u @py 8 thread_run\n" EVAL
		    " u @code 1 f\n u @py 2 partial_call\n u @py 3 PyObject_Call\n"
		    " u @py 4 os_read\n",
		    "os_read PyObject_Call partial_call f thread_run PyObject_Call");
}

static void test_machinery__hides_glue_at_both_ends(void **state)
{
	(void)state;
	assert_left(" u main\n u @py 9 run_mod\n u @py 2 PyEval_EvalCode\n" EVAL
		    " u @code 3 f\n u @py 4 PyObject_Vectorcall\n u @py 5 time_sleep\n",
		    "time_sleep f main");
}

static void test_machinery__ignores_what_compilers_add_to_names(void **state)
{
	(void)state;
	assert_left(" u main\n u @py 9 _PyEval_Vector.constprop.0\n"
		    " u @py 1 _PyEval_EvalFrameDefault.cold\n u @code 2 f\n",
		    "f main");
}

static void test_machinery__takes_an_unnamed_frame_for_the_loop(void **state)
{
	(void)state;
	assert_left(" u main\n u @py 0x77 !no_symbol\n u @code 1 f\n u @py 0x88 !no_symbol\n",
		    "[python3.11+0x88] f main");
}

static void test_machinery__counts_a_name_only_in_the_file_with_the_loop(void **state)
{
	(void)state;
	assert_left(EVAL " u @code 1 f\n u @app 2 call_function\n u @code 3 g\n"
			 " u @app 4 type_call\n",
		    "type_call g call_function f");
}

static void test_machinery__needs_whole_names(void **state)
{
	(void)state;
	assert_left(EVAL " u @code 1 f\n u @py 2 run_modern\n u @py 3 gen_send\n",
		    "gen_send run_modern f");
}

static void test_machinery__hides_inlined_functions_with_what_they_are_part_of(void **state)
{
	(void)state;
	assert_left(" u main\n u inl_of_main\n u @py 9 _PyEval_Vector\n u @py 8 inl_eval\n" EVAL
		    " u @py 7 inl_a\n u @py 6 inl_b\n u @code 1 f\n"
		    " u @py 5 PyObject_Vectorcall\n u @py 4 inl_c\n u @py 3 time_sleep\n"
		    " u @py 2 inl_d\n",
		    "inl_d time_sleep f inl_of_main main");
}

static void test_machinery__leaves_native_programs_alone(void **state)
{
	struct profile *p = lit("task 1/1 a\nwait S blocked=1ms\n u _PyEval_EvalFrameDefault\n"
				" u _PyEval_Vector\n");
	u32 frames[2] = { 1, 2 };
	bool hidden[2] = { true, true };
	struct machinery m;

	(void)state;
	assert_int_equal(machinery__init(&m, p, NULL), 0);
	assert_null(m.of_frame);
	assert_int_equal(machinery__mark(&m, frames, 2, hidden), 0);
	assert_false(hidden[0] || hidden[1]);
	machinery__done(&m);
	profile__free(p);
}

static void test_machinery__never_hides_truncated_and_kernel_frames(void **state)
{
	(void)state;
	assert_left(" utrunc no_cfi @py\n u @code 1 f\n", "f [truncated: no CFI in python3.11]");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_machinery__hides_the_loop_behind_interpreted_frames),
		cmocka_unit_test(test_machinery__keeps_a_loop_without_interpreted_frames),
		cmocka_unit_test(
			test_machinery__hides_what_passes_calls_between_interpreted_frames),
		cmocka_unit_test(test_machinery__keeps_functions_that_the_program_calls),
		cmocka_unit_test(test_machinery__keeps_glue_that_touches_no_interpreted_frame),
		cmocka_unit_test(test_machinery__hides_glue_at_both_ends),
		cmocka_unit_test(test_machinery__ignores_what_compilers_add_to_names),
		cmocka_unit_test(test_machinery__takes_an_unnamed_frame_for_the_loop),
		cmocka_unit_test(test_machinery__counts_a_name_only_in_the_file_with_the_loop),
		cmocka_unit_test(test_machinery__needs_whole_names),
		cmocka_unit_test(
			test_machinery__hides_inlined_functions_with_what_they_are_part_of),
		cmocka_unit_test(test_machinery__leaves_native_programs_alone),
		cmocka_unit_test(test_machinery__never_hides_truncated_and_kernel_frames),
	};

	return cmocka_run_group_tests_name("machinery", tests, NULL, NULL);
}
