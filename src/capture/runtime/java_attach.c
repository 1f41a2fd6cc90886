/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HotSpot's attach protocol, which is the same since Java 6 and documented only in its source. A
 * file .attach_pidPID in the working directory or in /tmp of the JVM, and SIGQUIT, make it listen
 * at /tmp/.java_pidPID. There one connection is one command: "1", its name and three arguments,
 * each terminated by NUL. The answer is a number (0: done), a newline, and text.
 *
 * SIGQUIT kills a process that does not expect it. It is therefore sent only to a process that has
 * libjvm.so mapped, catches the signal, and was not told to leave signals or attaching alone (-Xrs,
 * -XX:+DisableAttachMechanism). A JVM that already listens gets none.
 *
 * The JVM only talks to its own user, so we switch to that user meanwhile, with raw system calls,
 * which affect only this thread. Paths are opened below /proc/PID/root before that. The socket is
 * reached through our own descriptor, because it may be in another mount namespace.
 */
#include "capture/runtime/java_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "capture/runtime/hotspot.h"
#include "proc/maps.h"
#include "proc/task.h"
#include "proc/words.h"

#define POLL_NS (10 * NSEC_PER_MSEC)
#define ANSWER_MAX_SZ 4096
#define STATUS_MAX_SZ (64UL << 10)

/* One conversation with one JVM. */
struct talk {
	u32 tgid;
	struct task_status task;
	u32 gid; /* effective */
	int pid_fd; /* opened before checking the process: a signal reaches it or nobody */
	int tmp_fd; /* its /tmp, O_PATH */
	u64 deadline_mono_ns;
	uid_t own_uid; /* our own, to switch back to */
	gid_t own_gid;
	bool disguised;
};

static int open_tmp(struct talk *t, struct err *err)
{
	/* a file is created there: no link may lead out of its root */
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT,
	};
	char path[40];
	int root_fd;

	snprintf(path, sizeof(path), "/proc/%u/root", t->tgid);
	root_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	t->tmp_fd = root_fd < 0 ? -1 : (int)syscall(SYS_openat2, root_fd, "tmp", &how, sizeof(how));
	if (t->tmp_fd < 0) {
		int r = -errno;

		if (root_fd >= 0)
			close(root_fd);
		return err__set(err, r, "cannot open the /tmp of JVM %u: %s", t->tgid, err_str(r));
	}
	close(root_fd);
	return 0;
}

/* The rest of the line of /proc/PID/status that begins with `key`; false if there is none. */
static bool status_line(const char *text, const char *key, struct view *ret)
{
	const char *at = strstr(text, key);

	if (!at)
		return false;
	*ret = view__of_str(at + strlen(key));
	view__blank(ret);
	return true;
}

/* Reads the JVM's user, and whether SIGQUIT would kill it. */
static int read_status(struct talk *t, struct err *err)
{
	char path[40], *text;
	struct view line;
	u64 caught = 0;
	size_t sz;
	int r = task_status__read(&t->task, t->tgid, err);

	if (r)
		return r;
	snprintf(path, sizeof(path), "/proc/%u/status", t->tgid);
	r = file_read(path, STATUS_MAX_SZ, &text, &sz, err);
	if (r)
		return r;
	if (status_line(text, "\nSigCgt:", &line))
		caught = view__hex(&line);
	if (status_line(text, "\nGid:", &line)) {
		view__dec(&line);
		view__blank(&line);
		t->gid = (u32)view__dec(&line);
	}
	mem_free(text);
	if (!(caught >> (SIGQUIT - 1) & 1))
		return err__set(err, -EOPNOTSUPP,
				"JVM %u ignores SIGQUIT (-Xrs?): no "
				"Java names",
				t->tgid);
	return 0;
}

