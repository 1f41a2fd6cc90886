/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/rendered.h"
#include "render/formats.h"

#define MODULES "module libc elf /usr/lib/libc.so.6\nmodule k kernel [kernel]\n"
#define WAIT                                                                                       \
	"task 18380/18383 w-sleep\nwait S blocked=1802520us\n"                                     \
	" u @libc 0x100 +0x10 t_sleep\n u @libc 0xcf545 +0x65 clock_nanosleep\n"                   \
	" k @k 0xffffffff81000124 +0x124 entry\n k @k 0xffffffff82000005 +0x5 do_nanosleep\n"

static void test_txt__is_bccs_block(void **state)
{
	(void)state;
	assert_rendered(MODULES WAIT, &render_txt, (struct render_options){ 0 },
			"    do_nanosleep\n    entry\n    clock_nanosleep\n    t_sleep\n"
			"    -                w-sleep (18383)\n        1802520\n\n");
}

static void test_txt__puts_the_delimiter_between_both_sides(void **state)
{
	(void)state;
	assert_rendered(MODULES WAIT, &render_txt, (struct render_options){ .delimiter = true },
			"    do_nanosleep\n    entry\n    --\n    clock_nanosleep\n    t_sleep\n"
			"    -                w-sleep (18383)\n        1802520\n\n");
	assert_rendered(MODULES WAIT, &render_txt,
			(struct render_options){ .delimiter = true, .sides = SIDE_KERNEL },
			"    do_nanosleep\n    entry\n"
			"    -                w-sleep (18383)\n        1802520\n\n");
}

static void test_txt__shows_offsets(void **state)
{
	(void)state;
	assert_rendered(
		MODULES WAIT, &render_txt, (struct render_options){ .offsets = true },
		"    do_nanosleep+0x5\n    entry+0x124\n    clock_nanosleep+0x65\n"
		"    t_sleep+0x10\n    -                w-sleep (18383)\n        1802520\n\n");
}

static void test_txt__verbose_is_that_of_libbpf_tools(void **state)
{
	(void)state;
	assert_rendered(
		MODULES WAIT, &render_txt, (struct render_options){ .verbose = true },
		"    #0  0xffffffff82000005 do_nanosleep+0x5\n"
		"    #1  0xffffffff81000124 entry+0x124\n"
		"    #2  0x00000000000cf545 clock_nanosleep+0x65 (/usr/lib/libc.so.6+0xcf545)\n"
		"    #3  0x0000000000000100 t_sleep+0x10 (/usr/lib/libc.so.6+0x100)\n"
		"    -                w-sleep (18383)\n        1802520\n\n");
}

#define PYTHON                                                                                     \
	"module py elf /usr/bin/python3\nmodule code code [python] tgid=1\n"                       \
	"task 1/1 c\nwait S blocked=5us\n utrunc no_cfi @py\n"                                     \
	" u @py 0x10 +0x7 _PyEval_EvalFrameDefault\n u @code 0x4000000100000001 a.py:f:1\n"        \
	" k @k 0xffffffff81000124 +0x124 entry\n"

static void test_txt__shows_the_interpreter_on_request(void **state)
{
	(void)state;
	assert_rendered(MODULES PYTHON, &render_txt, (struct render_options){ 0 },
			"    entry\n    a.py:f:1\n    [truncated: no CFI in python3]\n"
			"    -                c (1)\n        5\n\n");
	assert_rendered(MODULES PYTHON, &render_txt, (struct render_options){ .interpreter = true },
			"    entry\n    a.py:f:1\n    _PyEval_EvalFrameDefault\n"
			"    [truncated: no CFI in python3]\n"
			"    -                c (1)\n        5\n\n");
}

static void test_txt__shows_no_place_if_there_is_none(void **state)
{
	(void)state;
	assert_rendered(MODULES PYTHON, &render_txt, (struct render_options){ .offsets = true },
			"    entry+0x124\n    a.py:f:1\n    [truncated: no CFI in python3]\n"
			"    -                c (1)\n        5\n\n");
	assert_rendered(MODULES PYTHON, &render_txt, (struct render_options){ .verbose = true },
			"    #0  0xffffffff81000124 entry+0x124\n"
			"    #1  0x0000000000000000 a.py:f:1\n"
			"    #2  0x0000000000000000 [truncated: no CFI in python3]\n"
			"    -                c (1)\n        5\n\n");
}

static void test_txt__leaves_truncated_frames_out_for_bcc(void **state)
{
	(void)state;
	assert_rendered(MODULES PYTHON, &render_txt,
			(struct render_options){ .no_truncated = true },
			"    entry\n    a.py:f:1\n    -                c (1)\n        5\n\n");
}

static void test_txt__prints_the_header_and_an_empty_line(void **state)
{
	(void)state;
	assert_rendered("", &render_txt, (struct render_options){ .header = "Tracing" },
			"Tracing\n\n");
	assert_rendered("", &render_txt, (struct render_options){ 0 }, "");
}

static void test_txt__reports_losses(void **state)
{
	(void)state;
	assert_rendered("task 1/1 c\nwait S blocked=1us\n", &render_txt,
			(struct render_options){ .offsets = true },
			"    [Missed Kernel Stack]\n    [Missed User Stack]\n"
			"    -                c (1)\n        1\n\n");
	assert_rendered("task 1/1 c S=1us\n", &render_txt, (struct render_options){ 0 },
			"    [lost]\n    -                c (1)\n        1\n\n");
	assert_rendered("task 1/1 c\nwait S blocked=1us\n u @- 0x1 !no_mapping\n", &render_txt,
			(struct render_options){ .offsets = true, .sides = SIDE_USER },
			"    [unknown]\n    -                c (1)\n        1\n\n");
}

static void test_txt__of_samples_says_how_sure_it_is(void **state)
{
	(void)state;
	assert_rendered(
		"period 1ms\nwindow 1s\nncpu 2\nswitches_seen 100\nwaits_chosen 22\n"
		"task 1/1 a S=23ms\n"
		"wait S blocked=1ms\n u exact\n"
		"wait S blocked=3ms count=40 samples=3 var=2560000\n u few\n"
		"wait S blocked=18ms count=90 samples=18 var=12250000\n u many\n",
		&render_txt, (struct render_options){ .sides = SIDE_USER },
		"100 switches seen, 22 waits chosen (one per 1.00 ms waited); cost: own "
		"CPU time 0 ns, in the kernel not measured\n\n"
		"    exact\n    -                a (1)\n        1000\n\n"
		"    few\n    -                a (1)\n        3000 ±1600 (only 3 samples)\n\n"
		"    many\n    -                a (1)\n        18000 ±3500\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_txt__is_bccs_block),
		cmocka_unit_test(test_txt__puts_the_delimiter_between_both_sides),
		cmocka_unit_test(test_txt__shows_offsets),
		cmocka_unit_test(test_txt__verbose_is_that_of_libbpf_tools),
		cmocka_unit_test(test_txt__shows_the_interpreter_on_request),
		cmocka_unit_test(test_txt__shows_no_place_if_there_is_none),
		cmocka_unit_test(test_txt__leaves_truncated_frames_out_for_bcc),
		cmocka_unit_test(test_txt__prints_the_header_and_an_empty_line),
		cmocka_unit_test(test_txt__reports_losses),
		cmocka_unit_test(test_txt__of_samples_says_how_sure_it_is),
	};

	return cmocka_run_group_tests_name("txt", tests, NULL, NULL);
}
