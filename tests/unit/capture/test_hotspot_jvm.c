/* SPDX-License-Identifier: Apache-2.0 */
/* What capture/runtime/hotspot reads of JVMs as they are packaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "lib/workdir.h"
#include "capture/runtime/hotspot.h"

#define START_MS 60000
#define STACK_WORDS 4096

static const char source[] = "public class Tiny {\n"
			     "	public static void main(String[] args) throws Exception {\n"
			     "		System.out.println(\"ready\");\n"
			     "		System.out.flush();\n"
			     "		Thread.sleep(600000);\n"
			     "	}\n"
			     "}\n";

struct jvm {
	pid_t pid;
	struct hotspot_memory mem;
};

static bool read_jvm(void *arg, u64 addr, void *dst, size_t sz)
{
	const struct jvm *j = arg;
	struct iovec to = { dst, sz }, from = { (void *)(uintptr_t)addr, sz };

	return process_vm_readv(j->pid, &to, 1, &from, 1, 0) == (ssize_t)sz;
}

/* Started, in its main(): false when that took too long or it ended. */
static bool jvm__start(struct jvm *j, const char *java, const char *classes)
{
	struct pollfd said;
	int out[2];
	bool ok;
	char c;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	j->pid = fork();
	assert_true(j->pid >= 0);
	if (!j->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(out[1], STDOUT_FILENO);
		execlp(java, java, "-Xint", "-Xmx32m", "-XX:+UseSerialGC", "-Xshare:auto", "-cp",
		       classes, "Tiny", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	said = (struct pollfd){ .fd = out[0], .events = POLLIN };
	ok = poll(&said, 1, START_MS) == 1 && read(out[0], &c, 1) == 1;
	close(out[0]);
	j->mem = (struct hotspot_memory){ .read = read_jvm, .arg = j };
	return ok;
}

static void jvm__stop(struct jvm *j)
{
	kill(j->pid, SIGKILL);
	assert_int_equal(waitpid(j->pid, NULL, 0), j->pid);
}

struct mapping {
	u64 start;
	u64 end;
	u64 off;
	char prot[8];
	char path[512];
};

/* The mapping that has `addr`, or the one of a file's code. */
static bool jvm__mapping(const struct jvm *j, u64 addr, const char *file, struct mapping *m)
{
	char line[1024], name[64];
	bool found = false;
	const char *base;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)j->pid);
	f = fopen(name, "re");
	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f)) {
		*m->path = '\0';
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %511s", &m->start, &m->end, m->prot,
			   &m->off, m->path) < 4)
			continue;
		base = strrchr(m->path, '/');
		found = file ? base && m->prot[2] == 'x' && strcmp(base + 1, file) == 0 :
			       addr >= m->start && addr < m->end;
	}
	fclose(f);
	return found;
}

static void check_code(const struct jvm *j, const struct hotspot *h)
{
	struct mapping m;

	assert_true(h->code_end - h->code_start > 4096);
	assert_true(jvm__mapping(j, h->code_start, NULL, &m));
	assert_string_equal(m.path, "");
	assert_int_equal(m.prot[2], 'x');
	assert_true(h->code_end <= m.end);
}

/* Is a word above `sp` a Method that is called so? Frames of the interpreter have theirs. */
static bool stack_has(struct jvm *j, const struct hotspot *h, u64 sp, const char *want)
{
	bool found = false;
	u64 word, code;
	char *name;
	u32 i;

	for (i = 0; i < STACK_WORDS && !found; i++) {
		if (!read_jvm(j, sp + 8ULL * i, &word, sizeof(word)))
			return false;
		if (!word || !read_jvm(j, word + h->method_const, &code, sizeof(code)) ||
		    hotspot__name(h, code, &j->mem, &name))
			continue;
		found = strcmp(name, want) == 0;
		mem_free(name);
	}
	return found;
}

/* Of a thread that waits in a system call. */
static u64 stack_pointer(pid_t pid, const char *tid)
{
	char name[320], line[256] = "";
	u64 sp = 0;
	FILE *f;

	snprintf(name, sizeof(name), "/proc/%d/task/%s/syscall", (int)pid, tid);
	f = fopen(name, "re");
	if (f && fgets(line, sizeof(line), f))
		sscanf(line, "%*s %*s %*s %*s %*s %*s %*s %llx", &sp);
	if (f)
		fclose(f);
	return sp;
}

static bool jvm__runs(struct jvm *j, const struct hotspot *h, const char *want)
{
	struct dirent *task;
	bool found = false;
	char name[64];
	DIR *dir;
	u64 sp;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)j->pid);
	dir = opendir(name);
	assert_non_null(dir);
	while (!found && (task = readdir(dir))) {
		sp = *task->d_name == '.' ? 0 : stack_pointer(j->pid, task->d_name);
		found = sp && stack_has(j, h, sp, want);
	}
	closedir(dir);
	return found;
}

static void check_jvm(struct jvm *j)
{
	struct hotspot_symbols s, other;
	struct hotspot_mapping at;
	struct mapping lib;
	struct hotspot h;
	u32 tries = 0;
	int fd;

	assert_true(jvm__mapping(j, 0, "libjvm.so", &lib));
	at = (struct hotspot_mapping){ .start = lib.start, .off = lib.off };
	fd = open(lib.path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(hotspot_symbols__read(fd, lib.path, &at, &s, NULL), 0);
	at.off = 1ULL << 40;
	assert_int_equal(hotspot_symbols__read(fd, lib.path, &at, &other, NULL), -EINVAL);
	close(fd);
	assert_int_equal(hotspot__read(&h, &s, &j->mem), 0);
	check_code(j, &h);
	/* it may have said that it is ready and not sleep yet */
	while (!jvm__runs(j, &h, "void Tiny.main(java.lang.String[])")) {
		assert_true(++tries < 50);
		usleep(100000);
	}
}

static void check_java(const char *java)
{
	struct workdir dir;
	struct jvm j;

	if (!workdir_have(java) || !workdir_have("javac")) {
		print_message("SKIPPED: no %s, or no javac\n", java);
		skip();
	}
	workdir__init(&dir);
	workdir__write(&dir, "Tiny.java", source, sizeof(source) - 1);
	assert_true(workdir__run(&dir, "javac --release 8 -nowarn -Xlint:-options Tiny.java"));
	assert_true(jvm__start(&j, java, dir.path));
	check_jvm(&j);
	jvm__stop(&j);
	workdir__done(&dir);
}

static void test_hotspot__read_of_the_java_that_is_installed(void **state)
{
	(void)state;
	check_java("java");
}

static void test_hotspot__read_of_java_25(void **state)
{
	(void)state;
	check_java("/usr/lib/jvm/temurin-25-jdk-amd64/bin/java");
}

static void test_hotspot_symbols__read_refuses_the_rest(void **state)
{
	const struct hotspot_mapping at = { .start = 0x10000 };
	struct hotspot_symbols s;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(hotspot_symbols__read(fd, "self", &at, &s, NULL), -ENOENT);
	close(fd);
	fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	assert_true(hotspot_symbols__read(fd, "/etc/passwd", &at, &s, NULL) < 0);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotspot__read_of_the_java_that_is_installed),
		cmocka_unit_test(test_hotspot__read_of_java_25),
		cmocka_unit_test(test_hotspot_symbols__read_refuses_the_rest),
	};

	return cmocka_run_group_tests_name("hotspot_jvm", tests, NULL, NULL);
}
