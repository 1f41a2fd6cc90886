/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files say which words of the process's memory lead to the variable (elf/thread_variable.h), and
 * the dynamic linker has filled those in when the process serves requests. So no list of loaded
 * modules is read, whose layout is the C library's own. Only the table of blocks is: glibc's.
 */
#include "capture/request/thread_contexts.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "elf/variable/thread_variable.h"
#include "proc/mapfile.h"
#include "proc/maps.h"

#define VARIABLE "otel_thread_ctx_v1"
/* Then all are forgotten, and read again. */
#define FILES_MAX 8192
/*
 * Less than the address of any data in a file, which is what an older glibc keeps in the place of a
 * descriptor that was not used yet.
 */
#define MODULES_MAX 0xfff
/* Of one module; and of all, before the thread pointer. */
#define BLOCK_MAX (1LL << 31)

struct served_program {
	u64 image;
	u64 due_mono_ns; /* of the next look; ~0: it was found. Not part of the key from here on */
	u32 tgid;
	u32 looks;
	bool is_gone;
};

/* An inode number may be that of a file that was deleted; its time of change is another one. */
struct context_file {
	u64 dev;
	u64 ino;
	u64 changed_ns;
	u64 sz;
	struct thread_variable var; /* not part of the key from here on */
	u64 bias; /* of its code: address minus offset */
	bool is_known;
};

int thread_contexts__init(struct thread_contexts *tc, int fd)
{
	int r;

	*tc = (struct thread_contexts){ .fd = fd, .due_mono_ns = ~0ULL };
	r = intern__init(&tc->programs, sizeof(struct served_program),
			 offsetof(struct served_program, due_mono_ns));
	return r ? r :
		   intern__init(&tc->files, sizeof(struct context_file),
				offsetof(struct context_file, var));
}

void thread_contexts__done(struct thread_contexts *tc)
{
	intern__done(&tc->programs);
	intern__done(&tc->files);
}

static bool forget_file(void *arg, void *item)
{
	(void)arg;
	(void)item;
	return false;
}

/* What is no program has no variable. */
static int read_file(int fd, const char *path, struct context_file *file)
{
	struct image *img;
	int r = image__open(fd, path, &img, NULL);

	if (r == -ENOMEM)
		return r;
	file->is_known = true;
	if (r)
		return 0;
	if (!image__bias(img, &file->bias) || !thread_variable_find(img, VARIABLE, &file->var))
		file->var.way = THREAD_VARIABLE_NONE;
	image__free(img);
	return 0;
}

static int known_file(struct thread_contexts *tc, int fd, const char *path,
		      struct context_file **ret)
{
	struct context_file key = { 0 };
	struct stat st;
	u32 id;
	int r;

	if (fstat(fd, &st))
		return 0;
	key.dev = st.st_dev;
	key.ino = st.st_ino;
	key.changed_ns = (u64)st.st_ctim.tv_sec * NSEC_PER_SEC + (u64)st.st_ctim.tv_nsec;
	key.sz = (u64)st.st_size;
	if (intern__len(&tc->files) > FILES_MAX)
		intern__retain(&tc->files, forget_file, NULL);
	r = intern__add(&tc->files, &key, &id);
	if (r)
		return r;
	*ret = intern__at(&tc->files, id);
	return (*ret)->is_known ? 0 : read_file(fd, path, *ret);
}

/* The file behind a mapping, read once; NULL if it cannot be opened. -ENOMEM or 0. */
static int file_of(struct thread_contexts *tc, u32 tgid, const struct map_range *range,
		   struct context_file **ret)
{
	int fd, r = module_file_open(tgid, range, &fd, NULL);

	*ret = NULL;
	if (r)
		return r == -ENOMEM ? r : 0;
	r = known_file(tc, fd, range->path, ret);
	close(fd);
	return r;
}

static bool read_words(u32 tgid, u64 addr, u64 *words, size_t n)
{
	struct iovec local = { .iov_base = words, .iov_len = n * sizeof(*words) };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)addr,
				.iov_len = n * sizeof(*words) };

	return process_vm_readv((pid_t)tgid, &local, 1, &remote, 1, 0) == (ssize_t)local.iov_len;
}

static void take_offset(s64 offset, struct cs_thread_context *ret)
{
	*ret = (struct cs_thread_context){ .is_found = offset < 0 && offset > -BLOCK_MAX,
					   .offset = offset };
}

static void take_module(u64 module, u64 offset, struct cs_thread_context *ret)
{
	*ret = (struct cs_thread_context){
		.is_found = module && module <= MODULES_MAX && offset < BLOCK_MAX,
		.module = module,
		.offset = (s64)offset,
	};
}

static void resolve_module(u32 tgid, u64 addr, struct cs_thread_context *ret)
{
	u64 words[2];

	if (read_words(tgid, addr, words, 2))
		take_module(words[0], words[1], ret);
}

static void resolve(u32 tgid, const struct thread_variable *var, u64 load,
		    struct cs_thread_context *ret)
{
	u64 addr = load + var->place, word;

	*ret = (struct cs_thread_context){ 0 };
	switch (var->way) {
	case THREAD_VARIABLE_PROGRAM:
		take_offset(var->value, ret);
		break;
	case THREAD_VARIABLE_OFFSET:
		if (read_words(tgid, addr, &word, 1))
			take_offset((s64)word, ret);
		break;
	case THREAD_VARIABLE_DESCRIPTOR:
		if (!read_words(tgid, addr + sizeof(word), &word, 1))
			break;
		if ((s64)word < 0)
			take_offset((s64)word, ret);
		else
			resolve_module(tgid, word, ret);
		break;
	case THREAD_VARIABLE_MODULE:
		resolve_module(tgid, addr, ret);
		break;
	case THREAD_VARIABLE_OWN_MODULE:
		if (read_words(tgid, addr, &word, 1))
			take_module(word, (u64)var->value, ret);
		break;
	case THREAD_VARIABLE_NONE:
		break;
	}
}

