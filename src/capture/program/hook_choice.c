/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/program/hook_choice.h"

#include <errno.h>

#include "abi/cfg.h"
#include "capture/request/request_probes.h"

static int choose_resume(u32 wanted, const struct features *f, u32 *ret_resume, struct err *err)
{
	bool exit_tp = features__has(f, FEATURE_SCHED_EXIT_TP);
	bool kprobe = features__has(f, FEATURE_KPROBE);

	switch (wanted) {
	case CAPTURE_RESUME_EXIT_TP:
		if (!exit_tp)
			return err__set(err, -EOPNOTSUPP, "this kernel has no sched_exit_tp: %s",
					f->at[FEATURE_SCHED_EXIT_TP].detail);
		*ret_resume = CS_RESUME_EXIT_TP;
		return 0;
	case CAPTURE_RESUME_KPROBE:
		if (!kprobe)
			return err__set(err, -EOPNOTSUPP,
					"cannot put a kprobe on finish_task_switch: %s",
					f->at[FEATURE_KPROBE].detail);
		*ret_resume = CS_RESUME_KPROBE;
		return 0;
	case CAPTURE_RESUME_SWITCH_OUT:
		*ret_resume = CS_RESUME_SWITCH_OUT;
		return 0;
	default:
		*ret_resume = exit_tp ? CS_RESUME_EXIT_TP :
			      kprobe  ? CS_RESUME_KPROBE :
					CS_RESUME_SWITCH_OUT;
		return 0;
	}
}

static int check_samples(u32 hz, const struct features *f, struct err *err)
{
	const struct feature *samples = &f->at[FEATURE_CPU_SAMPLES];

	if (!hz || samples->state != FEATURE_NO)
		return 0;
	return err__set(err, -EOPNOTSUPP, "--on-cpu cannot be used on Linux %s: %s; %s", f->release,
			samples->detail, feature_infos[FEATURE_CPU_SAMPLES].remedy);
}

/* The helper that looks them up is older than what these need. */
static bool needs_symbols(const struct capture_options *opt, const struct features *f)
{
	bool orc = features__has(f, FEATURE_ORC) && !opt->plain;
	bool mm_walk = features__has(f, FEATURE_MM_WALK) && !opt->proc_maps;

	return orc || opt->wakers || (opt->objects && mm_walk);
}

static void want(struct hook_choice *c, enum hook_use use, bool wanted)
{
	if (wanted)
		c->uses[use] = HOOK_REQUIRED;
}

/* If it is not `required`, it is used where the kernel has it. */
static void want_if_there(struct hook_choice *c, enum hook_use use, bool wanted, bool required)
{
	c->uses[use] = required ? HOOK_REQUIRED : wanted ? HOOK_IF_THERE : HOOK_NOT_WANTED;
}

/*
 * Totals come from the scheduler's counters, and stacks from a walk over sleeping threads, so both
 * must be there.
 */
static int choose_visits(struct hook_choice *c, const struct features *f, struct err *err)
{
	static const enum feature_id needed[] = { FEATURE_ITER_TASK_SLEEPABLE, FEATURE_SCHED_INFO,
						  FEATURE_RQ_CLOCK };

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (f->at[needed[i]].state == FEATURE_NO)
			return err__set(err, -EOPNOTSUPP,
					"--sample cannot be used on Linux %s: it lacks %s (%s); "
					"record with hooks instead",
					f->release, feature_infos[needed[i]].name,
					f->at[needed[i]].detail);
	c->resume = CS_RESUME_EXIT_TP; /* no stacks are taken when a thread leaves its CPU */
	want(c, HOOK_VISITS, true);
	return 0;
}

