/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The skeleton's owner. Everything that depends on the kernel is decided here, once, before load:
 * programs that are not used are not loaded, and constants let the verifier drop dead branches.
 */
#include "capture/programs.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/event.h"
#include "abi/symbol.h"
#include "abi/task.h"
#include "abi/wait.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/constants.h"
#include "capture/cpu_samples.h"
#include "capture/kernel_memory.h"
#include "capture/large_maps.h"
#include "capture/loader.h"
#include "capture/object.h"
#include "capture/walks.h"
#include "gen/coldspot.skel.h"

#define SYMBOLS_SZ (CS_SYMBOLS_LEN * sizeof(struct cs_symbol))

struct programs {
	struct coldspot *skel;
	struct loader *loader;
	struct cs_symbol *symbols;
	struct cpu_samples samples;
	u32 on_cpu_hz; /* 0: not sampled */
	int btf_fd; /* -1: not needed any more */
	u32 split;
	u32 resume;
	bool sleepable;
	char resume_symbol[64];
	char words[240];
};

static int print_to_log(enum libbpf_print_level level, const char *fmt, va_list args)
	__attribute__((format(printf, 2, 0)));
static int print_to_log(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char line[512];

	if (!log_enabled() || level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(line, sizeof(line), fmt, args);
	line[strcspn(line, "\n")] = 0;
	log_debug("libbpf: %s", line);
	return 0;
}

static int choose_resume(struct programs *p, u32 wanted, const struct features *f, struct err *err)
{
	bool exit_tp = features__has(f, FEATURE_SCHED_EXIT_TP);
	bool kprobe = features__has(f, FEATURE_KPROBE);

	snprintf(p->resume_symbol, sizeof(p->resume_symbol), "%s", f->resume_symbol);
	switch (wanted) {
	case CAPTURE_RESUME_EXIT_TP:
		if (!exit_tp)
			return err__set(err, -EOPNOTSUPP, "this kernel has no sched_exit_tp: %s",
					f->at[FEATURE_SCHED_EXIT_TP].detail);
		p->resume = CS_RESUME_EXIT_TP;
		return 0;
	case CAPTURE_RESUME_KPROBE:
		if (!kprobe)
			return err__set(err, -EOPNOTSUPP,
					"no kprobe on finish_task_switch is possible here: %s",
					f->at[FEATURE_KPROBE].detail);
		p->resume = CS_RESUME_KPROBE;
		return 0;
	case CAPTURE_RESUME_SWITCH_OUT:
		p->resume = CS_RESUME_SWITCH_OUT;
		return 0;
	default:
		p->resume = exit_tp ? CS_RESUME_EXIT_TP :
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

static int size_maps(struct programs *p, const struct capture_options *opt, struct err *err)
{
	const struct kernel_memory_wish wish = {
		.opt = opt,
		.stack_sz = constants_stack_sz(opt),
		.early = p->resume != CS_RESUME_EXIT_TP,
		.tell_maps = !programs__mm_walk(p),
	};

	return kernel_memory_divide(p->skel, &wish, err);
}

/* The helper that looks them up is older than what these two need. */
static bool needs_symbols(const struct programs *p)
{
	const struct cs_cfg *cfg = (const struct cs_cfg *)&p->skel->rodata->cfg;

	return cfg->orc || (cfg->objects && cfg->mm_walk);
}

static void choose_programs(struct programs *p, const struct capture_options *opt,
			    const struct features *f)
{
	bool old_switch = f->sched_switch_args == 3;
	bool early = p->resume == CS_RESUME_SWITCH_OUT;
	bool locks = opt->objects && features__has(f, FEATURE_CONTENTION);
	bool paths = opt->cgroup_paths && features__has(f, FEATURE_CGROUP2);
	const struct {
		struct bpf_program *prog;
		bool load;
	} choice[] = {
		{ p->skel->progs.on_sched_switch, !old_switch && !early },
		{ p->skel->progs.on_sched_switch_early, !old_switch && early },
		{ p->skel->progs.on_sched_switch_3args, old_switch },
		{ p->skel->progs.on_sched_exit, p->resume == CS_RESUME_EXIT_TP },
		{ p->skel->progs.on_finish_task_switch, p->resume == CS_RESUME_KPROBE },
		{ p->skel->progs.on_sched_waking, p->split == CS_SPLIT_WAKING },
		{ p->skel->progs.on_sched_migrate,
		  p->split == CS_SPLIT_SCHED_INFO && f->delays_dequeue },
		{ p->skel->progs.on_contention_begin, locks },
		{ p->skel->progs.on_contention_end, locks },
		{ p->skel->progs.on_cpu_sample, opt->on_cpu_hz != 0 },
		{ p->skel->progs.on_task_newtask, true },
		{ p->skel->progs.on_sched_process_exec, true },
		{ p->skel->progs.on_sched_process_exit, opt->target != CAPTURE_ALL },
		{ p->skel->progs.on_sched_process_free, true },
		{ p->skel->progs.on_task_rename, opt->comm != NULL },
		{ p->skel->progs.on_cgroup_attach_task,
		  opt->cgroup || (paths && f->hook_ids[FEATURES_HOOK_CGROUP_ATTACH]) },
		{ p->skel->progs.on_cgroup_mkdir,
		  paths && f->hook_ids[FEATURES_HOOK_CGROUP_MKDIR] },
		{ p->skel->progs.on_task_mark, true },
		{ p->skel->progs.on_task_asleep, early && p->sleepable },
		{ p->skel->progs.on_task_asleep_atomic, early && !p->sleepable },
		{ p->skel->progs.on_task_drain, p->sleepable },
		{ p->skel->progs.on_task_drain_atomic, !p->sleepable },
		{ p->skel->progs.on_task_hists, opt->hist_unit_ns },
		{ p->skel->progs.name_symbols, opt->kernel_stacks },
		{ p->skel->progs.find_symbols, needs_symbols(p) },
		{ p->skel->progs.set_window, true },
		{ p->skel->progs.on_task_file,
		  opt->objects && f->hook_ids[FEATURES_HOOK_ITER_TASK_FILE] },
		{ p->skel->progs.on_task_vma,
		  opt->user_stacks && features__has(f, FEATURE_MM_WALK) && !opt->proc_maps },
	};

	for (size_t i = 0; i < ARRAY_LEN(choice); i++)
		bpf_program__set_autoload(choice[i].prog, choice[i].load);
}

static void describe(struct programs *p)
{
	static const char *const resume_words[] = {
		[CS_RESUME_EXIT_TP] = "stacks at sched_exit_tp",
		[CS_RESUME_KPROBE] = "stacks at a kprobe on finish_task_switch",
		[CS_RESUME_SWITCH_OUT] = "stacks at sched_switch, before the length is known",
	};

	snprintf(p->words, sizeof(p->words), "%s, %s, %s%s%s", resume_words[p->resume],
		 p->split == CS_SPLIT_WAKING ? "waits split by sched_waking" :
					       "waits split by sched_info",
		 p->skel->rodata->cfg.unwind_tables ? "user stacks by unwind tables" :
						      "user stacks by frame pointer",
		 programs__mm_walk(p) ? "" : " with mappings from /proc",
		 p->sleepable ? "" : ", no user stacks of threads asleep at the end");
}

/* The last line of the verifier's log that is not its statistics: the reason. */
static void verifier_reason(const char *log, char *buf, size_t sz)
{
	const char *end = log + strlen(log);

	buf[0] = 0;
	while (end > log) {
		const char *line = end;

		while (line > log && line[-1] != '\n')
			line--;
		if (end > line && strncmp(line, "processed ", 10) &&
		    strncmp(line, "verification", 12)) {
			snprintf(buf, sz, "%.*s", (int)(end - line), line);
			return;
		}
		end = line > log ? line - 1 : log;
	}
}

static int load_error(struct programs *p, int r, struct err *err)
{
	char reason[200];

	verifier_reason(loader__log(p->loader), reason, sizeof(reason));
	if (r == -EPERM && !reason[0])
		return err__set(err, r,
				"the kernel does not permit BPF programs: it takes CAP_BPF and "
				"CAP_PERFMON, or root; `coldspot doctor` says more");
	return err__set(err, r, "the kernel refused our BPF programs: %s%s%s", err_str(r),
			reason[0] ? ": " : "", reason);
}

/* Without the symbols every kernel stack is read by the helper, and fewer faults have a file. */
static void find_symbols(struct programs *p)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int r = bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.find_symbols), &run);

	if (r || run.retval)
		log_debug("addresses of the kernel are not to be had: %s",
			  r ? err_str(r) : "symbols missing");
}

