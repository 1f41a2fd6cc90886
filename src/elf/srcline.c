/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Debug information is large, and comes from files that may be hostile. libdw supports all of it,
 * but needs the file mapped or in memory, allocates as much as the file says, follows references to
 * other files, and has no time limit. So a child process reads it: it may open nothing and write
 * only to its pipe, has limited memory, is killed when its time is over, and frees everything when
 * it exits. If the file makes it crash, or its owner truncates the mapped file, that file has no
 * lines, and nothing else happens.
 */
#include "elf/srcline.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "elf/image_priv.h"
#include "elf/srcline_go.h"
#include "elf/srcline_priv.h"

/* What the child may allocate on top of what it inherits; mapped files do not count. */
#define CHILD_MEMORY_SZ (512UL << 20)
#define ANSWERS_MAX_SZ (64UL << 20)
#define CHUNK_SZ 65536
#define ALT_LINK_MAX_SZ 4096

/* Whether there is a section of that name with bytes in the file. Does not read it. */
static bool has_section(const struct image *img, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	do {
		scn = image__next_section(img, scn, name, &sh);
	} while (scn && (sh.sh_type == SHT_NOBITS || !sh.sh_size));
	return scn;
}

static bool has_debug_info(const struct image *img)
{
	return has_section(img, ".debug_info") || has_section(img, ".zdebug_info");
}

/* .gnu_debugaltlink is a path and a build ID. */
static int open_alt(const struct image *img, const struct symtab_options *opt)
{
	char build_id[2 * IMAGE_BUILD_ID_MAX + 1];
	const char *path;
	struct view link;
	size_t i, len;
	const u8 *id;

	if (!image__section(img, ".gnu_debugaltlink", ALT_LINK_MAX_SZ, &link))
		return -1;
	path = view__cstr(&link);
	len = view__left(&link);
	id = view__bytes(&link, len);
	if (!path || !id || len < 2 || len > IMAGE_BUILD_ID_MAX)
		return -1;
	for (i = 0; i < len; i++)
		snprintf(build_id + 2 * i, 3, "%02x", id[i]);
	return debugfile_open_alt(path, build_id, opt);
}

/* Does not take ownership of `from`. */
static int keep(const struct image *img, const struct image *from, const struct symtab_options *opt,
		struct srcline_file *ret)
{
	if (!has_debug_info(from))
		return -ENOENT;
	ret->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	if (ret->fd < 0)
		return -errno;
	ret->bias = from->load_vaddr - img->load_vaddr;
	ret->alt_fd = open_alt(from, opt);
	return 0;
}

static int keep_go(const struct image *img, struct srcline_file *ret)
{
	if (img->fd < 0 || !srcline_go_has(img))
		return -ENOENT;
	ret->fd = fcntl(img->fd, F_DUPFD_CLOEXEC, 0);
	ret->go = true;
	return ret->fd < 0 ? -errno : 0;
}

int srcline_file__open(const struct image *img, const struct symtab_options *opt,
		       struct srcline_file *ret)
{
	struct image *debug;
	int r;

	*ret = (struct srcline_file){ .fd = -1, .alt_fd = -1 };
	r = img->fd < 0 ? -ENOENT : keep(img, img, opt, ret);
	if (r != -ENOENT)
		return r;
	r = debugfile_open(img, opt, &debug);
	if (!r) {
		r = keep(img, debug, opt, ret);
		image__free(debug);
	}
	return r == -ENOENT ? keep_go(img, ret) : r;
}

void srcline_file__done(struct srcline_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->alt_fd >= 0)
		close(f->alt_fd);
	f->fd = f->alt_fd = -1;
}

static void limit(int resource, rlim_t value)
{
	const struct rlimit l = { .rlim_cur = value, .rlim_max = value };

	setrlimit((__rlimit_resource_t)resource, &l);
}

