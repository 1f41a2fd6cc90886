/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_vm_readv() fails as a whole if its first page cannot be read, and otherwise copies as far
 * as it can; so a window is read in one call and may come out shorter. Mappings are read again
 * after a second, and at once for an address that is in none of them.
 */
#include "visit/process.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "base/mem.h"

#define MAPS_FRESH_NS NSEC_PER_SEC
#define PAGE_SZ 4096ULL

void process__init(struct process *p, u32 tgid, struct code_files *files,
		   struct memory_window *window)
{
	p->window = window;
	p->tgid = tgid;
	p->image = 0;
	p->python_key = 0;
	p->files = files;
	maps__init(&p->maps);
	maps__init(&p->all);
	p->all_read_ns = 0;
	p->maps_read_ns = 0;
	p->maps_missed = false;
	p->denied = false;
	p->error = 0;
	process__forget(p);
}

void process__done(struct process *p)
{
	maps__done(&p->maps);
	maps__done(&p->all);
}

void process__forget(struct process *p)
{
	p->window->sz = 0;
	p->maps_missed = false;
}

/* Bytes from `addr` on; page by page, so that the call stops at the first that is not there. */
static size_t read_some(struct process *p, u64 addr, void *buf, size_t sz)
{
	struct iovec local = { buf, sz }, remote[PROCESS_WINDOW_SZ / PAGE_SZ + 1];
	unsigned long n = 0;
	ssize_t got;

	for (u64 at = addr; at < addr + sz && n < ARRAY_LEN(remote); n++) {
		u64 end = (at & ~(PAGE_SZ - 1)) + PAGE_SZ;

		if (end > addr + sz)
			end = addr + sz;
		remote[n] = (struct iovec){ (void *)(uintptr_t)at, end - at };
		at = end;
	}
	got = process_vm_readv((pid_t)p->tgid, &local, 1, remote, n, 0);
	if (got < 0 && (errno == EPERM || errno == ENOSYS))
		p->denied = true;
	return got < 0 ? 0 : (size_t)got;
}

static bool in_window(const struct memory_window *w, u64 addr, size_t sz)
{
	return addr >= w->addr && addr + sz <= w->addr + w->sz;
}

bool process__read(struct process *p, u64 addr, void *buf, size_t sz)
{
	struct memory_window *w = p->window;

	if (addr + sz < addr || addr < PAGE_SZ || addr >> 62)
		return false;
	/* what is not a word of a stack is code, here and there */
	if (sz != sizeof(u64))
		return read_some(p, addr, buf, sz) == sz;
	if (!in_window(w, addr, sz)) {
		w->addr = addr;
		w->sz = read_some(p, addr, w->bytes, PROCESS_WINDOW_SZ);
	}
	if (!in_window(w, addr, sz))
		return false;
	memcpy(buf, w->bytes + (addr - w->addr), sz);
	return true;
}

/* Those of a process that is over stay: what was taken from it before has addresses, too. */
static void read_maps(struct process *p)
{
	struct maps now;

	if (!maps__read(&now, p->tgid, NULL) && now.len) {
		maps__done(&p->maps);
		p->maps = now;
	} else {
		maps__done(&now);
	}
	p->maps_read_ns = clock_mono_ns();
}

const struct map_range *process__range(struct process *p, u64 addr)
{
	const struct map_range *range;

	if (!p->maps_read_ns || clock_mono_ns() - p->maps_read_ns > MAPS_FRESH_NS)
		read_maps(p);
	range = maps__find(&p->maps, addr);
	if (range || p->maps_missed)
		return range;
	/* words of a stack that are no addresses are looked up as well: once is enough */
	p->maps_missed = true;
	read_maps(p);
	return maps__find(&p->maps, addr);
}

static void read_all(struct process *p)
{
	maps__done(&p->all);
	p->all_read_ns = clock_mono_ns();
	maps__read_all(&p->all, p->tgid, NULL);
}

const struct map_range *process__data(struct process *p, u64 addr, u64 *ret_off)
{
	const struct map_range *range, *before;

	if (!p->all_read_ns || clock_mono_ns() - p->all_read_ns > MAPS_FRESH_NS)
		read_all(p);
	range = maps__find(&p->all, addr);
	if (!range)
		return NULL;
	before = range > p->all.ranges ? range - 1 : NULL;
	if (!map_range__is_file(range) && !*range->path && before && before->end == range->start)
		range = before;
	*ret_off = addr - range->start + range->off;
	return map_range__is_file(range) ? range : NULL;
}

static bool read_memory(void *arg, u64 addr, void *buf, size_t sz)
{
	return process__read(arg, addr, buf, sz);
}

static bool find_code(void *arg, u64 addr, struct host_code *ret)
{
	struct process *p = arg;
	const struct map_range *range = process__range(p, addr);
	const struct code_file *f;
	u32 id;

	if (!range || !(range->exec || map_range__is_vdso(range)))
		return false;
	if (code_files__find(p->files, p->tgid, range, &id)) {
		p->error = -ENOMEM;
		return false;
	}
	f = code_files__at(p->files, id);
	*ret = (struct host_code){ .start = range->start, .end = range->end, .id = id };
	ret->off = id == CODE_FILE_VDSO ? 0 : range->off;
	ret->is_file = id != 0;
	ret->table = f->table;
	ret->keeps_fp = !id || f->keeps_fp;
	return true;
}

int process__place(struct process *p, struct host_frame *f)
{
	struct host_code code;

	p->error = 0;
	f->found = find_code(p, f->exact ? f->ip : f->ip - 1, &code);
	f->is_file = f->found && code.is_file;
	f->id = f->found ? code.id : 0;
	f->off = f->is_file ? f->ip - code.start + code.off : f->ip;
	return p->error;
}

int process__walk(struct process *p, u64 ip, u64 sp, u32 limit, struct host_stack *ret)
{
	const struct host_memory mem = { read_memory, find_code, p };

	p->error = 0;
	host_walk(&p->files->rules, &mem, ip, sp, limit, ret);
	return p->error;
}
