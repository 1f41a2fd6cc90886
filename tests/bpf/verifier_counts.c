/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Prints what the verifier of this kernel has to walk for every program, one line each:
 *
 *	VARIANT PROGRAM INSTRUCTIONS
 *
 * with "-" where this kernel has no such hook, and "refused" where its verifier says no. Programs
 * are loaded one by one, with every filter, both stacks and objects switched on, so that no branch
 * is dropped before it is counted. A variant is a choice of split and resume hook, as capture makes
 * it; in one, stacks and objects are off: what is dropped then must leave a program that loads.
 * The variant "tasks" has the programs of bpf/tasks/, which are an object of their own.
 *
 * A count says what a change costs the verifier's budget of a million, and a jump in it is most
 * often a loop or an inlined function that nobody meant to add.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/go_wait.h"
#include "capture/feature/features.h"
#include "capture/program/loader.h"
#include "capture/program/object.h"
#include "gen/coldspot.skel.h"
#include "gen/go_waits.skel.h"

struct variant {
	const char *name;
	__u32 split;
	__u32 resume;
	__u32 hist_unit_ns;
	__u32 bare; /* neither stacks nor objects */
	__u32 wakers;
	__u32 visits;
	__u64 gap_from_ns; /* elsewhere, what it costs is dropped, as in most recordings */
};

static const struct variant variants[] = {
	{ "sched_info+exit_tp", CS_SPLIT_SCHED_INFO, CS_RESUME_EXIT_TP, 0, 0, 0, 0, 0 },
	{ "sched_info+exit_tp+bare", CS_SPLIT_SCHED_INFO, CS_RESUME_EXIT_TP, 0, 1, 0, 0, 0 },
	{ "sched_info+exit_tp+hist", CS_SPLIT_SCHED_INFO, CS_RESUME_EXIT_TP, 1024, 0, 0, 0, 0 },
	{ "waking+kprobe", CS_SPLIT_WAKING, CS_RESUME_KPROBE, 0, 0, 0, 0, 0 },
	{ "waking+kprobe+wakers", CS_SPLIT_WAKING, CS_RESUME_KPROBE, .wakers = 1,
	  .gap_from_ns = 1 },
	{ "waking+switch_out", CS_SPLIT_WAKING, CS_RESUME_SWITCH_OUT, 0, 0, 0, 0, 0 },
	{ "visits", CS_SPLIT_SCHED_INFO, CS_RESUME_EXIT_TP, .visits = 1, .gap_from_ns = 1 },
};

static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static void configure(struct cs_cfg *cfg, const struct variant *v, const struct features *f)
{
	cfg->split = v->split;
	cfg->resume = v->resume;
	cfg->hist_unit_ns = v->hist_unit_ns;
	cfg->wakers = v->wakers;
	cfg->heads = !v->bare;
	cfg->visits = v->visits;
	cfg->gap_from_ns = v->gap_from_ns;
	cfg->preempt_known = v->wakers;
	cfg->target = CS_TARGET_TGIDS;
	cfg->follow = 1;
	cfg->user_threads = 1;
	cfg->kernel_threads = 1;
	cfg->user_stacks = !v->bare;
	cfg->kernel_stacks = !v->bare;
	cfg->objects = !v->bare;
	cfg->lock_readers = !v->bare;
	cfg->by_comm = 1;
	cfg->by_cgroup = 1;
	cfg->state_mask = 1;
	cfg->pidns_inum = 1;
	cfg->kstack_len = 127;
	cfg->ustack_len = 127;
	cfg->page_bits = 12;
	cfg->unwind_tables = 1;
	cfg->mm_walk = 1;
	cfg->memo = 1;
	/* where the kernel has what our walk of kernel stacks needs */
	cfg->orc = f->type_ids[FEATURES_RDONLY_CAST] != 0;
	cfg->timespec64_id = f->type_ids[FEATURES_TIMESPEC64];
	cfg->pt_regs_id = f->type_ids[FEATURES_PT_REGS];
	cfg->task_struct_id = f->type_ids[FEATURES_TASK_STRUCT];
	cfg->max_tasks = 1000; /* 0: no thread has a slot, and what fills it is dropped */
	cfg->max_ns = ~0ULL;
	memcpy(cfg->comm, "a*b?c*", 6);
}

