/* SPDX-License-Identifier: Apache-2.0 */

/* BPF iterators: a program that runs for each task while a file is read. */
#include "capture/program/walks.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/mem.h"

static const struct walk_bounds no_bounds = { .until_ns = ~0ULL, .records_max = ~0UL };

/* The kernel yields the CPU after a million items without a record: EAGAIN. */
static ssize_t read_some(int fd, char *buf, size_t sz, u64 until_ns)
{
	ssize_t n;

	do {
		n = read(fd, buf, sz);
	} while (n < 0 && (errno == EINTR || (errno == EAGAIN && clock_mono_ns() <= until_ns)));
	return n;
}

/*
 * `record` has room for one; an incomplete record at the end is dropped. -EAGAIN, without a
 * message, at one of the bounds.
 */
static int read_records(int fd, char *record, const struct walk_bounds *bounds,
			struct vec *ret_records, struct err *err)
{
	size_t have = 0, sz = ret_records->elem_sz;

	for (;;) {
		ssize_t n = read_some(fd, record + have, sz - have, bounds->until_ns);
		void *slot;

		if (n < 0 && errno == EAGAIN)
			return -EAGAIN;
		if (n < 0)
			return err__set(err, -errno, "the walk over all threads failed: %s",
					err_str(errno));
		if (!n)
			return 0;
		have += (size_t)n;
		if (have < sz)
			continue;
		have = 0;
		if (ret_records->len == bounds->records_max)
			return -EAGAIN;
		slot = vec__push(ret_records);
		if (!slot)
			return err__nomem(err);
		memcpy(slot, record, sz);
	}
}

static struct bpf_link *attach(struct bpf_program *prog, u32 tid)
{
	union bpf_iter_link_info info = { .task.tid = tid };
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));
	struct bpf_link *link = tid ? bpf_program__attach_iter(prog, &opts) : NULL;

	return link ? link : bpf_program__attach_iter(prog, NULL);
}

static int walk(struct bpf_link *link, const struct walk_bounds *bounds, struct vec *ret_records,
		struct err *err)
{
	char *record = mem_alloc(ret_records->elem_sz);
	int fd = -1, r = 0;

	if (!link)
		r = err__set(err, -errno, "cannot start a walk over all threads: %s",
			     err_str(errno));
	else if (!record)
		r = err__nomem(err);
	if (r)
		goto out;
	fd = bpf_iter_create(bpf_link__fd(link));
	if (fd < 0) {
		r = err__set(err, fd, "cannot start a walk over all threads: %s", err_str(fd));
		goto out;
	}
	r = read_records(fd, record, bounds, ret_records, err);
	close(fd);
out:
	mem_free(record);
	bpf_link__destroy(link);
	return r;
}

int walk_tasks(struct bpf_program *prog, u32 tid, struct vec *ret_records, struct err *err)
{
	return walk(attach(prog, tid), &no_bounds, ret_records, err);
}

int walk_prepare(struct bpf_program *prog, struct bpf_link **ret, struct err *err)
{
	*ret = attach(prog, 0);
	return *ret ? 0 :
		      err__set(err, -errno, "cannot start a walk over all threads: %s",
			       err_str(errno));
}

int walk_again(struct bpf_link *link, struct err *err)
{
	int fd = bpf_iter_create(bpf_link__fd(link)), r = 0;
	char none[64];

	if (fd < 0)
		return err__set(err, fd, "cannot start a walk over all threads: %s", err_str(fd));
	if (read_some(fd, none, sizeof(none), ~0ULL) < 0)
		r = err__set(err, -errno, "the walk over all threads failed: %s", err_str(errno));
	close(fd);
	return r;
}

void walk_forget(struct bpf_link **link)
{
	bpf_link__destroy(*link);
	*link = NULL;
}

int walk_files(struct bpf_program *prog, const struct walk_bounds *bounds, struct vec *ret_records,
	       bool *ret_cut, struct err *err)
{
	int r = walk(attach(prog, 0), bounds, ret_records, err);

	*ret_cut = r == -EAGAIN;
	return r == -EAGAIN ? 0 : r;
}