static struct bpf_program *drain_program(struct programs *p)
{
	return p->sleepable ? p->skel->progs.on_task_drain : p->skel->progs.on_task_drain_atomic;
}

int programs__settle(struct programs *p, bool wait, struct err *err)
{
	int r = loader__finish(p->loader, wait);

	return !r || r == -EAGAIN ? 0 : load_error(p, r, err);
}

/* NULL: names come from /proc/kallsyms. */
static struct cs_symbol *map_symbols(const struct programs *p)
{
	void *mem = mmap(NULL, SYMBOLS_SZ, PROT_READ | PROT_WRITE, MAP_SHARED,
			 bpf_map__fd(p->skel->maps.symbols), 0);

	return mem == MAP_FAILED ? NULL : mem;
}

/* The longest first; what nobody waits for before the end comes last. */
static int plan(struct programs *p)
{
	const struct {
		const struct bpf_program *prog;
		enum loader_when when;
	} wishes[] = {
		{ p->skel->progs.on_task_vma, LOADER_FIRST },
		{ p->skel->progs.on_sched_exit, LOADER_NEXT },
		{ p->skel->progs.on_finish_task_switch, LOADER_NEXT },
		{ p->skel->progs.on_sched_switch_early, LOADER_NEXT },
		{ drain_program(p), LOADER_LATE },
		{ p->skel->progs.name_symbols, LOADER_LATE },
		{ p->skel->progs.on_task_file, LOADER_LATE },
	};
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_LEN(wishes); i++)
		r = loader__set(p->loader, wishes[i].prog, wishes[i].when);
	return r;
}

