/* SPDX-License-Identifier: Apache-2.0 */
/* Where compilers and linkers of this machine put a thread-local variable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "elf/variable/thread_variable.h"
#include "lib/workdir.h"

/* Aligned neighbours: the block must be rounded up, and the variable is not at its end. */
static const char program[] = "#include <stdio.h>\n"
			      "__thread char before[3] = \"ab\";\n"
			      "__thread void *wanted;\n"
			      "__thread char aligned[100] __attribute__((aligned(64)));\n"
			      "int main(void)\n"
			      "{\n"
			      "	char *tp;\n"
			      "	__asm__(\"mov %%fs:0, %0\" : \"=r\"(tp));\n"
			      "	before[0] = aligned[0];\n"
			      "	printf(\"%ld\\n\", (char *)&wanted - tp);\n"
			      "	return 0;\n"
			      "}\n";
static const char library[] = "__thread int other = 1;\n"
			      "DEFINE __thread void *wanted;\n"
			      "#ifdef STARTED\n" /* as libc.so.6, which can be started */
			      "const char interp[] __attribute__((section(\".interp\"))) ="
			      " \"/lib64/ld-linux-x86-64.so.2\";\n"
			      "#endif\n"
			      "#ifndef UNUSED\n"
			      "void **get(void) { return &wanted; }\n"
			      "int *get_other(void) { return &other; }\n"
			      "#else\n" /* only relocations without a symbol */
			      "static __thread int a, b;\n"
			      "int *get_a(int i) { return i ? &a : &b; }\n"
			      "#endif\n";

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "p.c", program, sizeof(program) - 1);
	workdir__write(&dir, "l.c", library, sizeof(library) - 1);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* What the file that these flags make says of `name`. */
static bool find(const char *file, const char *flags, const char *name, struct thread_variable *ret)
{
	struct image *img;
	struct err err;
	bool found;
	int fd;

#if !defined(__x86_64__)
	skip();
#endif
	if (!workdir_have("cc") || !workdir__run(&dir, "$CC -w %s -o f %s", flags, file)) {
		print_error("SKIPPED: the compiler cannot do %s\n", flags);
		skip();
	}
	fd = workdir__open(&dir, "f");
	if (image__open(fd, "f", &img, &err))
		fail_msg("%s", err.msg);
	close(fd);
	found = thread_variable_find(img, name, ret);
	image__free(img);
	return found;
}

static void test_of_a_program_is_where_the_program_says(void **state)
{
	static const char *const flags[] = {
		"-fPIE -pie -rdynamic",
		"-fno-pie -no-pie -rdynamic",
		"-fPIE -pie -rdynamic -Wl,-s",
		"-fPIE -static-pie -Wl,--export-dynamic-symbol=wanted",
	};
	struct thread_variable var;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		char *text;
		size_t sz;

		assert_true(find("p.c", flags[i], "wanted", &var));
		assert_int_equal(var.way, THREAD_VARIABLE_PROGRAM);
		assert_true(workdir__run(&dir, "./f >said"));
		text = workdir__read(&dir, "said", &sz);
		assert_int_equal(var.value, strtol(text, NULL, 10));
		mem_free(text);
	}
}

static void test_of_a_library_is_where_its_words_say(void **state)
{
	static const struct {
		const char *flags;
		enum thread_variable_way way;
	} rows[] = {
		{ "-DDEFINE= -mtls-dialect=gnu2", THREAD_VARIABLE_DESCRIPTOR },
		{ "-DDEFINE= -mtls-dialect=gnu", THREAD_VARIABLE_MODULE },
		{ "-DDEFINE= -ftls-model=initial-exec", THREAD_VARIABLE_OFFSET },
		{ "-DDEFINE= -mtls-dialect=gnu2 -Wl,-Bsymbolic", THREAD_VARIABLE_DESCRIPTOR },
		{ "-DDEFINE= -mtls-dialect=gnu -Wl,-Bsymbolic", THREAD_VARIABLE_MODULE },
		{ "-DDEFINE= -mtls-dialect=gnu -DUNUSED", THREAD_VARIABLE_OWN_MODULE },
		{ "-DDEFINE= -ftls-model=initial-exec -Wl,-Bsymbolic", THREAD_VARIABLE_OFFSET },
		{ "-DDEFINE= -mtls-dialect=gnu2 -DSTARTED -Wl,-soname,l.so",
		  THREAD_VARIABLE_DESCRIPTOR },
		{ "-DDEFINE=extern -mtls-dialect=gnu2", THREAD_VARIABLE_DESCRIPTOR },
		{ "-DDEFINE=extern -mtls-dialect=gnu", THREAD_VARIABLE_MODULE },
	};
	struct thread_variable var, other;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char flags[128];

		snprintf(flags, sizeof(flags), "-O1 -fPIC -shared %s", rows[i].flags);
		if (!find("l.c", flags, "wanted", &var))
			fail_msg("%s: not found", flags);
		if (var.way != rows[i].way)
			fail_msg("%s: way %d", flags, var.way);
		assert_true(var.place % 8 == 0 && var.place != 0);
		assert_true(find("l.c", flags, "other", &other));
		if (var.way == THREAD_VARIABLE_OWN_MODULE)
			assert_true(other.value != var.value);
		else
			assert_true(other.place != var.place);
	}
}

static void test_of_others_is_not_found(void **state)
{
	struct thread_variable var;

	(void)state;
	assert_false(find("l.c", "-DDEFINE= -fPIC -shared", "wante", &var));
	assert_false(find("l.c", "-DDEFINE= -fPIC -shared", "wanted2", &var));
	assert_false(find("l.c", "-DDEFINE= -fPIC -shared", "get", &var));
	assert_false(find("l.c", "-DDEFINE= -fPIC -shared -Dwanted=hidden -fvisibility=hidden",
			  "hidden", &var));
	/* not exported */
	assert_false(find("p.c", "-fPIE -pie", "wanted", &var));
	assert_int_equal(var.way, THREAD_VARIABLE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_a_program_is_where_the_program_says),
		cmocka_unit_test(test_of_a_library_is_where_its_words_say),
		cmocka_unit_test(test_of_others_is_not_found),
	};

	return cmocka_run_group_tests_name("thread_variable", tests, setup, teardown);
}
