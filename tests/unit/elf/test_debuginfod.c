/* SPDX-License-Identifier: Apache-2.0 */
/* Against a real server on the loopback interface, where there is one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "elf/debugfile.h"
#include "elf/debuginfod.h"
#include "elf/srcline.h"
#include "elf/symtab.h"
#include "lib/workdir.h"

static const char source[] = "static int secret(void) { return 1; }\n"
			     "int exported(void) { return secret(); }\n";

#define SERVER_SECONDS 30
#define BUILD_ID "0123456789abcdef0123456789abcdef01234567"

static struct workdir dir;
static char urls[64];
static pid_t server;

/* A listening socket on a free port of loopback. */
static int listen_somewhere(u32 *ret_port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	socklen_t len = sizeof(addr);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	assert_int_equal(listen(fd, 8), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&addr, &len), 0);
	*ret_port = ntohs(addr.sin_port);
	return fd;
}

static void start_server(u32 port)
{
	char port_text[16], db[300], served[300];

	snprintf(port_text, sizeof(port_text), "%u", port);
	snprintf(db, sizeof(db), "%s", workdir__path(&dir, "db.sqlite"));
	snprintf(served, sizeof(served), "%s", workdir__path(&dir, "served"));
	server = fork();
	if (server == 0) {
		int null = open("/dev/null", O_RDWR);

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		unsetenv("DEBUGINFOD_URLS");
		execlp("debuginfod", "debuginfod", "-F", "-d", db, "-p", port_text, served, NULL);
		_exit(127);
	}
}

/* It has scanned its directory when it knows the file. */
static bool wait_for_server(void)
{
	int i;

	for (i = 0; i < SERVER_SECONDS * 5; i++) {
		if (workdir__run(&dir,
				 "python3 -c \"import urllib.request as u;"
				 "u.urlopen('%s/buildid/" BUILD_ID "/debuginfo')\" "
				 "2>/dev/null",
				 urls))
			return true;
		clock_sleep_until_mono_ns(clock_mono_ns() + NSEC_PER_SEC / 5);
	}
	return false;
}

static int setup(void **state)
{
	u32 port;

	(void)state;
	workdir__init(&dir);
	workdir__write(&dir, "p.c", source, sizeof(source) - 1);
	setenv("DEBUGINFOD_CACHE_PATH", workdir__path(&dir, "cache"), 1);
	setenv("no_proxy", "127.0.0.1", 1);
	if (!workdir_have("cc objcopy strip nm debuginfod python3"))
		return 0;
	if (!workdir__run(&dir, "mkdir served && $CC -O0 -g -shared -nostdlib"
				" -Wl,--build-id=0x" BUILD_ID " -o p p.c && cp p whole &&"
				" objcopy --only-keep-debug p served/p.debug && strip p"))
		return -1;
	close(listen_somewhere(&port));
	snprintf(urls, sizeof(urls), "http://127.0.0.1:%u", port);
	start_server(port);
	return wait_for_server() ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	workdir__done(&dir);
	return 0;
}

static struct debuginfod *client(u64 limit_ns)
{
	struct debuginfod *d = NULL;

	if (!server)
		skip();
	assert_int_equal(debuginfod__new(urls, limit_ns, &d, NULL), 0);
	return d;
}

static struct image *open_program(const char *name)
{
	struct image *img = NULL;
	int fd = workdir__open(&dir, name);

	assert_int_equal(image__open(fd, name, &img, NULL), 0);
	close(fd);
	return img;
}

static void test_debuginfod__find_gets_a_file(void **state)
{
	struct debuginfod *d = client(DEBUGINFOD_LIMIT_NS);
	int fd = -1, round;

	(void)state;
	/* also when it is asked again */
	for (round = 0; round < 2; round++) {
		assert_int_equal(debuginfod__find(d, BUILD_ID, &fd), 0);
		assert_true(fd >= 0);
		close(fd);
	}
	debuginfod__free(d);
}

static void test_debuginfod__find_remembers_what_there_is_not(void **state)
{
	struct debuginfod *d = client(DEBUGINFOD_LIMIT_NS);
	u64 begin;
	int fd, i;

	(void)state;
	assert_int_equal(debuginfod__find(d, "00112233445566778899", &fd), -ENOENT);
	/* nobody is asked: the library itself needs 100 us and more for each */
	begin = clock_mono_ns();
	for (i = 0; i < 10000; i++)
		assert_int_equal(debuginfod__find(d, "00112233445566778899", &fd), -ENOENT);
	assert_true(clock_mono_ns() - begin < NSEC_PER_SEC / 5);
	/* others are asked for as before */
	assert_int_equal(debuginfod__find(d, BUILD_ID, &fd), 0);
	close(fd);
	assert_int_equal(debuginfod__find(d, "", &fd), -ENOENT);
	/* a file that the server does not have is no trouble */
	assert_null(debuginfod__trouble(d));
	debuginfod__free(d);
}

static void test_symtab__load_asks_debuginfod_last(void **state)
{
	struct symtab_options opt = { .debug_dir = "" };
	struct image *img;
	struct symtab *st;
	const char *name;
	u64 secret, start;

	(void)state;
	opt.debuginfod = client(DEBUGINFOD_LIMIT_NS);
	secret = workdir__addr_of(&dir, "whole", "secret");
	img = open_program("p");
	assert_int_equal(symtab__load(img, &opt, &st, NULL), 0);
	assert_true(symtab__find(st, secret, &name, &start));
	assert_string_equal(name, "secret");
	assert_int_equal(symtab__source(st), SYMTAB_SEPARATE);
	symtab__free(st);
	debuginfod__free(opt.debuginfod);
	opt.debuginfod = NULL;
	assert_int_equal(symtab__load(img, &opt, &st, NULL), 0);
	assert_false(symtab__find(st, secret, &name, &start));
	symtab__free(st);
	image__free(img);
}