static int load_object(struct programs *p, struct err *err)
{
	struct bpf_map *const large[] = { p->skel->maps.waits,
					  p->skel->maps.short_stacks,
					  p->skel->maps.medium_stacks,
					  p->skel->maps.stacks,
					  p->skel->maps.objects,
					  p->skel->maps.events,
					  NULL };
	struct large_maps *maps = NULL;
	int r = large_maps__new(large, &maps, err);

	if (r)
		return r;
	r = plan(p);
	r = r ? r : coldspot__load(p->skel);
	r = r ? r : large_maps__take(maps);
	large_maps__free(maps);
	return r ? load_error(p, r, err) : 0;
}

static void close_btf(struct programs *p)
{
	if (p->btf_fd >= 0)
		close(p->btf_fd);
	p->btf_fd = -1;
}

int programs__load(const struct capture_options *opt, const struct features *f, u32 split,
		   struct programs **ret, struct err *err)
{
	struct programs *p = mem_alloc(sizeof(*p));
	int r;

	if (!p)
		return err__nomem(err);
	p->btf_fd = -1;
	libbpf_set_print(print_to_log);
	p->split = split;
	p->on_cpu_hz = opt->on_cpu_hz;
	cpu_samples__init(&p->samples);
	p->sleepable = features__has(f, FEATURE_ITER_TASK_SLEEPABLE);
	r = check_samples(opt->on_cpu_hz, f, err);
	if (!r)
		r = choose_resume(p, opt->resume, f, err);
	if (!r)
		r = loader__new(f, &p->loader, err);
	if (r)
		goto err_out;
	r = object_open(&f->btf, &p->skel, &p->btf_fd, err);
	if (r)
		goto err_out;
	r = constants_fill(p->skel, opt, f, p->split, p->resume, err);
	choose_programs(p, opt, f);
	if (!r)
		r = size_maps(p, opt, err);
	if (r)
		goto err_out;
	r = load_object(p, err);
	if (r)
		goto err_out;
	r = loader__begin(p->loader);
	if (r) {
		r = load_error(p, r, err);
		goto err_out;
	}
	close_btf(p);
	p->symbols = map_symbols(p);
	describe(p);
	*ret = p;
	return 0;
err_out:
	programs__free(p);
	return r;
}

static int attach_one(struct bpf_program *prog, struct bpf_link **ret_link, struct err *err)
{
	int r;

	if (!bpf_program__autoload(prog))
		return 0;
	*ret_link = bpf_program__attach_trace(prog);
	if (*ret_link)
		return 0;
	r = -errno;
	return err__set(err, r, "cannot attach %s: %s", bpf_program__name(prog), err_str(r));
}

int programs__finish(struct programs *p, struct err *err)
{
	int r = loader__run(p->loader);

	if (r)
		return load_error(p, r, err);
	if (needs_symbols(p))
		find_symbols(p);
	return 0;
}

/*
 * What a thread does first, then how threads come into the trace: one that is taken in is seen to
 * the end. Those that are there already are taken in when all is attached.
 */
