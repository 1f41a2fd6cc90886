/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/java_name.h"

#define PARK "void java.util.concurrent.locks.LockSupport.park(java.lang.Object)"

enum is {
	NONE, /* no name of a method */
	OWN,
	LIBRARY,
};

static const struct {
	const char *name;
	enum is is;
	const char *is_short;
} names[] = {
	{ PARK, LIBRARY, "LockSupport.park" },
	{ "java.lang.String java.lang.String.valueOf(int)", LIBRARY, "String.valueOf" },
	{ "void javax.swing.Timer.stop()", LIBRARY, "Timer.stop" },
	{ "void jdk.internal.misc.Unsafe.park(boolean, long)", LIBRARY, "Unsafe.park" },
	{ "int sun.nio.ch.EPoll.wait(int, long, int, int)", LIBRARY, "EPoll.wait" },
	{ "void com.sun.net.httpserver.HttpServer.start()", LIBRARY, "HttpServer.start" },

	{ "void com.shop.Cart.add(java.lang.Object, int)", OWN, "Cart.add" },
	/* what it gives back is no place */
	{ "java.util.List com.shop.Cart.all()", OWN, "Cart.all" },
	{ "int[][] com.shop.Cart.table(java.lang.Object[], int[])", OWN, "Cart.table" },
	{ "java.lang.Object[] com.shop.Cart.array()", OWN, "Cart.array" },
	{ "? com.shop.Cart.cut(int, ?)", OWN, "Cart.cut" },
	/* packages that only begin alike */
	{ "void javafx.Application.launch()", OWN, "Application.launch" },
	{ "void sunny.Day.begin()", OWN, "Day.begin" },
	{ "void com.sunny.Day.begin()", OWN, "Day.begin" },
	{ "void my.java.util.Lists.sort()", OWN, "Lists.sort" },

	/* no package; inner classes; constructors; lambdas */
	{ "void Work.run()", OWN, "Work.run" },
	{ "void com.shop.Cart$Item$1.run()", OWN, "Cart$Item$1.run" },
	{ "void com.shop.Cart.<init>(int)", OWN, "Cart.<init>" },
	{ "void com.shop.Cart.<clinit>()", OWN, "Cart.<clinit>" },
	{ "void com.shop.Cart.lambda$all$0(int)", OWN, "Cart.lambda$all$0" },
	{ "void Work$$Lambda$1/0x00007f9694000c08.run()", LIBRARY,
	  "Work$$Lambda$1/0x00007f9694000c08.run" },
	{ "void com.shop.Cart$$Lambda/0x00007f9694000c08.accept(java.lang.Object)", LIBRARY,
	  "Cart$$Lambda/0x00007f9694000c08.accept" },

	/* of C++, of the JVM, of other languages */
	{ "std::thread::join()", NONE, "std::thread::join()" },
	{ "void f(a.b)", NONE, "void f(a.b)" },
	{ "JavaThread::run()", NONE, "JavaThread::run()" },
	{ "Monitor::wait(unsigned long)", NONE, "Monitor::wait(unsigned long)" },
	{ "operator new(unsigned long)", NONE, "operator new(unsigned long)" },
	{ "void std::sort<int*>(int*, int*)", NONE, "void std::sort<int*>(int*, int*)" },
	{ "void ns::f(int) [clone .cold]", NONE, "void ns::f(int) [clone .cold]" },
	{ "void a.b.f(int) const", NONE, "void a.b.f(int) const" },
	{ "Interpreter", NONE, "Interpreter" },
	{ "main.main", NONE, "main.main" },
	{ "main.(*T).f(...)", NONE, "main.(*T).f(...)" },
	{ "app/views.py:View.get:10", NONE, "app/views.py:View.get:10" },

	/* hardly names */
	{ "", NONE, "" },
	{ "(", NONE, "(" },
	{ ")", NONE, ")" },
	{ "()", NONE, "()" },
	{ " ()", NONE, " ()" },
	{ " ", NONE, " " },
	{ "a.b()", NONE, "a.b()" },
	{ "void a.b(", NONE, "void a.b(" },
	{ "void a.b", NONE, "void a.b" },
	{ "void a.b)", NONE, "void a.b)" },
	{ "void f()", NONE, "void f()" },
	{ "void .()", OWN, "." },
};

static void test_java_name__is_and_is_of_the_library(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (java_name_is(names[i].name) != (names[i].is != NONE))
			fail_msg("%s: a name or not", names[i].name);
		if (java_name_is_library(names[i].name) != (names[i].is == LIBRARY))
			fail_msg("%s: whose is it", names[i].name);
	}
}

static void test_java_name__short_is_class_and_method(void **state)
{
	const char *text;
	size_t i, len;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		len = java_name_short(names[i].name, &text);
		assert_int_equal(len, strlen(names[i].is_short));
		assert_memory_equal(text, names[i].is_short, len);
	}
}

static void test_java_name__package_is_of_a_known_project(void **state)
{
	const char *package;
	u32 len;

	(void)state;
	assert_true(
		java_name_is_package("int org.postgresql.core.PGStream.receive()", &package, &len));
	assert_int_equal(len, strlen("org.postgresql"));
	assert_memory_equal(package, "org.postgresql", len);
	assert_false(java_name_is_package("void com.shop.Cart.all()", &package, &len));
	assert_false(java_name_is_package("void org.postgresqlite.A.b()", &package, &len));
	assert_false(java_name_is_package("org.postgresql.core", &package, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_java_name__is_and_is_of_the_library),
		cmocka_unit_test(test_java_name__short_is_class_and_method),
		cmocka_unit_test(test_java_name__package_is_of_a_known_project),
	};

	return cmocka_run_group_tests_name("java_name", tests, NULL, NULL);
}
