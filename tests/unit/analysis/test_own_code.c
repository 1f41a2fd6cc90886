/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/name/own_code.h"
#include "lib/lit.h"

#define WAIT "task 1/1 a\nwait S blocked=1ms\n"

/* `library`: its name, "-": machinery, "": the program. */
struct example {
	const char *name; /* of the frame */
	const char *library;
};

/* The frame in a module "m", whose source file is `source` (NULL: unknown). */
static void check(const char *module, const char *name, const char *source, bool java,
		  const char *library)
{
	struct own_code code;
	char text[1024];
	struct profile *p;
	u32 frame;

	snprintf(text, sizeof(text), "module m %s\n" WAIT " u @m 0x1 %s\n", module, name);
	p = lit(text);
	frame = p->stacks[p->waits[1].ustack].frame;
	if (source)
		assert_int_equal(profile__place_frame(p, frame, source, 1), 0);
	own_code_of(p, frame, java, &code);
	if (strcmp(library, "-") == 0) {
		if (code.role != CODE_MACHINERY || !*code.rule)
			fail_msg("%s %s: not machinery", module, name);
	} else if (*library) {
		if (code.role != CODE_LIBRARY || code.library_len != strlen(library) ||
		    memcmp(code.library, library, code.library_len) != 0)
			fail_msg("%s %s: not library %s", module, name, library);
	} else if (code.role != CODE_PROGRAM || *code.rule) {
		fail_msg("%s %s: %s, not the program", module, name, code.rule);
	}
	profile__free(p);
}

static void test_own_code__files_have_their_roles(void **state)
{
	static const char *const files[][2] = {
		{ "/usr/lib/x86_64-linux-gnu/libc.so.6", "-" },
		{ "/lib64/ld-linux-x86-64.so.2", "-" },
		{ "/usr/lib/x86_64-linux-gnu/libpthread.so.0", "-" },
		{ "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", "-" },
		{ "/lib/x86_64-linux-gnu/libgcc_s.so.1", "-" },
		{ "/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", "-" },
		{ "/usr/bin/python3.11", "-" },
		{ "/usr/bin/node", "-" },
		{ "/usr/lib/jvm/java-17-openjdk-amd64/lib/libnio.so", "-" },
		{ "/opt/jdk/lib/server/libjvm.so", "-" },
		{ "/usr/lib/python3.11/lib-dynload/_ssl.cpython-311-x86_64-linux-gnu.so", "-" },
		{ "/usr/lib/python3/dist-packages/psycopg2/_psycopg.so", "psycopg2" },
		{ "/v/lib/python3.12/site-packages/_cffi_backend.cpython-312.so", "_cffi_backend" },
		{ "/usr/lib/x86_64-linux-gnu/libpq.so.5.15", "libpq" },
		{ "/opt/curl/libcurl.so.4", "libcurl" },
		{ "/usr/lib/x86_64-linux-gnu/libz.so.1", "libz" },
		{ "/usr/lib/postgresql/15/bin/postgres", "" },
		{ "/usr/lib/postgresql/15/lib/plpgsql.so", "" },
		{ "/usr/lib/nginx/modules/ngx_stream_module.so", "" },
		{ "/srv/app/libshop.so", "" },
		{ "/usr/bin/nodes", "" },
		{ "/srv/app/server", "" },
	};
	char module[256];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(files); i++) {
		snprintf(module, sizeof(module), "elf %s", files[i][0]);
		check(module, "f", NULL, false, files[i][1]);
	}
	check("vdso [vdso]", "f", NULL, false, "-");
}

static void check_names(const char *module, bool java, const struct example *examples, size_t cnt)
{
	size_t i;

	for (i = 0; i < cnt; i++)
		check(module, examples[i].name, NULL, java, examples[i].library);
}