static int check_options(const struct talk *t, enum process_words_of of, struct err *err)
{
	struct process_words w;
	bool off;

	if (process_words__read(&w, t->tgid, of, NULL))
		return 0;
	off = process_words__has(&w, "-XX:+DisableAttachMechanism") ||
	      process_words__has(&w, "-Xrs");
	process_words__done(&w);
	return off ? err__set(err, -EOPNOTSUPP,
			      "JVM %u was started with -XX:+DisableAttachMechanism or -Xrs: no "
			      "Java names",
			      t->tgid) :
		     0;
}

/* Whether it is a JVM that supports attaching. */
static int check_process(struct talk *t, struct err *err)
{
	bool is_jvm;
	struct maps maps;
	int r = maps__read(&maps, t->tgid, err);

	if (r)
		return r;
	is_jvm = maps__code_named(&maps, HOTSPOT_LIBRARY, true);
	maps__done(&maps);
	if (!is_jvm)
		return err__set(err, -ENOENT, "process %u is not a HotSpot JVM: no Java names",
				t->tgid);
	r = read_status(t, err);
	if (!r)
		r = check_options(t, PROCESS_CMDLINE, err);
	return r ? r : check_options(t, PROCESS_ENVIRON, err);
}

static int set_ids(uid_t uid, gid_t gid, bool uid_first)
{
	if (uid_first && syscall(SYS_setresuid, -1, uid, -1))
		return -errno;
	if (syscall(SYS_setresgid, -1, gid, -1))
		return -errno;
	if (!uid_first && syscall(SYS_setresuid, -1, uid, -1))
		return -errno;
	return 0;
}

static int disguise(struct talk *t, struct err *err)
{
	int r;

	t->own_uid = geteuid();
	t->own_gid = getegid();
	if (t->own_uid == t->task.euid && t->own_gid == t->gid)
		return 0;
	r = set_ids(t->task.euid, t->gid, false);
	if (r) {
		set_ids(t->own_uid, t->own_gid, true);
		return err__set(err, -EPERM,
				"JVM %u belongs to another user, %u: run as root or as that user",
				t->tgid, t->task.euid);
	}
	t->disguised = true;
	return 0;
}

/* A process that cannot switch back must not continue. */
static void undisguise(const struct talk *t)
{
	if (t->disguised && set_ids(t->own_uid, t->own_gid, true))
		abort();
}

static bool listens(const struct talk *t)
{
	char name[32];
	struct stat st;

	snprintf(name, sizeof(name), ".java_pid%u", t->task.ns_pid);
	/* in /tmp, where anybody may have created it */
	return !fstatat(t->tmp_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISSOCK(st.st_mode) &&
	       (st.st_uid == t->task.euid || !st.st_uid);
}

/* Waits until it listens, or until the timeout. */
static int wait_for_socket(const struct talk *t, struct err *err)
{
	u64 now;

	while (!listens(t)) {
		now = clock_mono_ns();
		if (now >= t->deadline_mono_ns)
			return err__set(err, -ETIMEDOUT, "JVM %u does not answer: no Java names",
					t->tgid);
		clock_sleep_until_mono_ns(now + POLL_NS);
	}
	return 0;
}

/* Makes it listen. The file is looked for in the working directory first, but also in /tmp. */
static int wake_listener(const struct talk *t, struct err *err)
{
	char name[32];
	int fd, r;

	if (listens(t))
		return 0;
	snprintf(name, sizeof(name), ".attach_pid%u", t->task.ns_pid);
	fd = openat(t->tmp_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno != EEXIST) {
		r = -errno;
		return err__set(err, r, "cannot make '/tmp/%s' for JVM %u: %s", name, t->tgid,
				err_str(r));
	}
	if (fd >= 0)
		close(fd);
	r = syscall(SYS_pidfd_send_signal, t->pid_fd, SIGQUIT, NULL, 0) ? -errno : 0;
	if (r)
		err__set(err, r, "cannot signal JVM %u: %s", t->tgid, err_str(r));
	else
		r = wait_for_socket(t, err);
	if (fd >= 0)
		unlinkat(t->tmp_fd, name, 0);
	return r;
}

static int connect_to(const struct talk *t, int fd)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "/proc/self/fd/%d/.java_pid%u", t->tmp_fd,
		 t->task.ns_pid);
	return connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) ? -errno : 0;
}