/* By its loader. Others, such as musl, have another table of blocks. */
static bool is_glibc(const struct maps *maps)
{
	return maps__code_named(maps, "ld-linux-x86-64.so.2", true) ||
	       maps__code_named(maps, "ld-2.", false);
}

static int look_in_maps(struct thread_contexts *tc, u32 tgid, const struct maps *maps,
			struct cs_thread_context *ret)
{
	const struct map_range *before = NULL;

	for (size_t i = 0; i < maps->len; i++) {
		const struct map_range *range = &maps->ranges[i];
		struct context_file *file;
		int r;

		if (!map_range__is_file(range) ||
		    (before && before->dev == range->dev && before->ino == range->ino))
			continue;
		before = range;
		r = file_of(tc, tgid, range, &file);
		if (r)
			return r;
		if (!file || file->var.way == THREAD_VARIABLE_NONE)
			continue;
		resolve(tgid, &file->var, range->start - range->off - file->bias, ret);
		if (ret->is_found && (!ret->module || is_glibc(maps)))
			return 0;
	}
	*ret = (struct cs_thread_context){ 0 };
	return 0;
}

int thread_contexts__look(struct thread_contexts *tc, u32 tgid, struct cs_thread_context *ret,
			  struct err *err)
{
	struct maps maps;
	int r = maps__read(&maps, tgid, err);

	*ret = (struct cs_thread_context){ 0 };
	if (r)
		return r;
	r = look_in_maps(tc, tgid, &maps, ret);
	maps__done(&maps);
	return r ? err__nomem(err) : 0;
}

/* After 1 s, 10 s, and then each minute. */
static u64 pause_after(u32 looks)
{
	return looks == 1 ? NSEC_PER_SEC : looks == 2 ? 10 * NSEC_PER_SEC : 60 * NSEC_PER_SEC;
}

static int look(struct thread_contexts *tc, struct served_program *p)
{
	struct cs_thread_context found;
	struct err err = { 0 };
	int r = thread_contexts__look(tc, p->tgid, &found, &err);

	p->looks++;
	p->due_mono_ns = found.is_found ? ~0ULL : clock_mono_ns() + pause_after(p->looks);
	p->is_gone = r == -ESRCH;
	if (r == -ENOMEM)
		return r;
	if (r)
		log_debug("%s", err.msg);
	else if (found.is_found)
		log_debug("process %u: has a thread context, module %llu, offset %lld", p->tgid,
			  found.module, found.offset);
	/* It also clears what marks have set: the next look needs another one. */
	if (bpf_map_update_elem(tc->fd, &p->image, &found, BPF_ANY))
		log_debug("process %u: no room for its thread context", p->tgid);
	if (p->due_mono_ns < tc->due_mono_ns)
		tc->due_mono_ns = p->due_mono_ns;
	return 0;
}

int thread_contexts__see(struct thread_contexts *tc, u32 tgid, u64 image)
{
	struct served_program key = { .image = image }, *p;
	u32 id;

	if (intern__add(&tc->programs, &key, &id))
		return -ENOMEM;
	p = intern__at(&tc->programs, id);
	p->tgid = tgid;
	return look(tc, p);
}

/* One that serves nothing meanwhile is not looked at. */
static int look_again(struct thread_contexts *tc, struct served_program *p)
{
	struct cs_thread_context now;

	if (!bpf_map_lookup_elem(tc->fd, &p->image, &now) && now.is_seen)
		return look(tc, p);
	p->is_gone = kill((pid_t)p->tgid, 0) && errno == ESRCH;
	p->due_mono_ns = clock_mono_ns() + pause_after(p->looks);
	return 0;
}

static bool is_there(void *arg, void *item)
{
	(void)arg;
	return !((const struct served_program *)item)->is_gone;
}

int thread_contexts__tick(struct thread_contexts *tc, u64 now_mono_ns, u64 *due_mono_ns)
{
	int r = 0;

	if (now_mono_ns >= tc->due_mono_ns) {
		tc->due_mono_ns = ~0ULL;
		for (u32 id = 1; !r && id < intern__len(&tc->programs); id++) {
			struct served_program *p = intern__at(&tc->programs, id);

			if (p->due_mono_ns <= now_mono_ns)
				r = look_again(tc, p);
			if (!p->is_gone && p->due_mono_ns < tc->due_mono_ns)
				tc->due_mono_ns = p->due_mono_ns;
		}
		intern__retain(&tc->programs, is_there, NULL);
	}
	if (tc->due_mono_ns < *due_mono_ns)
		*due_mono_ns = tc->due_mono_ns;
	return r;
}

struct forgetting {
	int fd;
	const struct ended *ended;
};

static bool goes_on(void *arg, void *item)
{
	const struct forgetting *f = arg;
	const struct served_program *p = item;

	if (!ended__has_image(f->ended, p->image))
		return true;
	(void)bpf_map_delete_elem(f->fd, &p->image);
	return false;
}

void thread_contexts__forget(struct thread_contexts *tc, const struct ended *ended)
{
	intern__retain(&tc->programs, goes_on, &(struct forgetting){ tc->fd, ended });
}