static void test_own_code__names_decide_in_one_file(void **state)
{
	static const struct example examples[] = {
		{ "main.fetch", "" },
		{ "github.com/shop/cart.(*Cart).All", "" },
		{ "runtime.gopark", "-" },
		{ "net.(*netFD).Read", "-" },
		{ "net/http.(*conn).serve", "-" },
		{ "internal/poll.(*FD).Read", "-" },
		{ "syscall.Syscall6", "-" },
		{ "vendor/golang.org/x/net/http2.f", "-" },
		{ "golang.org/x/net/http2.(*Transport).RoundTrip", "net" },
		{ "google.golang.org/grpc.(*Server).Serve", "grpc" },
		{ "sort.part.0", "" },
		{ "time.constprop.0.cold", "" },
		{ "network.f", "" },
		{ "std::thread::_State_impl<f>::_M_run()", "-" },
		{ "void std::__invoke<f>()", "-" },
		{ "__gnu_cxx::new_allocator<int>::allocate", "-" },
		{ "stdio::read", "" },
		{ "<std::sys::unix::thread::Thread as core::ops::Drop>::drop", "-" },
		{ "core::ops::function::FnOnce::call_once", "-" },
		{ "shop::cart::all", "" },
		{ "tokio::runtime::park::CachedParkThread::park", "tokio" },
		{ "<tokio::net::TcpStream as AsyncRead>::poll_read", "tokio" },
		{ "node::SpinEventLoop", "-" },
		{ "v8::internal::Invoke", "-" },
		{ "uv__io_poll", "-" },
		{ "WaitLatch", "-" },
		{ "ProcSleep", "" },
	};

	(void)state;
	check_names("elf /srv/app/server", false, examples, ARRAY_LEN(examples));
}

static void test_own_code__python_is_known_by_its_path(void **state)
{
	static const char *const paths[][2] = {
		{ "/usr/lib/python3.11/socket.py", "-" },
		{ "/opt/py/lib/python3.13t/http/client.py", "-" },
		{ "/usr/lib/python3/dist-packages/requests/api.py", "requests" },
		{ "/v/lib/python3.12/site-packages/urllib3/connection.py", "urllib3" },
		{ "/v/lib/python3.12/site-packages/six.py", "six" },
		{ "/srv/shop/app.py", "" },
		{ "/srv/shop/socket.py", "" },
		{ "/home/me/lib/python3.py", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(paths); i++)
		check("code [python] tgid=1", "x.py:f:3", paths[i][0], false, paths[i][1]);
	check("code [python] tgid=1", "<frozen runpy>:_run_code:88", NULL, false, "-");
	check("code [python] tgid=1", "socket.py:f:3", "/srv/shop/socket.py", false, "");
}

static void test_own_code__python_without_a_path_is_known_by_its_module(void **state)
{
	static const struct example examples[] = {
		{ "threading.py:wait:320", "-" },
		{ "http/client.py:HTTPResponse.begin:318", "-" },
		{ "asyncio/base_events.py:_run_once:1", "-" },
		{ "shop/app.py:main:7", "" },
		{ "shop/queue.py:get:7", "" },
		{ "app.py:main:7", "" },
	};

	(void)state;
	check_names("code [python] tgid=1", false, examples, ARRAY_LEN(examples));
}

static void test_own_code__java_is_known_by_its_package(void **state)
{
	static const struct example examples[] = {
		{ "void com.shop.Cart.all(int)", "" },
		{ "void java.lang.Thread.run()", "-" },
		{ "void jdk.internal.misc.Unsafe.park(boolean, long)", "-" },
		{ "void javax.net.ssl.A.b()", "-" },
		{ "void sun.nio.ch.A.b()", "-" },
		{ "int org.postgresql.core.PGStream.receive()", "org.postgresql" },
		{ "StubRoutines_(1)", "-" },
	};

	(void)state;
	check_names("code [java] tgid=1", true, examples, ARRAY_LEN(examples));
	check_names("anon [anon] tgid=1", true, examples, ARRAY_LEN(examples));
}

static void test_own_code__javascript_is_known_by_its_path(void **state)
{
	static const struct example examples[] = {
		{ "JS:*handle /srv/app/server.js:46:12", "" },
		{ "LazyCompile:~ /srv/app/server.js:1:1", "" },
		{ "JS:~route /srv/app/node_modules/express/lib/router.js:1:2", "express" },
		{ "JS:~f /srv/node_modules/a/node_modules/@x/y/z.js:1:2", "@x/y" },
		{ "Function:~processTimers node:internal/timers:499:25", "-" },
		{ "JS:*readFileSync node:fs:400:22", "-" },
		{ "JS:*emit events.js:400:22", "-" },
		{ "Builtin:InterpreterEntryTrampoline", "-" },
		{ "jitted", "" },
	};

	(void)state;
	check_names("anon [anon] tgid=1", false, examples, ARRAY_LEN(examples));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_code__files_have_their_roles),
		cmocka_unit_test(test_own_code__names_decide_in_one_file),
		cmocka_unit_test(test_own_code__python_is_known_by_its_path),
		cmocka_unit_test(test_own_code__python_without_a_path_is_known_by_its_module),
		cmocka_unit_test(test_own_code__java_is_known_by_its_package),
		cmocka_unit_test(test_own_code__javascript_is_known_by_its_path),
	};

	return cmocka_run_group_tests_name("own_code", tests, NULL, NULL);
}
