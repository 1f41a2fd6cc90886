/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Owns the skeleton. Everything that depends on the kernel is decided here, once, before load:
 * unused programs are not loaded, and constants let the verifier eliminate dead branches.
 */
#include "capture/program/programs_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/event.h"
#include "abi/symbol.h"
#include "abi/task.h"
#include "abi/wait.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/feature/hooks.h"
#include "capture/program/constants.h"
#include "capture/program/kernel_memory.h"
#include "capture/program/large_maps.h"
#include "capture/program/loader.h"
#include "capture/program/object.h"
#include "capture/request/request_probes.h"
#include "capture/program/walks.h"
#include "gen/coldspot.skel.h"

#define SYMBOLS_SZ (CS_SYMBOLS_LEN * sizeof(struct cs_symbol))

/* They cost nothing where nobody asks for them. */
static int leave_out_wakers(struct programs *p)
{
	struct bpf_map *const maps[] = {
		p->skel->maps.task_wakes, p->skel->maps.wakers,	   p->skel->maps.outsiders,
		p->skel->maps.wakes,	  p->skel->maps.wakes_odd, p->skel->maps.wake_scratch,
	};
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_LEN(maps); i++)
		r = bpf_map__set_autocreate(maps[i], false);
	return r;
}

static int leave_out_maps(struct programs *p, const struct capture_options *opt)
{
	int r = 0;

	if (!p->skel->rodata->cfg.postpone)
		r = bpf_map__set_autocreate(p->skel->maps.postponed, false);
	if (!r && !opt->wakers)
		r = leave_out_wakers(p);
	if (!r && !opt->max_moments)
		r = bpf_map__set_autocreate(p->skel->maps.moments, false);
	if (!r && !opt->requests_len)
		r = bpf_map__set_autocreate(p->skel->maps.thread_contexts, false);
	if (!r && !opt->visit_hz)
		r = bpf_map__set_autocreate(p->skel->maps.task_visits, false);
	return r;
}

static int size_maps(struct programs *p, const struct capture_options *opt, struct err *err)
{
	const struct kernel_memory_wish wish = {
		.opt = opt,
		.stack_sz = constants_stack_sz(opt),
		.early = p->resume != CS_RESUME_EXIT_TP,
		.tell_maps = !programs__mm_walk(p),
	};
	int r = leave_out_maps(p, opt);

	return r ? err__set(err, r, "cannot size the tables: %s", err_str(r)) :
		   kernel_memory_divide(p->skel, &wish, err);
}

static struct bpf_program *program_of(const struct programs *p, const struct hook *h)
{
	return bpf_object__find_program_by_name(p->skel->obj, h->program);
}

static void choose_programs(const struct programs *p, const struct hook_choice *c)
{
	for (u32 i = 0; i < hooks_cnt; i++)
		bpf_program__set_autoload(program_of(p, &hooks[i]),
					  hook_choice__loads(c, &hooks[i]));
}

static void describe(struct programs *p)
{
	static const char *const resume_words[] = {
		[CS_RESUME_EXIT_TP] = "stacks at sched_exit_tp",
		[CS_RESUME_KPROBE] = "stacks at a kprobe on finish_task_switch",
		[CS_RESUME_SWITCH_OUT] = "stacks at sched_switch, before the length is known",
	};

	char how[128];

	snprintf(how, sizeof(how), "%s, %s", resume_words[p->resume],
		 p->split == CS_SPLIT_WAKING ? "waits split by sched_waking" :
					       "waits split by sched_info");
	if (p->visit_hz)
		snprintf(how, sizeof(how), "threads visited %u times a second, no hook at switches",
			 p->visit_hz);
	snprintf(p->words, sizeof(p->words), "%s, %s%s%s", how,
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
		return err__set(
			err, r,
			"the kernel does not permit BPF programs: run as root or grant CAP_BPF "
			"and CAP_PERFMON; see `coldspot doctor`");
	return err__set(err, r, "the kernel refused our BPF programs: %s%s%s", err_str(r),
			reason[0] ? ": " : "", reason);
}

/* Without the symbols the helper reads every kernel stack, and fewer faults have a file. */
static void find_symbols(struct programs *p)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int r = bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.find_symbols), &run);

	if (r || run.retval)
		log_debug("addresses of the kernel are not available: %s",
			  r ? err_str(r) : "symbols missing");
}