/* What counts against RLIMIT_DATA now: the sixth number of statm, in pages. */
static u64 data_sz(void)
{
	struct view text, number = { 0 };
	char *data;
	size_t sz;
	u64 pages;
	int i;

	if (file_read("/proc/self/statm", 4096, &data, &sz, NULL))
		return 0;
	text = view__of(data, sz);
	for (i = 0; i < 6; i++)
		view__token(&text, &number);
	pages = view__dec(&number);
	mem_free(data);
	return pages * (u64)sysconf(_SC_PAGESIZE);
}

static void lock_in(u64 limit_ns)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_CPU, limit_ns / NSEC_PER_SEC + 1);
	limit(RLIMIT_DATA, data_sz() + CHILD_MEMORY_SZ);
	limit(RLIMIT_NOFILE, 0);
}

static void __attribute__((noreturn)) run_child(const struct srcline_job *job, int out_fd)
{
	struct sink out;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	lock_in(job->want.limit_ns);
	sink__init_fd(&out, out_fd);
	r = srcline_job__run(job, &out);
	if (sink__finish(&out, NULL))
		r = -EIO;
	_exit(r ? 1 : 0);
}

/* Reads to the end, at most until the deadline. */
static int gather(int fd, u64 deadline_mono_ns, struct vec *answers, struct err *err)
{
	for (;;) {
		u64 now = clock_mono_ns();
		struct pollfd p = { .fd = fd, .events = POLLIN };
		u8 *chunk;
		ssize_t n;

		if (now >= deadline_mono_ns)
			return err__set(err, -ETIME, "it takes too long");
		if (answers->len > ANSWERS_MAX_SZ)
			return err__set(err, -E2BIG, "it says too much");
		if (poll(&p, 1, (int)((deadline_mono_ns - now) / NSEC_PER_MSEC) + 1) <= 0)
			continue;
		chunk = vec__push_n(answers, CHUNK_SZ);
		if (!chunk)
			return err__nomem(err);
		n = read(fd, chunk, CHUNK_SZ);
		answers->len -= CHUNK_SZ - (n > 0 ? (size_t)n : 0);
		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return err__set(err, -errno, "cannot read a pipe: %s", err_str(errno));
	}
}

/* *ret_pid and the reading end of its pipe; the child does not return. */
static int start(const struct srcline_job *job, pid_t *ret_pid, int *ret_fd, struct err *err)
{
	int fds[2], r;

	if (pipe2(fds, O_CLOEXEC))
		return err__set(err, -errno, "no pipe: %s", err_str(errno));
	*ret_pid = fork();
	if (*ret_pid == 0)
		run_child(job, fds[1]);
	r = *ret_pid < 0 ? -errno : 0;
	close(fds[1]);
	*ret_fd = fds[0];
	if (!r)
		return 0;
	close(fds[0]);
	return err__set(err, r, "no process: %s", err_str(r));
}

/* Kills the child if it has not exited. */
static int finish(pid_t pid, bool early, struct err *err)
{
	int status;
	pid_t ended;

	if (early)
		kill(pid, SIGKILL);
	do
		ended = waitpid(pid, &status, 0);
	while (ended < 0 && errno == EINTR);
	if (ended == pid && !early && status)
		return err__set(err, -EINVAL, "its debug information cannot be read");
	return 0;
}

int srcline_read(const struct srcline_file *f, const u64 *vaddrs, size_t len,
		 const struct srcline_want *want, struct err *err)
{
	const struct srcline_job job = { .file = f, .vaddrs = vaddrs, .len = len, .want = *want };
	u64 deadline = clock_mono_ns() + want->limit_ns;
	struct vec answers;
	int fd = -1, r, ended, told;
	pid_t pid = -1;

	if (f->go)
		return want->lines ? srcline_go_read(f, vaddrs, len, want, err) : 0;
	r = start(&job, &pid, &fd, err);
	if (r)
		return r;
	vec__init(&answers, 1);
	r = gather(fd, deadline, &answers, err);
	close(fd);
	ended = finish(pid, r, r ? NULL : err);
	told = srcline_parse(view__of(answers.data, answers.len), len, want->tell, want->arg);
	vec__done(&answers);
	if (told)
		return told == -EINVAL ? err__set(err, told, "its lines are malformed") : told;
	return r ? r : ended;
}
