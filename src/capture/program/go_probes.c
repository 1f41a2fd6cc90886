/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a hit costs depends on the machine: several times as much in a virtual one. So it is
 * measured, on a call in our own code, with a program that does nothing. What our programs do is
 * added to that by themselves.
 */
#include "capture/program/go_probes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/vec.h"
#include "capture/program/object.h"
#include "capture/program/window.h"
#include "gen/go_waits.skel.h"
#include "proc/maps.h"

/* The median of some batches is not disturbed by interrupts. */
#define BATCHES 16
#define BATCH_HITS 64

struct probe {
	u32 serial;
	struct bpf_link *link;
};

struct go_probes {
	struct go_waits *skel;
	struct vec probes; /* struct probe */
	u64 hit_ns;
	int cpus;
	struct cs_go_counts *counts; /* of each CPU, as read last */
};

/* A call at a known place, as those that are probed. */
#ifdef __x86_64__
void go_probes_call(void);
__asm__(".pushsection .text\n"
	".globl go_probes_call\n"
	".type go_probes_call, @function\n"
	"go_probes_call:\n"
	"	call 1f\n"
	"	ret\n"
	"1:	ret\n"
	".size go_probes_call, . - go_probes_call\n"
	".popsection\n");
#else
static void go_probes_call(void)
{
}
#endif