/* As capture does it. */
static int load(struct coldspot *skel, struct loader *l)
{
	int r = coldspot__load(skel);

	r = r ? r : loader__begin(l);
	r = r ? r : loader__run(l);
	return r ? r : loader__finish(l, true);
}

/* Loads only the program with this number; its instructions, or what the kernel said. */
static int count(const struct features *f, const struct variant *v, int number)
{
	struct bpf_prog_info info = { 0 };
	__u32 info_sz = sizeof(info);
	struct bpf_program *prog, *chosen = NULL;
	struct coldspot *skel = NULL;
	struct loader *l = NULL;
	int i = 0, r, btf_fd = -1;

	r = loader__new(f, &l, NULL);
	r = r ? r : object_open(&f->btf, &skel, &btf_fd, NULL);
	if (r)
		goto out;
	configure(&skel->rodata->cfg, v, f);
	bpf_object__for_each_program(prog, skel->obj) {
		bpf_program__set_autoload(prog, i == number);
		if (i++ == number)
			chosen = prog;
	}
	r = load(skel, l);
	if (!r)
		r = bpf_obj_get_info_by_fd(bpf_program__fd(chosen), &info, &info_sz);
out:
	loader__free(l);
	coldspot__destroy(skel);
	if (btf_fd >= 0)
		close(btf_fd);
	return r ? r : (int)info.verified_insns;
}

static int print_variant(const struct coldspot *names, const struct features *f,
			 const struct variant *v)
{
	struct bpf_program *prog = NULL;
	int loaded = 0, i = 0;

	while ((prog = bpf_object__next_program(names->obj, prog))) {
		int insns = count(f, v, i++);

		printf("%s %s ", v->name, bpf_program__name(prog));
		if (insns > 0)
			printf("%d\n", insns);
		else
			printf("%s\n", insns == -ESRCH ? "-" : "refused");
		loaded += insns > 0;
	}
	return loaded;
}

/* The programs that measure waits of goroutines have no constants. */
static int count_task(int number)
{
	struct bpf_prog_info info = { 0 };
	__u32 info_sz = sizeof(info);
	struct bpf_program *prog, *chosen = NULL;
	struct go_waits *skel = go_waits__open();
	int i = 0, r;

	if (!skel)
		return -ENOMEM;
	bpf_object__for_each_program(prog, skel->obj) {
		bpf_program__set_autoload(prog, i == number);
		if (i++ == number)
			chosen = prog;
	}
	r = go_waits__load(skel);
	if (!r)
		r = bpf_obj_get_info_by_fd(bpf_program__fd(chosen), &info, &info_sz);
	go_waits__destroy(skel);
	return r ? r : (int)info.verified_insns;
}

static int print_tasks(void)
{
	struct go_waits *names = go_waits__open();
	struct bpf_program *prog = NULL;
	int loaded = 0, i = 0;

	while (names && (prog = bpf_object__next_program(names->obj, prog))) {
		int insns = count_task(i++);

		printf("tasks %s ", bpf_program__name(prog));
		if (insns > 0)
			printf("%d\n", insns);
		else
			printf("refused\n");
		loaded += insns > 0;
	}
	go_waits__destroy(names);
	return loaded;
}

int main(void)
{
	struct coldspot *names;
	struct features f;
	int loaded = 0;

	libbpf_set_print(say_nothing);
	names = coldspot__open();
	if (!names) {
		fprintf(stderr, "verifier_counts: cannot open the programs\n");
		return 1;
	}
	if (features__probe(&f, 0, NULL)) {
		fprintf(stderr, "verifier_counts: out of memory\n");
		return 1;
	}
	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++)
		loaded += print_variant(names, &f, &variants[i]);
	loaded += print_tasks();
	coldspot__destroy(names);
	features__done(&f);
	return loaded ? 0 : 1;
}