static void choose_switch(struct hook_choice *c, const struct features *f, u32 split, bool wakers)
{
	bool old = f->sched_switch_args == 3, early = c->resume == CS_RESUME_SWITCH_OUT;

	want(c, HOOK_SWITCH, !old && !early);
	want(c, HOOK_SWITCH_EARLY, !old && early);
	want(c, HOOK_SWITCH_3ARGS, old);
	want(c, HOOK_RESUME_EXIT_TP, c->resume == CS_RESUME_EXIT_TP);
	want(c, HOOK_RESUME_KPROBE, c->resume == CS_RESUME_KPROBE);
	want(c, HOOK_WAKER, wakers);
	want_if_there(c, HOOK_WAKING, split == CS_SPLIT_SCHED_INFO && f->delays_dequeue,
		      split == CS_SPLIT_WAKING && !wakers);
	want(c, HOOK_MIGRATE, split == CS_SPLIT_SCHED_INFO && f->delays_dequeue);
}

bool walks_are_postponed(const struct capture_options *opt, const struct features *f)
{
	return opt->user_stacks && !opt->fp_only &&
	       (!opt->max_memory || opt->max_memory >= POSTPONED_FROM_BYTES) &&
	       features__has(f, FEATURE_ITER_TASK_SLEEPABLE);
}

static void choose_iterators(struct hook_choice *c, const struct capture_options *opt,
			     const struct features *f)
{
	bool sleepable = features__has(f, FEATURE_ITER_TASK_SLEEPABLE);
	bool early = c->resume == CS_RESUME_SWITCH_OUT;

	want(c, HOOK_ASLEEP, early && sleepable);
	want(c, HOOK_ASLEEP_ATOMIC, early && !sleepable);
	want(c, HOOK_DRAIN, sleepable && !opt->visit_hz);
	want(c, HOOK_DRAIN_ATOMIC, !sleepable);
	want(c, HOOK_HISTS, opt->hist_unit_ns);
	want_if_there(c, HOOK_FILES, opt->objects, false);
	want_if_there(c, HOOK_MAPPINGS, opt->user_stacks && !opt->proc_maps, false);
	for (size_t i = 0; i < opt->requests_len; i++)
		want(c, request_is_auto(opt->requests[i]) ? HOOK_SOCKET_CALLS : HOOK_REQUESTS,
		     true);
	want(c, HOOK_POSTPONED, walks_are_postponed(opt, f));
}

static int check_required(const struct hook_choice *c, struct err *err)
{
	const struct features *f = c->features;

	for (u32 i = 0; i < hooks_cnt; i++) {
		enum feature_id id = hooks[i].needs;

		if (c->uses[hooks[i].use] == HOOK_REQUIRED && f->at[id].state == FEATURE_NO)
			return err__set(err, -EOPNOTSUPP, "Linux %s lacks %s (%s): %s", f->release,
					feature_infos[id].name, f->at[id].detail,
					feature_infos[id].cost);
	}
	return 0;
}

int hook_choice__init(struct hook_choice *c, const struct capture_options *opt,
		      const struct features *f, u32 split, struct err *err)
{
	bool paths = opt->cgroup_paths && features__has(f, FEATURE_CGROUP2);
	int r;

	*c = (struct hook_choice){ .features = f };
	r = check_samples(opt->on_cpu_hz, f, err);
	if (!r && opt->visit_hz)
		r = choose_visits(c, f, err);
	else if (!r)
		r = choose_resume(opt->resume, f, &c->resume, err);
	if (r)
		return r;
	want(c, HOOK_ALWAYS, true);
	if (!opt->visit_hz)
		choose_switch(c, f, split, opt->wakers);
	choose_iterators(c, opt, f);
	want(c, HOOK_SAMPLES, opt->on_cpu_hz);
	want(c, HOOK_KERNEL_NAMES, opt->kernel_stacks);
	want(c, HOOK_KERNEL_SYMBOLS, needs_symbols(opt, f));
	want_if_there(c, HOOK_LOCKS, opt->objects && !opt->visit_hz, false);
	want_if_there(c, HOOK_RENAME, true, opt->comm);
	want_if_there(c, HOOK_CGROUP_MOVE, paths, opt->cgroup);
	want_if_there(c, HOOK_CGROUP_MKDIR, paths, false);
	return check_required(c, err);
}

bool hook_choice__loads(const struct hook_choice *c, const struct hook *h)
{
	u8 wish = c->uses[h->use];

	return wish == HOOK_REQUIRED ||
	       (wish == HOOK_IF_THERE && features__has(c->features, h->needs));
}