static int compare(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static u64 time_calls(void)
{
	u64 ns[BATCHES];

	for (int batch = 0; batch < BATCHES; batch++) {
		u64 begin = clock_thread_cpu_ns();

		for (int i = 0; i < BATCH_HITS; i++)
			go_probes_call();
		ns[batch] = clock_thread_cpu_ns() - begin;
	}
	qsort(ns, BATCHES, sizeof(*ns), compare);
	return ns[BATCHES / 2] / BATCH_HITS;
}

/* Where that call is in our own file; false: not known. */
static bool find_call(u64 *ret_off)
{
	u64 addr = (u64)(uintptr_t)go_probes_call;
	const struct map_range *range;
	struct maps maps;
	struct err ignored;
	bool found;

	maps__read(&maps, (u32)getpid(), &ignored);
	range = maps__find(&maps, addr);
	found = range && map_range__is_file(range);
	if (found)
		*ret_off = addr - range->start + range->off;
	maps__done(&maps);
	return found;
}

static int measure_hit(struct go_probes *gp, struct err *err)
{
	u64 off, without, with;
	struct bpf_link *link;
	int r;

	if (!find_call(&off))
		return err__set(err, -ENOENT, "cannot find our own code in /proc/self/maps");
	without = time_calls();
	link = bpf_program__attach_uprobe(gp->skel->progs.on_go_nothing, false, 0, "/proc/self/exe",
					  off);
	if (!link) {
		r = -errno;
		return err__set(err, r, "cannot put a probe on our own code: %s", err_str(r));
	}
	with = time_calls();
	bpf_link__destroy(link);
	gp->hit_ns = with > without ? with - without : 0;
	log_debug("a hit of a probe costs %llu ns", gp->hit_ns);
	return 0;
}

static int load(struct go_probes *gp, struct err *err)
{
	int r;

	libbpf_set_print(object_print_to_log);
	gp->skel = go_waits__open_and_load();
	r = gp->skel ? 0 : -errno;
	if (r == -EPERM)
		return err__set(err, r,
				"BPF is not permitted: measuring waits of goroutines takes root, "
				"or CAP_BPF and CAP_PERFMON");
	return r ? err__set(err, r, "cannot load the programs that measure waits: %s", err_str(r)) :
		   measure_hit(gp, err);
}

int go_probes__open(struct go_probes **ret, struct err *err)
{
	struct go_probes *gp;
	int r;

#ifndef __x86_64__
	return err__set(err, -EOPNOTSUPP, "waits of goroutines can be measured on x86-64 only");
#endif
	gp = mem_alloc(sizeof(*gp));
	if (!gp)
		return err__nomem(err);
	vec__init(&gp->probes, sizeof(struct probe));
	gp->cpus = libbpf_num_possible_cpus();
	gp->counts = gp->cpus > 0 ? mem_array((size_t)gp->cpus, sizeof(*gp->counts)) : NULL;
	r = gp->counts ? load(gp, err) : err__nomem(err);
	if (r)
		go_probes__free(gp);
	else
		*ret = gp;
	return r;
}

/* The last ones first: no wait begins whose end is not seen. */
static void take_off(struct go_probes *gp, u32 serial, bool all)
{
	size_t kept = 0;

	for (size_t i = gp->probes.len; i-- > 0;) {
		struct probe *p = vec__at(&gp->probes, i);

		if (all || p->serial == serial) {
			bpf_link__destroy(p->link);
			p->link = NULL;
		}
	}
	for (size_t i = 0; i < gp->probes.len; i++) {
		struct probe *p = vec__at(&gp->probes, i);

		if (p->link)
			*(struct probe *)vec__at(&gp->probes, kept++) = *p;
	}
	gp->probes.len = kept;
}

void go_probes__free(struct go_probes *gp)
{
	if (!gp)
		return;
	take_off(gp, 0, true);
	vec__done(&gp->probes);
	go_waits__destroy(gp->skel);
	mem_free(gp->counts);
	mem_free(gp);
}

static int attach_one(struct go_probes *gp, const struct go_probe_target *t,
		      const struct go_site *site, const char *path, struct err *err)
{
	LIBBPF_OPTS(bpf_uprobe_opts, how,
		    .bpf_cookie = CS_GO_COOKIE(t->serial, t->reason_off, t->start_off));
	const struct bpf_program *prog = site->is_end ? gp->skel->progs.on_go_wake :
							gp->skel->progs.on_go_park;
	struct probe *p = vec__push(&gp->probes);
	int r;

	if (!p)
		return err__nomem(err);
	p->serial = t->serial;
	p->link = bpf_program__attach_uprobe_opts(prog, (pid_t)t->tgid, path, site->off, &how);
	if (p->link)
		return 0;
	r = -errno;
	gp->probes.len--;
	return err__set(err, r, "cannot put a probe on its runtime: %s", err_str(r));
}

static int attach_all(struct go_probes *gp, const struct go_probe_target *t, bool ends,
		      const char *path, struct err *err)
{
	int r = 0;

	for (size_t i = 0; !r && i < t->sites_len; i++) {
		if (t->sites[i].is_end == ends)
			r = attach_one(gp, t, &t->sites[i], path, err);
	}
	return r;
}

int go_probes__attach(struct go_probes *gp, const struct go_probe_target *target, struct err *err)
{
	char path[32];
	int r;

	snprintf(path, sizeof(path), "/proc/%u/exe", target->tgid);
	r = attach_all(gp, target, true, path, err);
	if (!r)
		r = attach_all(gp, target, false, path, err);
	if (r)
		take_off(gp, target->serial, false);
	return r;
}

/* Goroutines of a process that waited when its probes were taken off. */
static void forget_parked(struct go_probes *gp, u32 serial, bool all)
{
	int fd = bpf_map__fd(gp->skel->maps.parked);
	u32 left = 2 * bpf_map__max_entries(gp->skel->maps.parked);
	struct cs_go_key key, next;
	int r = bpf_map_get_next_key(fd, NULL, &key);

	while (!r && left--) {
		r = bpf_map_get_next_key(fd, &key, &next);
		if (all || key.serial == serial)
			bpf_map_delete_elem(fd, &key);
		key = next;
	}
}

void go_probes__detach(struct go_probes *gp, u32 serial)
{
	take_off(gp, serial, false);
	forget_parked(gp, serial, false);
}

void go_probes__detach_all(struct go_probes *gp)
{
	gp->skel->bss->go_control.is_off = 1;
	take_off(gp, 0, true);
	forget_parked(gp, 0, true);
}

bool go_probes__are_on(const struct go_probes *gp)
{
	return gp->probes.len > 0;
}

void go_probes__count(const struct go_probes *gp, struct cs_go_counts *ret)
{
	u64 *sum = (u64 *)ret;
	u32 zero = 0;

	*ret = (struct cs_go_counts){ 0 };
	if (bpf_map_lookup_elem(bpf_map__fd(gp->skel->maps.go_counts), &zero, gp->counts))
		return;
	for (int cpu = 0; cpu < gp->cpus; cpu++)
		for (size_t i = 0; i < sizeof(*ret) / sizeof(*sum); i++)
			sum[i] += ((const u64 *)&gp->counts[cpu])[i];
}

u64 go_probes__cost_ns(const struct go_probes *gp, const struct cs_go_counts *counts)
{
	return counts->hits * gp->hit_ns + counts->prog_ns;
}

void go_probes__turn(struct go_probes *gp)
{
	volatile struct cs_go_control *control = &gp->skel->bss->go_control;

	control->odd = !control->odd;
	window_outlasts_programs();
}

/* All keys first: a walk over a hash table that loses elements may begin again. */
static int list_keys(struct go_probes *gp, struct vec *keys)
{
	int fd = bpf_map__fd(gp->skel->maps.sums);
	u32 odd = (u32)gp->skel->bss->go_control.odd;
	struct cs_go_sum_key key, *before = NULL, *slot;
	u32 left = 2 * bpf_map__max_entries(gp->skel->maps.sums);

	while (left-- && !bpf_map_get_next_key(fd, before, &key)) {
		slot = vec__push(keys);
		if (!slot)
			return -ENOMEM;
		*slot = key;
		keys->len -= key.odd == odd;
		before = &key;
	}
	return 0;
}

int go_probes__drain(struct go_probes *gp, go_sum_fn *each, void *arg)
{
	int fd = bpf_map__fd(gp->skel->maps.sums), r;
	struct vec keys;

	vec__init(&keys, sizeof(struct cs_go_sum_key));
	r = list_keys(gp, &keys);
	for (size_t i = 0; !r && i < keys.len; i++) {
		const struct cs_go_sum_key *key = vec__at(&keys, i);
		struct cs_go_sum sum;

		/* one that was listed twice is gone */
		if (bpf_map_lookup_elem(fd, key, &sum) || bpf_map_delete_elem(fd, key))
			continue;
		r = each(arg, key, &sum);
	}
	vec__done(&keys);
	return r;
}

bool go_probes__stack(const struct go_probes *gp, u64 hash, struct cs_go_stack *ret)
{
	return hash && !bpf_map_lookup_elem(bpf_map__fd(gp->skel->maps.go_stacks), &hash, ret) &&
	       ret->len && ret->len <= CS_GO_FRAMES;
}
