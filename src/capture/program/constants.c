/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/request/request_probes.h"
#include "capture/program/constants.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/stack.h"
#include "capture/feature/call_kinds.h"
#include "capture/program/hook_choice.h"
#include "gen/coldspot.skel.h"

static int own_pidns(u32 *ret_inum, struct err *err)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st))
		return err__set(err, -errno, "cannot read /proc/self/ns/pid: %s", err_str(errno));
	*ret_inum = st.st_ino == INITIAL_PIDNS_INUM ? 0 : (u32)st.st_ino;
	return 0;
}

static u32 stack_depth(const struct capture_options *opt)
{
	u32 depth = opt->stack_depth ? opt->stack_depth : CS_STACK_DEFAULT;

	return depth < CS_STACK_MAX ? depth : CS_STACK_MAX;
}

u32 constants_stack_sz(const struct capture_options *opt)
{
	u32 depth = stack_depth(opt);

	if (depth < CS_STACK_DEFAULT)
		depth = CS_STACK_DEFAULT;
	return (u32)offsetof(struct cs_stack, pc) + depth * (u32)sizeof(u64);
}

int constants_fill(struct coldspot *skel, const struct capture_options *opt,
		   const struct features *f, u32 split, u32 resume, struct err *err)
{
	struct cs_cfg *cfg = &skel->rodata->cfg;
	s64 max_stack = f->perf_event_max_stack;
	u32 inum = 0;
	int r;

	r = own_pidns(&inum, err);
	if (r)
		return r;
	cfg->split = split;
	cfg->resume = resume;
	cfg->target = opt->target == CAPTURE_PROCESSES ? CS_TARGET_TGIDS :
		      opt->target == CAPTURE_THREADS   ? CS_TARGET_TIDS :
							 CS_TARGET_ALL;
	cfg->follow = opt->follow;
	cfg->user_threads = opt->user_threads;
	cfg->kernel_threads = opt->kernel_threads;
	cfg->user_stacks = opt->user_stacks;
	cfg->kernel_stacks = opt->kernel_stacks;
	cfg->objects = opt->objects;
	cfg->lock_readers = f->lock_readers;
	cfg->wakers = opt->wakers;
	cfg->moments = opt->max_moments != 0;
	for (size_t i = 0; i < opt->requests_len; i++)
		cfg->heads |= request_wants_heads(opt->requests[i]);
	cfg->visits = opt->visit_hz != 0;
	cfg->preempt_known = f->preempt_known;
	cfg->preempt_minus_rq = f->preempt_minus_rq;
	cfg->state_mask = opt->state_mask;
	cfg->state_any = opt->state_any;
	cfg->state_r = opt->state_r;
	cfg->pidns_inum = inum;
	cfg->kstack_len = max_stack > 0 && max_stack < CS_STACK_DEFAULT ? (u32)max_stack :
									  CS_STACK_DEFAULT;
	cfg->ustack_len = stack_depth(opt);
	cfg->page_bits = (u32)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	cfg->orc = features__has(f, FEATURE_ORC) && !opt->plain;
	cfg->timespec64_id = f->type_ids[FEATURES_TIMESPEC64];
	cfg->pt_regs_id = f->type_ids[FEATURES_PT_REGS];
	cfg->task_struct_id = f->type_ids[FEATURES_TASK_STRUCT];
	cfg->memo = !opt->plain;
	cfg->unwind_tables = !opt->fp_only;
	cfg->mm_walk = features__has(f, FEATURE_MM_WALK) && !opt->proc_maps;
	cfg->postpone = walks_are_postponed(opt, f);
	cfg->hist_unit_ns = opt->hist_unit_ns;
	cfg->min_ns = opt->min_ns;
	cfg->max_ns = opt->max_ns;
	cfg->gap_from_ns = opt->gap_from_ns;
	call_kinds_fill((u8 *)skel->rodata->call_kinds);
	socket_calls_fill((u8 *)skel->rodata->socket_calls);
	if (opt->comm) {
		if (strlen(opt->comm) >= CS_COMM_LEN)
			return err__set(err, -EINVAL,
					"'%s' is too long: a thread's name has at most %d bytes",
					opt->comm, CS_COMM_LEN - 1);
		memcpy(cfg->comm, opt->comm, strlen(opt->comm));
		cfg->by_comm = 1;
	}
	if (opt->program) {
		if (cs_program_glob_compile((void *)&skel->rodata->program_glob, opt->program))
			return err__set(err, -EINVAL,
					"'%s' is too long: the name of a program may have %d bytes",
					opt->program, CS_PROGRAM_GLOB_MAX);
		cfg->by_program = 1;
	}
	cfg->by_cgroup = opt->cgroup != NULL;
	return r;
}