static void test_srcline_file__open_asks_debuginfod(void **state)
{
	struct symtab_options opt = { .debug_dir = "/nowhere" };
	struct srcline_file file;
	struct image *img;

	(void)state;
	opt.debuginfod = client(DEBUGINFOD_LIMIT_NS);
	img = open_program("p");
	assert_int_equal(srcline_file__open(img, &opt, &file), 0);
	srcline_file__done(&file);
	debuginfod__free(opt.debuginfod);
	opt.debuginfod = NULL;
	assert_int_equal(srcline_file__open(img, &opt, &file), -ENOENT);
	image__free(img);
}

static void test_debugfile_open_checks_what_a_server_sends(void **state)
{
	struct symtab_options opt = { .debug_dir = "" };
	struct image *img, *debug = NULL;

	(void)state;
	opt.debuginfod = client(DEBUGINFOD_LIMIT_NS);
	img = open_program("p");
	/* the cache says so: a file of another build ID under this one */
	assert_true(workdir__run(&dir,
				 "$CC -g -shared -nostdlib -Wl,--build-id=0xabcd -o other p.c &&"
				 " mkdir -p cache/" BUILD_ID " &&"
				 " cp cache/" BUILD_ID "/debuginfo good;"
				 " cp -f other cache/" BUILD_ID "/debuginfo"));
	assert_int_equal(debugfile_open(img, &opt, &debug), -ENOENT);
	assert_true(workdir__run(&dir, "rm -rf cache"));
	assert_int_equal(debugfile_open(img, &opt, &debug), 0);
	image__free(debug);
	image__free(img);
	debuginfod__free(opt.debuginfod);
}

static void test_debuginfod__find_ends_in_time(void **state)
{
	struct debuginfod *d;
	char silent[64];
	int fd, silent_fd;
	u64 begin, took;
	u32 port;

	(void)state;
	if (!server)
		skip();
	/* takes connections, says nothing */
	silent_fd = listen_somewhere(&port);
	snprintf(silent, sizeof(silent), "http://127.0.0.1:%u", port);
	assert_int_equal(debuginfod__new(silent, NSEC_PER_SEC, &d, NULL), 0);
	begin = clock_mono_ns();
	assert_int_equal(debuginfod__find(d, "aabbccddeeff00112233", &fd), -ENOENT);
	took = clock_mono_ns() - begin;
	if (took > 6 * NSEC_PER_SEC)
		fail_msg("it took %llu ms", took / NSEC_PER_MSEC);
	/* and then no more */
	begin = clock_mono_ns();
	assert_int_equal(debuginfod__find(d, "aabbccddeeff00112234", &fd), -ENOENT);
	assert_true(clock_mono_ns() - begin < NSEC_PER_SEC / 10);
	debuginfod__free(d);
	close(silent_fd);
}

static void test_debuginfod__find_gives_up_on_a_server_that_does_not_respond(void **state)
{
	struct debuginfod *d;
	char nobody[64];
	u32 port;
	int fd;

	(void)state;
	if (!server)
		skip();
	close(listen_somewhere(&port));
	snprintf(nobody, sizeof(nobody), "http://127.0.0.1:%u", port);
	assert_int_equal(debuginfod__new(nobody, DEBUGINFOD_LIMIT_NS, &d, NULL), 0);
	assert_null(debuginfod__trouble(d));
	assert_int_equal(debuginfod__find(d, "aabbccddeeff00112235", &fd), -ENOENT);
	assert_non_null(strstr(debuginfod__trouble(d), nobody));
	debuginfod__free(d);
}

static void test_debuginfod__survives_every_failed_allocation(void **state)
{
	bool fired = true;
	u64 nth;

	(void)state;
	if (!server)
		skip();
	for (nth = 1; fired; nth++) {
		struct debuginfod *d = NULL;
		int fd = -1, r;

		mem_fail_nth(nth);
		r = debuginfod__new(urls, DEBUGINFOD_LIMIT_NS, &d, NULL);
		if (!r)
			r = debuginfod__find(d, BUILD_ID, &fd);
		fired = mem_fail_fired();
		mem_fail_nth(0);
		assert_int_equal(r, fired ? -ENOMEM : 0);
		if (fd >= 0)
			close(fd);
		debuginfod__free(d);
	}
	assert_true(nth > 3);
}

/* The client library writes with dprintf(), which in glibc 2.36 loses a buffer on a pipe. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:_IO_file_doallocate\n";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_debuginfod__find_gets_a_file),
		cmocka_unit_test(test_debuginfod__find_remembers_what_there_is_not),
		cmocka_unit_test(test_symtab__load_asks_debuginfod_last),
		cmocka_unit_test(test_srcline_file__open_asks_debuginfod),
		cmocka_unit_test(test_debugfile_open_checks_what_a_server_sends),
		cmocka_unit_test(test_debuginfod__find_ends_in_time),
		cmocka_unit_test(test_debuginfod__find_gives_up_on_a_server_that_does_not_respond),
		cmocka_unit_test(test_debuginfod__survives_every_failed_allocation),
	};

	return cmocka_run_group_tests_name("debuginfod", tests, setup, teardown);
}
