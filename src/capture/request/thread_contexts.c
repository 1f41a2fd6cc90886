/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files say which words of the process's memory lead to the variable (elf/thread_variable.h), and
 * the dynamic linker has filled those in when the process serves requests. So no list of loaded
 * modules is read, whose layout is the C library's own. Only the table of blocks is: glibc's.
 */
#include "capture/request/thread_contexts.h"

#include <errno.h>
#include <stddef.h>
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
	u64 due_mono_ns; /* of the next look; ~0: it was found */
	u32 tgid;
	u32 looks;
};

struct context_file {
	u64 dev;
	u64 ino;
	struct thread_variable var; /* not part of the key from here on */
	u64 bias; /* of its code: address minus offset */
	bool is_known;
};

int thread_contexts__init(struct thread_contexts *tc, int fd)
{
	*tc = (struct thread_contexts){ .fd = fd, .due_mono_ns = ~0ULL };
	vec__init(&tc->programs, sizeof(struct served_program));
	return intern__init(&tc->files, sizeof(struct context_file),
			    offsetof(struct context_file, var));
}

void thread_contexts__done(struct thread_contexts *tc)
{
	vec__done(&tc->programs);
	intern__done(&tc->files);
}

static bool forget_file(void *arg, void *item)
{
	(void)arg;
	(void)item;
	return false;
}

/* What cannot be opened or is no program of ours has no variable. */
static int read_file(u32 tgid, const struct map_range *range, struct context_file *file)
{
	struct image *img;
	int fd, r = module_file_open(tgid, range, &fd, NULL);

	if (r)
		return r == -ENOMEM ? r : 0;
	r = image__open(fd, range->path, &img, NULL);
	close(fd);
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

/* The file behind a mapping; read once. -ENOMEM or 0. */
static int file_of(struct thread_contexts *tc, u32 tgid, const struct map_range *range,
		   struct context_file **ret)
{
	struct context_file key = { .dev = range->dev, .ino = range->ino };
	u32 id;
	int r;

	if (intern__len(&tc->files) > FILES_MAX)
		intern__retain(&tc->files, forget_file, NULL);
	r = intern__add(&tc->files, &key, &id);
	if (r)
		return r;
	*ret = intern__at(&tc->files, id);
	return (*ret)->is_known ? 0 : read_file(tgid, range, *ret);
}

static bool read_words(u32 tgid, u64 addr, u64 words[2])
{
	struct iovec local = { .iov_base = words, .iov_len = 2 * sizeof(*words) };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)addr,
				.iov_len = 2 * sizeof(*words) };

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

/* The words may be on the last 8 bytes of a mapping if one is enough: then it is not found. */
static void resolve(u32 tgid, const struct thread_variable *var, u64 load,
		    struct cs_thread_context *ret)
{
	u64 words[2];

	*ret = (struct cs_thread_context){ 0 };
	if (var->way == THREAD_VARIABLE_PROGRAM) {
		take_offset(var->value, ret);
		return;
	}
	if (!read_words(tgid, load + var->place, words))
		return;
	switch (var->way) {
	case THREAD_VARIABLE_OFFSET:
		take_offset((s64)words[0], ret);
		break;
	case THREAD_VARIABLE_DESCRIPTOR:
		if ((s64)words[1] < 0)
			take_offset((s64)words[1], ret);
		else if (read_words(tgid, words[1], words))
			take_module(words[0], words[1], ret);
		break;
	case THREAD_VARIABLE_MODULE:
		take_module(words[0], words[1], ret);
		break;
	case THREAD_VARIABLE_OWN_MODULE:
		take_module(words[0], (u64)var->value, ret);
		break;
	default:
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
		if (file->var.way == THREAD_VARIABLE_NONE)
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
	p->due_mono_ns = clock_mono_ns() + pause_after(p->looks);
	if (r == -ENOMEM)
		return r;
	if (r)
		log_debug("%s", err.msg);
	if (found.is_found)
		p->due_mono_ns = ~0ULL;
	/* It also clears what its marks set, so that the next look needs another one. */
	if (bpf_map_update_elem(tc->fd, &p->image, &found, BPF_ANY))
		log_debug("process %u: no room for its thread context", p->tgid);
	log_debug("process %u: %s thread context, module %llu, offset %lld", p->tgid,
		  found.is_found ? "has a" : "has no", found.module, found.offset);
	if (p->due_mono_ns < tc->due_mono_ns)
		tc->due_mono_ns = p->due_mono_ns;
	return 0;
}

int thread_contexts__see(struct thread_contexts *tc, u32 tgid, u64 image)
{
	struct served_program *p = NULL;

	for (size_t i = 0; !p && i < tc->programs.len; i++) {
		struct served_program *at = vec__at(&tc->programs, i);

		if (at->image == image)
			p = at;
	}
	if (!p) {
		p = vec__push(&tc->programs);
		if (!p)
			return -ENOMEM;
		*p = (struct served_program){ .image = image, .tgid = tgid };
	}
	return look(tc, p);
}

/* One that serves nothing meanwhile is not looked at. */
static bool has_served(const struct thread_contexts *tc, const struct served_program *p)
{
	struct cs_thread_context now;

	return !bpf_map_lookup_elem(tc->fd, &p->image, &now) && now.is_seen;
}

int thread_contexts__tick(struct thread_contexts *tc, u64 now_mono_ns, u64 *due_mono_ns)
{
	int r = 0;

	if (now_mono_ns >= tc->due_mono_ns) {
		tc->due_mono_ns = ~0ULL;
		for (size_t i = 0; !r && i < tc->programs.len; i++) {
			struct served_program *p = vec__at(&tc->programs, i);

			if (p->due_mono_ns <= now_mono_ns && has_served(tc, p))
				r = look(tc, p);
			else if (p->due_mono_ns <= now_mono_ns)
				p->due_mono_ns = now_mono_ns + pause_after(p->looks);
			if (p->due_mono_ns < tc->due_mono_ns)
				tc->due_mono_ns = p->due_mono_ns;
		}
	}
	if (tc->due_mono_ns < *due_mono_ns)
		*due_mono_ns = tc->due_mono_ns;
	return r;
}

void thread_contexts__forget(struct thread_contexts *tc, const struct ended *ended)
{
	size_t n = 0;

	for (size_t i = 0; i < tc->programs.len; i++) {
		const struct served_program *p = vec__at(&tc->programs, i);

		if (ended__has_image(ended, p->image))
			(void)bpf_map_delete_elem(tc->fd, &p->image);
		else
			*(struct served_program *)vec__at(&tc->programs, n++) = *p;
	}
	tc->programs.len = n;
}