static int wait_for(const struct talk *t, int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };
	u64 now = clock_mono_ns();
	int n;

	if (now >= t->deadline_mono_ns)
		return -ETIMEDOUT;
	n = poll(&p, 1, (int)((t->deadline_mono_ns - now) / NSEC_PER_MSEC) + 1);
	return n > 0 ? 0 : !n ? -ETIMEDOUT : errno == EINTR ? 0 : -errno;
}

/* The answer as a string; it ends when the JVM closes the connection. */
static int read_answer(const struct talk *t, int fd, char *buf, size_t sz)
{
	size_t len = 0;

	for (;;) {
		int r = wait_for(t, fd, POLLIN);
		ssize_t n;

		if (r)
			return r;
		n = read(fd, buf + len, sz - 1 - len);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		buf[len] = '\0';
		if (!n || len == sz - 1)
			return 0;
	}
}

static int ask(const struct talk *t, char *answer, size_t sz, struct err *err)
{
	/* version, command, and three arguments */
	static const char command[] = "1\0jcmd\0Compiler.perfmap\0\0";
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int r = fd < 0 ? -errno : connect_to(t, fd);

	/* a few bytes always fit an empty socket */
	if (!r && send(fd, command, sizeof(command), MSG_NOSIGNAL) != (ssize_t)sizeof(command))
		r = -EIO;
	if (!r)
		r = read_answer(t, fd, answer, sz);
	if (fd >= 0)
		close(fd);
	if (r == -ETIMEDOUT)
		return err__set(err, r, "JVM %u does not answer in time: no Java names", t->tgid);
	return r ? err__set(err, r, "cannot talk to JVM %u: %s", t->tgid, err_str(r)) : 0;
}

static int judge(const struct talk *t, char *answer, struct err *err)
{
	struct view v = view__of_str(answer), line;
	u64 code = view__dec(&v);

	if (!v.bad && !code)
		return 0;
	if (strstr(answer, "Unknown diagnostic command"))
		return err__set(err, -EOPNOTSUPP,
				"JVM %u has no command Compiler.perfmap (Java 17 and newer have "
				"it): no Java names",
				t->tgid);
	view__accept(&v, '\n');
	if (!view__line(&v, &line))
		line = view__of_str("no answer");
	return err__set(err, -EPROTO, "JVM %u did not write its perf map: %.*s", t->tgid,
			(int)(view__left(&line) < 200 ? view__left(&line) : 200),
			(const char *)line.p);
}

static int talk(struct talk *t, char *answer, size_t sz, struct err *err)
{
	int r = disguise(t, err);

	if (!r)
		r = wake_listener(t, err);
	if (!r)
		r = ask(t, answer, sz, err);
	undisguise(t);
	return r;
}

int java_write_perfmap(u32 tgid, u64 timeout_ns, struct err *err)
{
	struct talk t = { .tgid = tgid, .tmp_fd = -1 };
	char answer[ANSWER_MAX_SZ] = "";
	int r;

	t.deadline_mono_ns = clock_mono_ns() + timeout_ns;
	t.pid_fd = (int)syscall(SYS_pidfd_open, tgid, 0);
	if (t.pid_fd < 0) {
		r = -errno;
		return err__set(err, r, "cannot open process %u: %s", tgid, err_str(r));
	}
	r = check_process(&t, err);
	if (!r)
		r = open_tmp(&t, err);
	if (!r)
		r = talk(&t, answer, sizeof(answer), err);
	if (t.tmp_fd >= 0)
		close(t.tmp_fd);
	close(t.pid_fd);
	return r ? r : judge(&t, answer, err);
}
