/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_LIB_HOST_SWITCH_H
#define TESTS_LIB_HOST_SWITCH_H

/*
 * bpf/account.bpf.c, switch.bpf.c, wake.bpf.c, wait.bpf.c, hist.bpf.c, stack.bpf.c and memo.bpf.c
 * compiled natively, unchanged: everything that runs at a switch except the walk of a user stack.
 * What they need from the kernel is here. Cannot be combined with base/types.h, which has the same
 * names for the same types.
 *
 * The maps are like the kernel's (kernel/bpf/hashtab.c of 6.18) in what CPUs share: a bucket is 16
 * bytes including its lock, so four of them share a line; a lookup takes no lock; an insertion
 * takes the bucket's; an element has 56 bytes before its key, begins at a multiple of its size
 * class, and comes from memory of the CPU that inserts it. The kernel's counter of elements is
 * omitted. Per-CPU maps and task storage have separate memory.
 */
#include <linux/types.h>

#include <string.h>

/* Keeps the real headers out. */
#define __BPF_HELPERS__
#define __BPF_CORE_READ_H__
#define __BPF_TRACING_H__
#define __TARGET_ARCH_x86 1

#define SEC(name)
#undef __always_inline
#define __always_inline inline __attribute__((always_inline))
#define __noinline __attribute__((noinline))
#define __ksym
#define __weak
#define __uint(name, val) int(*name)[val]
#define __type(name, val) __typeof__(val) *name
#define __array(name, val) __typeof__(val) *name[]
#define barrier_var(var) __asm__ volatile("" : "+r"(var))
#define BPF_PROG(name, args...) name(void *ctx, ##args)

/* A kernel with every field, unless the including file defines otherwise. */
#ifndef host_field_exists
#define host_field_exists(field) 1
#endif
#define bpf_core_field_exists(field...) host_field_exists(#field)
#define BPF_CORE_READ_BITFIELD(src, field) ((src)->field)
#define HOST_READ_1(src, a) ((src)->a)
#define HOST_READ_2(src, a, b) ((src)->a->b)
#define HOST_READ_3(src, a, b, c) ((src)->a->b->c)
#define HOST_READ_4(src, a, b, c, d) ((src)->a->b->c->d)
#define HOST_READ_N(src, a, b, c, d, name, ...) name
#define BPF_CORE_READ(src, fields...)                                                              \
	HOST_READ_N(src, ##fields, HOST_READ_4, HOST_READ_3, HOST_READ_2, HOST_READ_1)(src, fields)
#define BPF_CORE_READ_INTO(dst, src, fields...)                                                    \
	__builtin_memcpy((dst), &BPF_CORE_READ(src, fields), sizeof(*(dst)))

#define bpf_probe_read_kernel(dst, sz, src) (memcpy((dst), (src), (sz)), 0)
#define bpf_probe_read_user(dst, sz, src) (memcpy((dst), (src), (sz)), 0)
#define bpf_ringbuf_reserve(map, sz, flags) ((void)(map), NULL)
#define bpf_ringbuf_submit(ev, flags) ((void)(ev), (void)(flags))
#define bpf_ringbuf_output(map, ev, sz, flags) ((void)(map), (void)(ev), 0)
#define bpf_ringbuf_query(map, what) ((void)(map), 0ULL)

/* A kernel address is one of ours. */
#define bpf_rdonly_cast(obj, btf_id) host_rdonly_cast(obj, btf_id)
static __always_inline void *host_rdonly_cast(const void *obj, __u32 btf_id)
{
	(void)btf_id;
	return (void *)(unsigned long)obj;
}

#define bpf_untrusted_task(task, btf_id) ((void)(btf_id), (task))

struct task_struct;
struct host_table;

/* The CPU that the calling thread plays. */
static __u64 host_now(void);
static __u32 host_cpu_number(void);
static __u32 host_random(void);
static struct task_struct *host_current(void);
static const void *host_user_regs(const struct task_struct *task);
static long host_kernel_stack(__u64 *pc, __u32 sz);
static void *host_slot(struct task_struct *task);
static void *host_lookup(const void *map, const void *key);
static long host_insert(const void *map, const void *key, const void *value);

#define bpf_ktime_get_ns() host_now()
#define bpf_get_smp_processor_id() host_cpu_number()
#define bpf_get_prandom_u32() host_random()
#define bpf_get_current_task_btf() host_current()
#define bpf_task_pt_regs(task) host_user_regs(task)
#define bpf_get_stack(ctx, pc, sz, flags) ((void)(ctx), host_kernel_stack((pc), (sz)))
#define bpf_task_storage_get(map, task, value, flags) host_slot(task)
#define bpf_map_lookup_elem(map, key) host_lookup((map), (key))
#define bpf_map_update_elem(map, key, value, flags) host_insert((map), (key), (value))

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wcast-qual"
#ifdef __clang__
#pragma clang diagnostic ignored "-Wunknown-attributes"
#endif
/* Here cfg is not constant, also for what maps.bpf.c includes. */
#define cfg host_const_cfg
#include "lib/maps.bpf.h"
#undef cfg
static volatile struct cs_cfg cfg;
#include "lib/memo.bpf.h"
#include "lib/moment.bpf.h"
#include "lib/task.bpf.h"
#include "lib/wake/wakeup.bpf.h"
#define cfg host_const_cfg
#include "../../bpf/maps.bpf.c"
#undef cfg

#include "../../bpf/account.bpf.c"
#include "../../bpf/hist.bpf.c"
#include "../../bpf/memo.bpf.c"
#include "../../bpf/stack.bpf.c"
#include "../../bpf/stats.bpf.c"
#include "../../bpf/switch.bpf.c"
#include "../../bpf/wake.bpf.c"
#include "../../bpf/wait.bpf.c"

/* In the place of python.bpf.c: no thread runs Python. */
u64 python_print(struct user_walk *w, u32 module)
{
	return 0;
}

/* The cgroup that all threads are in. */
static struct kernfs_node host_kn;
static struct cgroup host_cgroup = { .kn = &host_kn };
static struct css_set host_css_set __attribute__((unused)) = { .dfl_cgrp = &host_cgroup };

/* No cgroups are asked for. */
int cgroup_is_wanted(u64 cgroup)
{
	return 0;
}

/* Wakers are off. */
int wakes_left(struct task_wakes *tw, u64 place, u64 now)
{
	return 0;
}

/* Objects are off. */
u64 probe_address(const struct object_probe *s)
{
	return 0;
}

u32 object_find(struct object_probe *s)
{
	return 0;
}

u32 object_recall(struct scratch *scr)
{
	return 0;
}

u32 owner_of_lock(struct task_slot *slot)
{
	return 0;
}

u32 owner_of_file_lock(u64 task, u32 fd, u32 cmd, u64 at, const struct user_flock *l)
{
	return 0;
}

/* Walks are invented, without mappings. */
u64 vma_print(u64 vma, u64 mm)
{
	return 0;
}

/* No table is missing here. */
int postpone_walk(struct user_walk *w)
{
	return 0;
}
#pragma GCC diagnostic pop

#endif