static struct bpf_program *drain_program(struct programs *p)
{
	if (p->visit_hz)
		return p->skel->progs.on_task_visit_end;
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

/* The slowest to verify first; what is needed only at the end comes last. */
static int plan(struct programs *p)
{
	static const enum loader_when when[] = {
		[HOOK_AT_ATTACH_SLOW] = LOADER_NEXT,
		[HOOK_AT_LOAD] = LOADER_FIRST,
		[HOOK_AT_END] = LOADER_LATE,
	};
	int r = 0;

	for (u32 i = 0; !r && i < hooks_cnt; i++)
		if (hooks[i].when != HOOK_AT_ATTACH)
			r = loader__set(p->loader, program_of(p, &hooks[i]), when[hooks[i].when]);
	return r;
}

static int load_object(struct programs *p, struct err *err)
{
	struct bpf_map *const large[] = { p->skel->maps.waits,	      p->skel->maps.waits_odd,
					  p->skel->maps.short_stacks, p->skel->maps.medium_stacks,
					  p->skel->maps.stacks,	      p->skel->maps.objects,
					  p->skel->maps.events,	      NULL };
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
	struct hook_choice choice;
	int r;

	if (!p)
		return err__nomem(err);
	p->btf_fd = -1;
	libbpf_set_print(object_print_to_log);
	p->split = split;
	p->on_cpu_hz = opt->on_cpu_hz;
	p->visit_hz = opt->visit_hz;
	attachments__init(&p->attached);
	p->sleepable = features__has(f, FEATURE_ITER_TASK_SLEEPABLE);
	snprintf(p->resume_symbol, sizeof(p->resume_symbol), "%s", f->resume_symbol);
	r = hook_choice__init(&choice, opt, f, split, err);
	p->resume = choice.resume;
	if (!r)
		r = loader__new(f, &p->loader, err);
	if (r)
		goto err_out;
	r = object_open(&f->btf, &p->skel, &p->btf_fd, err);
	if (r)
		goto err_out;
	r = constants_fill(p->skel, opt, f, p->split, p->resume, err);
	choose_programs(p, &choice);
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
	if (p->split == CS_SPLIT_SCHED_INFO &&
	    bpf_program__autoload(p->skel->progs.on_sched_waking))
		wakeups__init(&p->wakeups, p->skel->progs.on_sched_waking,
			      &p->skel->bss->moved_sleepers);
	p->symbols = map_symbols(p);
	describe(p);
	*ret = p;
	return 0;
err_out:
	programs__free(p);
	return r;
}

bool programs__waiting(struct programs *p)
{
	return loader__waiting(p->loader);
}

int programs__finish(struct programs *p, struct err *err)
{
	int r = loader__run(p->loader);

	if (r)
		return load_error(p, r, err);
	if (bpf_program__autoload(p->skel->progs.find_symbols))
		find_symbols(p);
	return 0;
}

int programs__attach(struct programs *p, struct err *err)
{
	const struct attach_how how = {
		.resume_symbol = p->resume_symbol,
		.on_cpu_hz = p->on_cpu_hz,
		.later = p->wakeups.prog ? HOOK_WAKING : HOOK_ALWAYS,
	};

	int r = p->visit_hz ? walk_prepare(p->skel->progs.on_task_visit, &p->visits, err) : 0;

	return r ? r : attachments__add(&p->attached, p->skel->obj, &how, err);
}

int programs__attach_requests(struct programs *p, const struct request_probes *requests,
			      struct err *err)
{
	return request_probes__attach(requests, p->skel->progs.on_request, &p->attached.links, err);
}

void programs__detach(struct programs *p)
{
	walk_forget(&p->visits);
	wakeups__done(&p->wakeups);
	attachments__done(&p->attached);
}

void programs__watch_wakeups(struct programs *p)
{
	wakeups__begin(&p->wakeups, clock_mono_ns());
}

void programs__tick(struct programs *p, u64 now_mono_ns)
{
	wakeups__tick(&p->wakeups, now_mono_ns);
}

void programs__free(struct programs *p)
{
	if (!p)
		return;
	programs__detach(p);
	if (p->symbols)
		munmap(p->symbols, SYMBOLS_SZ);
	close_btf(p);
	loader__free(p->loader); /* first: it may be using the maps */
	coldspot__destroy(p->skel);
	mem_free(p);
}

const char *programs__describe(const struct programs *p)
{
	return p->words;
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

int programs__visit(struct programs *p, struct err *err)
{
	return walk_again(p->visits, err);
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

bool programs__mm_walk(const struct programs *p)
{
	return p->skel->rodata->cfg.mm_walk;
}

bool programs__takes_early(const struct programs *p)
{
	return p->resume == CS_RESUME_SWITCH_OUT;
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
