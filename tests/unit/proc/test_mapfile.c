/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/workdir.h"
#include "proc/mapfile.h"

#define NOBODY 65534
#define SIGHT(d, i) (&(struct file_sight){ .file = { .dev = (d), .ino = (i) } })

/* A process that has one file mapped, executable, and waits. */
struct mapper {
	pid_t pid;
	struct maps maps;
	const struct map_range *range;
};

static pid_t test_pid;

/* cmocka's jumps do not cross a fork: in a child a failure is an exit status. */
static void must(bool ok)
{
	if (!ok && getpid() != test_pid)
		_exit(7);
	assert_true(ok);
}

static void map_and_wait(const char *path, int ready)
{
	int fd = open(path, O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	/* a failing test must not leave it behind */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (fd < 0 || at == MAP_FAILED || write(ready, &at, sizeof(at)) != sizeof(at))
		_exit(1);
	close(fd);
	for (;;)
		pause();
}

static void mapper__start(struct mapper *m, struct workdir *w, const char *name)
{
	const char *path = workdir__path(w, name);
	void *at = NULL;
	int ready[2];

	workdir__write(w, name, "the first", 9);
	must(!chmod(path, 0644));
	must(!pipe(ready));
	m->pid = fork();
	if (!m->pid)
		map_and_wait(path, ready[1]);
	must(read(ready[0], &at, sizeof(at)) == sizeof(at));
	close(ready[0]);
	close(ready[1]);
	must(!maps__read(&m->maps, (u32)m->pid, NULL));
	m->range = maps__find(&m->maps, (u64)(uintptr_t)at);
	must(m->range);
}

static void mapper__stop(struct mapper *m)
{
	if (m->pid) {
		kill(m->pid, SIGKILL);
		waitpid(m->pid, NULL, 0);
	}
	m->pid = 0;
}

static void mapper__done(struct mapper *m)
{
	mapper__stop(m);
	maps__done(&m->maps);
}

/* Opens, and compares what is read. */
static int open_and_read(struct mapper *m, const char *want)
{
	char text[32] = "";
	int fd = -1, r = module_file_open((u32)m->pid, m->range, &fd, NULL);

	if (r)
		return r;
	must(read(fd, text, sizeof(text) - 1) >= 0);
	must(!strcmp(text, want));
	must(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	close(fd);
	return 0;
}

static struct workdir dir;

static int setup(void **state)
{
	(void)state;
	test_pid = getpid();
	workdir__init(&dir);
	return chmod(dir.path, 0777);
}

static int teardown(void **state)
{
	(void)state;
	workdir__done(&dir);
	return 0;
}

/* Runs `check` as a user who may not use map_files. */
static void without_privilege(void (*check)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!getuid() && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(9);
		/* a change of user takes /proc/self away */
		prctl(PR_SET_DUMPABLE, 1);
		check();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool have_map_files(void)
{
	return !access("/proc/self/map_files", R_OK) && !getuid();
}

static void test_module_file_open_finds_the_file(void **state)
{
	struct mapper m;

	(void)state;
	mapper__start(&m, &dir, "plain");
	assert_int_equal(open_and_read(&m, "the first"), 0);
	mapper__done(&m);
}

static void test_module_file_open_finds_a_deleted_file(void **state)
{
	struct mapper m;

	(void)state;
	if (!have_map_files())
		skip();
	mapper__start(&m, &dir, "deleted");
	unlink(workdir__path(&dir, "deleted"));
	assert_int_equal(open_and_read(&m, "the first"), 0);
	mapper__done(&m);
}

static void test_module_file_open_finds_a_replaced_file(void **state)
{
	struct mapper m;

	(void)state;
	if (!have_map_files())
		skip();
	mapper__start(&m, &dir, "replaced");
	unlink(workdir__path(&dir, "replaced"));
	workdir__write(&dir, "replaced", "the second", 10);
	assert_int_equal(open_and_read(&m, "the first"), 0);
	mapper__done(&m);
}

static void test_module_file_open_reads_strange_names(void **state)
{
	static const char *const names[] = { "new\nline", "is (deleted)", "a  b\\012c",
					     "\n (deleted)" };
	struct mapper m;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		struct map_range range;
		int fd;

		mapper__start(&m, &dir, names[i]);
		/* another range than the real one: map_files cannot help */
		range = *m.range;
		range.end += 4096;
		assert_int_equal(module_file_open((u32)m.pid, &range, &fd, NULL), 0);
		close(fd);
		assert_int_equal(module_file_open_path(range.path, SIGHT(range.dev, range.ino), &fd,
						       NULL),
				 0);
		close(fd);
		mapper__done(&m);
	}
}

static void check_replaced_without_privilege(void)
{
	struct mapper m;
	struct err err = { 0 };
	int fd, r;

	mapper__start(&m, &dir, "unprivileged");
	if (open_and_read(&m, "the first"))
		_exit(2);
	unlink(workdir__path(&dir, "unprivileged"));
	r = module_file_open((u32)m.pid, m.range, &fd, &err);
	/* the only door left is map_files, and that one is shut */
	if (r != -EACCES || !strstr(err.msg, "permission"))
		_exit(3);
	workdir__write(&dir, "unprivileged", "the second", 10);
	if (module_file_open((u32)m.pid, m.range, &fd, &err) != -EACCES)
		_exit(4);
	mapper__done(&m);
}

static void test_module_file_open_never_takes_another_file(void **state)
{
	(void)state;
	without_privilege(check_replaced_without_privilege);
}

/* The text of the program itself, when its file is gone: /proc/PID/exe. */
static void check_deleted_program(void)
{
	struct maps maps;
	size_t i;
	int fd = -1, in[2];
	pid_t pid;

	if (pipe(in))
		_exit(2);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		dup2(in[0], 0);
		close(in[1]);
		execl(workdir__path(&dir, "program"), "program", NULL);
		_exit(1);
	}
	for (i = 0; i < 1000 && access(workdir__path(&dir, "started"), F_OK); i++)
		usleep(5000);
	unlink(workdir__path(&dir, "program"));
	if (maps__read(&maps, (u32)pid, NULL))
		_exit(3);
	for (i = 0; i < maps.len; i++) {
		if (strstr(maps.ranges[i].path, "/program"))
			break;
	}
	if (i == maps.len || !maps.ranges[i].deleted)
		_exit(4);
	if (module_file_open((u32)pid, &maps.ranges[i], &fd, NULL))
		_exit(5);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void test_module_file_open_finds_a_deleted_program(void **state)
{
	(void)state;
	if (!workdir_have("cc"))
		skip();
	assert_true(workdir__run(&dir,
				 "echo 'int creat(const char*,int); long read(int,void*,long);"
				 " int main(void){ char c; creat(\"%s\",0600);"
				 " return (int)read(0,&c,1);}' >p.c &&"
				 " $CC -w -o program p.c && chmod 755 program",
				 workdir__path(&dir, "started")));
	without_privilege(check_deleted_program);
}

static void test_module_file_open_says_what_happened(void **state)
{
	struct map_range range = { .path = "[anon]", .start = 4096, .end = 8192 };
	struct err err = { 0 };
	struct mapper m;
	int fd;

	(void)state;
	assert_int_equal(module_file_open((u32)getpid(), &range, &fd, &err), -EINVAL);
	mapper__start(&m, &dir, "late");
	mapper__stop(&m);
	/* the process is gone, but the file is still there */
	assert_int_equal(open_and_read(&m, "the first"), 0);
	assert_int_equal(rename(workdir__path(&dir, "late"), workdir__path(&dir, "moved")), 0);
	assert_int_equal(module_file_open(0, m.range, &fd, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "late' no longer exists"));
	workdir__write(&dir, "late", "the second", 10);
	assert_int_equal(module_file_open(0, m.range, &fd, &err), -ESTALE);
	assert_non_null(strstr(err.msg, "another file"));
	mapper__done(&m);
}

static void test_module_file_open_path_wants_device_and_inode(void **state)
{
	struct stat st;
	const char *path;
	int fd;

	(void)state;
	workdir__write(&dir, "exact", "x", 1);
	path = workdir__path(&dir, "exact");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(module_file_open_path(path, SIGHT(st.st_dev, st.st_ino), &fd, NULL), 0);
	close(fd);
	assert_int_equal(module_file_open_path(path, SIGHT(st.st_dev + 1, st.st_ino), &fd, NULL),
			 -ESTALE);
	assert_int_equal(module_file_open_path(path, SIGHT(st.st_dev, st.st_ino + 1), &fd, NULL),
			 -ESTALE);
	assert_int_equal(module_file_open_path(path, SIGHT(0, 0), &fd, NULL), -EINVAL);
	assert_int_equal(module_file_open_path("exact", SIGHT(st.st_dev, st.st_ino), &fd, NULL),
			 -ENOENT);
}

static void test_module_file_open_path_does_not_wait_for_a_fifo(void **state)
{
	struct stat st;
	const char *path = workdir__path(&dir, "fifo");
	int fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(module_file_open_path(path, SIGHT(st.st_dev, st.st_ino), &fd, NULL),
			 -ESTALE);
}

static u64 changed_ns(const struct stat *st)
{
	return (u64)st->st_ctim.tv_sec * NSEC_PER_SEC + (u64)st->st_ctim.tv_nsec;
}

/* A file, and what is seen of it; with its generation where that is known. */
static void see(const char *name, struct file_sight *ret, struct stat *ret_st)
{
	int fd;

	workdir__write(&dir, name, "the first", 9);
	fd = workdir__open(&dir, name);
	assert_int_equal(fstat(fd, ret_st), 0);
	*ret = (struct file_sight){
		.file = { .dev = ret_st->st_dev,
			  .ino = ret_st->st_ino,
			  .generation = module_file_generation(fd) },
	};
	close(fd);
}

/* Deletes and writes anew until the inode has the same number; skips where that does not happen. */
static void reuse(const char *name, u64 ino)
{
	const char *path = workdir__path(&dir, name);
	struct stat st = { 0 };
	int i;

	for (i = 0; i < 50 && st.st_ino != ino; i++) {
		assert_int_equal(unlink(path), 0);
		workdir__write(&dir, name, "the second", 10);
		assert_int_equal(stat(path, &st), 0);
	}
	if (st.st_ino != ino)
		skip();
}

static void test_module_file_open_path_takes_no_later_file_of_the_same_inode(void **state)
{
	const char *path = workdir__path(&dir, "reused");
	struct file_sight first;
	struct stat st;
	int fd;

	(void)state;
	see("reused", &first, &st);
	if (!first.file.generation)
		skip();
	/* long after the trace began, but the very file */
	first.since_ns = 1;
	assert_int_equal(module_file_open_path(path, &first, &fd, NULL), 0);
	close(fd);
	reuse("reused", first.file.ino);
	first.since_ns = 0;
	assert_int_equal(module_file_open_path(path, &first, &fd, NULL), -ESTALE);
	/* of unknown generation: the number alone says nothing */
	first.file.generation = 0;
	assert_int_equal(module_file_open_path(path, &first, &fd, NULL), 0);
	close(fd);
	first.since_ns = changed_ns(&st);
	assert_int_equal(module_file_open_path(path, &first, &fd, NULL), -ESTALE);
}

static void test_module_file_open_path_of_unknown_generation_wants_an_old_file(void **state)
{
	const char *path = workdir__path(&dir, "old");
	struct file_sight sight;
	struct stat st;
	int fd;

	(void)state;
	see("old", &sight, &st);
	sight.file.generation = 0;
	sight.since_ns = changed_ns(&st) + NSEC_PER_SEC;
	assert_int_equal(module_file_open_path(path, &sight, &fd, NULL), 0);
	close(fd);
	/* within the tick of the clock that stamps files, it may be younger than it says */
	sight.since_ns = changed_ns(&st) + NSEC_PER_MSEC;
	assert_int_equal(module_file_open_path(path, &sight, &fd, NULL), -ESTALE);
}

static void test_module_file_open_seen_requires_the_generation_on_every_path(void **state)
{
	struct file_sight sight = { 0 };
	struct mapper m;
	int fd;

	(void)state;
	mapper__start(&m, &dir, "seen");
	assert_int_equal(module_file_open((u32)m.pid, m.range, &fd, NULL), 0);
	sight.file.generation = module_file_generation(fd);
	close(fd);
	if (!sight.file.generation) {
		mapper__done(&m);
		skip();
	}
	assert_int_equal(module_file_open_seen((u32)m.pid, m.range, &sight, &fd, NULL), 0);
	close(fd);
	/* the process had another file there when it was seen, and that had the same number */
	sight.file.generation ^= 1;
	assert_int_equal(module_file_open_seen((u32)m.pid, m.range, &sight, &fd, NULL), -ESTALE);
	mapper__done(&m);
}

static void test_module_file_open_seen_trusts_a_mapping_more_than_a_path(void **state)
{
	struct file_sight sight = { .since_ns = 1 };
	struct map_range other;
	struct mapper m;
	int fd;

	(void)state;
	if (!have_map_files())
		skip();
	mapper__start(&m, &dir, "trusted");
	assert_int_equal(module_file_open_seen((u32)m.pid, m.range, &sight, &fd, NULL), 0);
	close(fd);
	/* no such mapping: what is left are the paths */
	other = *m.range;
	other.end += 4096;
	assert_int_equal(module_file_open_seen((u32)m.pid, &other, &sight, &fd, NULL), -ESTALE);
	mapper__done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_module_file_open_finds_the_file),
		cmocka_unit_test(test_module_file_open_finds_a_deleted_file),
		cmocka_unit_test(test_module_file_open_finds_a_replaced_file),
		cmocka_unit_test(test_module_file_open_reads_strange_names),
		cmocka_unit_test(test_module_file_open_never_takes_another_file),
		cmocka_unit_test(test_module_file_open_finds_a_deleted_program),
		cmocka_unit_test(test_module_file_open_says_what_happened),
		cmocka_unit_test(test_module_file_open_path_wants_device_and_inode),
		cmocka_unit_test(test_module_file_open_path_does_not_wait_for_a_fifo),
		cmocka_unit_test(test_module_file_open_path_takes_no_later_file_of_the_same_inode),
		cmocka_unit_test(
			test_module_file_open_path_of_unknown_generation_wants_an_old_file),
		cmocka_unit_test(test_module_file_open_seen_requires_the_generation_on_every_path),
		cmocka_unit_test(test_module_file_open_seen_trusts_a_mapping_more_than_a_path),
	};

	return cmocka_run_group_tests_name("mapfile", tests, setup, teardown);
}
