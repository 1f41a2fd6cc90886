/* SPDX-License-Identifier: Apache-2.0 */
/* What is a row or a word of its own on the summary's screen, and what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/lit.h"
#include "lib/rendered.h"
#include "render/formats.h"

static char *summary(const char *literal, struct render_options opt)
{
	struct profile *p = lit(literal);
	char *text = rendered(p, &render_summary, opt);

	profile__free(p);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

/* What says something is a row of its own; numbers of one process are neither row nor text. */
static void test_summary__has_one_row_for_an_object(void **state)
{
	char *text =
		summary("arch x86_64\ntask 1/1 app\n"
			"wait S blocked=4s sys=futex\n"
			" object futex futex=lock addr=0x7f10 tgid=1\n u take\n"
			"wait S blocked=3s sys=futex\n"
			" object futex futex=lock addr=0x7f20 tgid=1\n u take\n"
			"wait D blocked=2s sys=fsync\n object file name=/a ino=1 dev=1\n u flush\n"
			"wait D blocked=1s sys=fsync\n object file name=/b ino=2 dev=1\n u flush\n",
			(struct render_options){ .width = 100 });

	(void)state;
	assert_has(text, "\n   7.00 s  70.0%         2");
	assert_has(text, "\n   1  app: take\n   2.00 s");
	assert_has(text, "\n   2  app: flush\n      for file /a\n");
	assert_has(text, "\n   3  app: flush\n      for file /b\n");
	assert_null(strstr(text, "\n   4  "));
	mem_free(text);
}

static const char three_idle[] =
	"arch x86_64\nwindow 10s\ntask 1/1 a on=1s\n"
	"wait S sys=epoll_wait blocked=6s\n u main\n u event_loop\n"
	"wait S sys=ioctl blocked=1.23s\n u main\n k kvm_vcpu_block\n k kvm_vcpu_halt\n"
	"task 2/2 w flags=kthread\nwait I blocked=9.87s\n k kthread\n k worker_thread\n";

static void test_summary__lists_all_idle_kinds(void **state)
{
	char literal[1024], *text;

	(void)state;
	snprintf(literal, sizeof(literal),
		 "%stask 3/3 c\nwait S sys=accept4 blocked=500ms\n u main\n u accept\n"
		 "task 4/4 d\nwait S sys=futex blocked=400ms\n u worker_loop\n",
		 three_idle);
	text = summary(literal, (struct render_options){ .width = 80 });
	assert_has(text, "waits for work: kthread 9.87 s, poll\n");
	assert_has(text, " 6.00 s, vm-halt 1.23 s, net-accept 500 ms,\n");
	assert_has(text, " futex 400 ms\n");
	assert_null(strstr(text, ".."));
	mem_free(text);
}

static void test_summary__joins_reasons_of_no_weight(void **state)
{
	static const char literal[] = "module a elf /lib/liba.so\nmodule b elf /lib/libb.so\n"
				      "task 1/1 a\nwait S blocked=99999us sys=read\n u f\n"
				      "wait S blocked=5us sys=read\n utrunc no_cfi @a\n u g\n"
				      "wait S blocked=4us sys=read\n utrunc no_cfi @b\n u g\n"
				      "wait S blocked=3us sys=read\n";
	struct render_options opt = { .width = 140 };
	char *text = summary(literal, opt);

	(void)state;
	assert_has(text, "; the rest: <0.1% no CFI in liba.so, <0.1% 2 other reasons\n");
	mem_free(text);
	opt.details = true;
	text = summary(literal, opt);
	assert_has(text, "liba.so, <0.1% no CFI in libb.so, <0.1% no stack\n");
	mem_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_summary__has_one_row_for_an_object),
		cmocka_unit_test(test_summary__lists_all_idle_kinds),
		cmocka_unit_test(test_summary__joins_reasons_of_no_weight),
	};

	return cmocka_run_group_tests_name("summary_rows", tests, NULL, NULL);
}