int programs__attach(struct programs *p, struct err *err)
{
	struct coldspot *s = p->skel;
	int r = attach_one(s->progs.on_sched_waking, &s->links.on_sched_waking, err);

	r = r ? r : attach_one(s->progs.on_sched_migrate, &s->links.on_sched_migrate, err);
	/* The end first: a lock that is noted is forgotten again. */
	r = r ? r : attach_one(s->progs.on_contention_end, &s->links.on_contention_end, err);
	r = r ? r : attach_one(s->progs.on_contention_begin, &s->links.on_contention_begin, err);
	r = r ? r : attach_one(s->progs.on_sched_exit, &s->links.on_sched_exit, err);
	if (!r && p->resume == CS_RESUME_KPROBE) {
		s->links.on_finish_task_switch =
			bpf_program__attach_kprobe(s->progs.on_finish_task_switch, false,
						   p->resume_symbol);
		if (!s->links.on_finish_task_switch)
			r = err__set(err, -errno, "cannot put a kprobe on %s: %s", p->resume_symbol,
				     err_str(errno));
	}
	r = r ? r : attach_one(s->progs.on_sched_switch, &s->links.on_sched_switch, err);
	r = r ? r :
		attach_one(s->progs.on_sched_switch_early, &s->links.on_sched_switch_early, err);
	r = r ? r :
		attach_one(s->progs.on_sched_switch_3args, &s->links.on_sched_switch_3args, err);
	if (!r && p->on_cpu_hz)
		r = cpu_samples__start(&p->samples, s->progs.on_cpu_sample, p->on_cpu_hz, err);
	r = r ? r :
		attach_one(s->progs.on_sched_process_free, &s->links.on_sched_process_free, err);
	r = r ? r :
		attach_one(s->progs.on_sched_process_exit, &s->links.on_sched_process_exit, err);
	r = r ? r :
		attach_one(s->progs.on_sched_process_exec, &s->links.on_sched_process_exec, err);
	r = r ? r : attach_one(s->progs.on_task_newtask, &s->links.on_task_newtask, err);
	r = r ? r : attach_one(s->progs.on_task_rename, &s->links.on_task_rename, err);
	r = r ? r :
		attach_one(s->progs.on_cgroup_attach_task, &s->links.on_cgroup_attach_task, err);
	return r ? r : attach_one(s->progs.on_cgroup_mkdir, &s->links.on_cgroup_mkdir, err);
}

void programs__detach(struct programs *p)
{
	cpu_samples__done(&p->samples);
	cpu_samples__init(&p->samples);
	/* The links' order in the skeleton is that of the programs; none depends on another. */
	coldspot__detach(p->skel);
}

void programs__free(struct programs *p)
{
	if (!p)
		return;
	cpu_samples__done(&p->samples);
	if (p->symbols)
		munmap(p->symbols, SYMBOLS_SZ);
	close_btf(p);
	loader__free(p->loader); /* first: it may be at work with the maps */
	coldspot__destroy(p->skel);
	mem_free(p);
}

const char *programs__describe(const struct programs *p)
{
	return p->words;
}

volatile struct cs_control *programs__control(struct programs *p)
{
	return &p->skel->data->control;
}

int programs__walk(struct programs *p, enum programs_walk walk, struct vec *ret_records,
		   struct err *err)
{
	struct coldspot *skel = p->skel;

	if (walk == PROGRAMS_MARK)
		return walk_tasks(skel->progs.on_task_mark, 0, ret_records, err);
	if (walk == PROGRAMS_HISTS)
		return walk_tasks(skel->progs.on_task_hists, 0, ret_records, err);
	if (walk == PROGRAMS_DRAIN) {
		int r = programs__settle(p, true, err);

		return r ? r : walk_tasks(drain_program(p), 0, ret_records, err);
	}
	if (p->resume != CS_RESUME_SWITCH_OUT)
		return 0;
	return walk_tasks(p->sleepable ? skel->progs.on_task_asleep :
					 skel->progs.on_task_asleep_atomic,
			  0, ret_records, err);
}

int programs__walk_mappings(struct programs *p, u32 tid, struct err *err)
{
	struct vec none; /* it writes no records */
	int r;

	vec__init(&none, sizeof(u64));
	p->skel->data->control.wanted_tid = tid;
	r = walk_tasks(p->skel->progs.on_task_vma, tid, &none, err);
	vec__done(&none);
	return r;
}

