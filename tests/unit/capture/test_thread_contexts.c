/* SPDX-License-Identifier: Apache-2.0 */
/* A program that publishes a context, and says itself where the variable is. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "capture/request/thread_contexts.h"
#include "lib/workdir.h"

static const char library[] = "__thread int other = 1;\n"
			      "__thread void *otel_thread_ctx_v1;\n"
			      "void **get(void) { return &otel_thread_ctx_v1; }\n";
static const char program[] = "#include <stdio.h>\n"
			      "#include <unistd.h>\n"
			      "void **get(void);\n"
			      "int main(void)\n"
			      "{\n"
			      "	char *tp;\n"
			      "	__asm__(\"mov %%fs:0, %0\" : \"=r\"(tp));\n"
			      "	printf(\"%ld\\n\", (long)((char *)get() - tp));\n"
			      "	fflush(stdout);\n"
			      "	pause();\n"
			      "	return 0;\n"
			      "}\n";

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "l.c", library, sizeof(library) - 1);
	workdir__write(&dir, "p.c", program, sizeof(program) - 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* Starts it, and reads what it says; it runs until it is killed. */
static pid_t start(long *ret_offset)
{
	int out[2];
	char text[32] = "";
	pid_t pid;

#if !defined(__x86_64__)
	skip();
#endif
	if (!workdir_have("cc") ||
	    !workdir__run(&dir, "$CC -w -fPIC -shared -mtls-dialect=gnu2 -o libl.so l.c &&"
				" $CC -w -o p p.c -L. -Wl,-rpath,. -ll"))
		skip();
	assert_int_equal(pipe(out), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		if (chdir(dir.path) || dup2(out[1], 1) < 0)
			_exit(1);
		execl("./p", "p", NULL);
		_exit(1);
	}
	close(out[1]);
	assert_true(read(out[0], text, sizeof(text) - 1) > 0);
	close(out[0]);
	assert_int_equal(sscanf(text, "%ld", ret_offset), 1);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_look__finds_what_the_process_uses(void **state)
{
	struct cs_thread_context found;
	struct thread_contexts tc;
	struct err err = { 0 };
	long offset;
	pid_t pid = start(&offset);

	(void)state;
	assert_int_equal(thread_contexts__init(&tc, -1), 0);
	assert_int_equal(thread_contexts__look(&tc, (u32)pid, &found, &err), 0);
	assert_int_equal(found.is_found, 1);
	assert_int_equal(found.module, 0);
	assert_int_equal(found.offset, offset);
	/* from what is known of the files */
	assert_int_equal(thread_contexts__look(&tc, (u32)pid, &found, &err), 0);
	assert_int_equal(found.offset, offset);
	assert_int_equal(thread_contexts__look(&tc, (u32)getpid(), &found, &err), 0);
	assert_int_equal(found.is_found, 0);
	end(pid);
	assert_int_equal(thread_contexts__look(&tc, (u32)pid, &found, &err), -ESRCH);
	assert_int_equal(found.is_found, 0);
	thread_contexts__done(&tc);
}

static void test_look__reports_that_memory_is_short(void **state)
{
	struct cs_thread_context found;
	struct thread_contexts tc;
	struct err err = { 0 };
	bool fired = true;
	long offset;
	pid_t pid = start(&offset);

	(void)state;
	for (u64 nth = 1; fired; nth++) {
		int r;

		mem_fail_nth(nth);
		r = thread_contexts__init(&tc, -1);
		if (!r)
			r = thread_contexts__look(&tc, (u32)pid, &found, &err);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_true(r == (fired ? -ENOMEM : 0));
		thread_contexts__done(&tc);
	}
	assert_int_equal(found.offset, offset);
	end(pid);
}

/* Programs are looked at again after a second, unless they have ended; without a map nothing is. */
static void test_programs__are_looked_at_until_they_end(void **state)
{
	struct thread_contexts tc;
	struct ended ended;
	u64 due = ~0ULL;

	(void)state;
	assert_int_equal(thread_contexts__init(&tc, -1), 0);
	assert_int_equal(thread_contexts__tick(&tc, 0, &due), 0);
	assert_true(due == ~0ULL);
	assert_int_equal(thread_contexts__see(&tc, (u32)getpid(), 7), 0);
	assert_int_equal(thread_contexts__see(&tc, (u32)getpid(), 9), 0);
	assert_int_equal(thread_contexts__tick(&tc, 0, &due), 0);
	assert_true(due != ~0ULL);
	assert_int_equal(thread_contexts__tick(&tc, due, &due), 0);
	/* one without a process is gone when it is due */
	assert_int_equal(thread_contexts__see(&tc, 0x7fffffff, 11), 0);
	assert_int_equal(intern__len(&tc.programs), 4);
	assert_int_equal(thread_contexts__tick(&tc, ~0ULL, &due), 0);
	assert_int_equal(intern__len(&tc.programs), 3);
	ended__init(&ended);
	assert_int_equal(ended__add_image(&ended, 7), 0);
	thread_contexts__forget(&tc, &ended);
	assert_int_equal(intern__len(&tc.programs), 2);
	assert_int_equal(ended__add_image(&ended, 9), 0);
	thread_contexts__forget(&tc, &ended);
	assert_int_equal(intern__len(&tc.programs), 1);
	due = ~0ULL;
	assert_int_equal(thread_contexts__tick(&tc, tc.due_mono_ns, &due), 0);
	assert_true(due == ~0ULL);
	ended__done(&ended);
	thread_contexts__done(&tc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_look__finds_what_the_process_uses),
		cmocka_unit_test(test_look__reports_that_memory_is_short),
		cmocka_unit_test(test_programs__are_looked_at_until_they_end),
	};

	return cmocka_run_group_tests_name("thread_contexts", tests, setup, teardown);
}