int programs__walk_files(struct programs *p, const struct walk_bounds *bounds,
			 struct vec *ret_records, bool *ret_cut, struct err *err)
{
	if (!bpf_program__autoload(p->skel->progs.on_task_file))
		return err__set(err, -EOPNOTSUPP, "this kernel cannot walk over open files");
	p->skel->data->control.files_until_ns = bounds->until_ns;
	return walk_files(p->skel->progs.on_task_file, bounds, ret_records, ret_cut, err);
}

int programs__peers_wanted_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.peers_wanted);
}

bool programs__sees_all(const struct programs *p)
{
	return !p->skel->rodata->cfg.pidns_inum;
}

int programs__add_target(struct programs *p, u32 id, struct err *err)
{
	u8 one = 1;
	int r = bpf_map_update_elem(bpf_map__fd(p->skel->maps.targets), &id, &one, BPF_ANY);

	return r ? err__set(err, r, "cannot add %u to the targets: %s", id, err_str(r)) : 0;
}

int programs__events_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.events);
}

int programs__waits_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.waits);
}

size_t programs__wait_key_sz(const struct programs *p)
{
	return bpf_map__key_size(p->skel->maps.waits);
}

int programs__objects_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.objects);
}

int programs__stacks_fd(const struct programs *p, u32 idx, size_t *ret_sz)
{
	const struct bpf_map *maps[PROGRAMS_STACKS] = { p->skel->maps.short_stacks,
							p->skel->maps.medium_stacks,
							p->skel->maps.stacks };

	*ret_sz = bpf_map__value_size(maps[idx]);
	return bpf_map__fd(maps[idx]);
}

int programs__modules_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.modules);
}

int programs__pythons_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.pythons);
}

int programs__javas_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.javas);
}

int programs__segments_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.segments);
}

int programs__image_maps_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.image_maps);
}

bool programs__mm_walk(const struct programs *p)
{
	return p->skel->rodata->cfg.mm_walk;
}

int programs__rules_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.rules);
}

struct cs_symbol *programs__symbols(const struct programs *p)
{
	return p->symbols;
}

int programs__name_symbols(const struct programs *p)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);

	return bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.name_symbols), &run);
}

int programs__set_window_fd(const struct programs *p)
{
	return bpf_program__fd(p->skel->progs.set_window);
}

int programs__stats(const struct programs *p, struct cs_stats *ret, struct err *err)
{
	int ncpu = libbpf_num_possible_cpus();
	u64 *sum = (u64 *)ret;
	struct cs_stats *all;
	u32 zero = 0;
	int r;

	if (ncpu < 0)
		return err__set(err, ncpu, "cannot count the CPUs: %s", err_str(ncpu));
	all = mem_array((size_t)ncpu, sizeof(*all));
	if (!all)
		return err__nomem(err);
	r = bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.stats), &zero, all);
	memset(ret, 0, sizeof(*ret));
	for (int cpu = 0; !r && cpu < ncpu; cpu++)
		for (size_t i = 0; i < sizeof(*ret) / sizeof(u64); i++)
			sum[i] += ((const u64 *)&all[cpu])[i];
	mem_free(all);
	return r ? err__set(err, r, "cannot read the counters: %s", err_str(r)) : 0;
}

/*
 * A kprobe is dropped while any bpf() call is at work on that CPU, most often for a switch that is
 * not ours; those that are count as resume_missed. Of the locks that an interrupt finds taken while
 * we note one, none is slept for.
 */
static bool misses_matter(const struct programs *p, const struct bpf_program *prog)
{
	return prog != p->skel->progs.on_finish_task_switch &&
	       prog != p->skel->progs.on_contention_begin &&
	       prog != p->skel->progs.on_contention_end;
}

void programs__cost(const struct programs *p, struct programs_cost *ret)
{
	struct bpf_program *prog;

	memset(ret, 0, sizeof(*ret));
	bpf_object__for_each_program(prog, p->skel->obj) {
		struct bpf_prog_info info = { 0 };
		u32 len = sizeof(info);
		int fd = bpf_program__fd(prog);

		if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
			continue;
		ret->runs += info.run_cnt;
		ret->ns += info.run_time_ns;
		if (misses_matter(p, prog))
			ret->recursion_misses += info.recursion_misses;
	}
}

u64 programs__memory_bytes(const struct programs *p)
{
	return kernel_memory_used(p->skel);
}
