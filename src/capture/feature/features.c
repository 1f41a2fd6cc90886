/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/feature/features.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "capture/feature/features_priv.h"

/*
 * Combines the answers, in order of dependency: privileges, BTF, hooks, then trial programs. The
 * trials decide: a container may have every capability and a seccomp filter that refuses bpf(), and
 * lockdown may be hidden from us. They have the type that recording uses (tp_btf on sched_switch)
 * and are never attached.
 */

#define BTF_PATH "/sys/kernel/btf/vmlinux"
#define BTF_MAX_SZ (256 << 20)
#define KPROBE_PMU_PATH "/sys/bus/event_source/devices/kprobe/type"

static void __attribute__((format(printf, 4, 0)))
set_text(struct features *f, enum feature_id id, enum feature_state state, const char *fmt,
	 va_list args)
{
	f->at[id].state = state;
	vsnprintf(f->at[id].detail, sizeof(f->at[id].detail), fmt, args);
}

void features__set(struct features *f, enum feature_id id, bool present, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(f, id, present ? FEATURE_YES : FEATURE_NO, fmt, args);
	va_end(args);
}

void features__set_unknown(struct features *f, enum feature_id id, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	set_text(f, id, FEATURE_UNKNOWN, fmt, args);
	va_end(args);
}

/* All of it: mapped if the kernel allows it (6.16); reading takes 10 ms. */
static int read_btf(struct features *f, int fd, struct err *err)
{
	struct file_map map;
	char *text;
	size_t sz;
	int r;

	if (!file_map__open(&map, fd, BTF_PATH, NULL)) {
		r = features__take_btf(f, view__of(map.data, map.sz), err);
		file_map__done(&map);
		return r;
	}
	r = file_read_fd(fd, BTF_PATH, BTF_MAX_SZ, &text, &sz, err);
	if (r < 0)
		return r;
	r = features__take_btf(f, view__of(text, sz), err);
	mem_free(text);
	return r;
}

/* FEATURE_BTF says why there is none. */
static int load_btf(struct features *f, struct err *err)
{
	int fd = open(BTF_PATH, O_RDONLY | O_CLOEXEC), r;
	struct err why = { 0 };

	if (fd < 0) {
		features__set(f, FEATURE_BTF, false, "%s: %s", BTF_PATH, err_str(errno));
		return 0;
	}
	r = read_btf(f, fd, &why);
	close(fd);
	if (r == -ENOMEM)
		return err__nomem(err);
	if (r < 0)
		features__set(f, FEATURE_BTF, false, "%s cannot be understood: %s", BTF_PATH,
			      why.msg);
	else
		features__set(f, FEATURE_BTF, true, "%u types", f->btf.types_cnt);
	return 0;
}

/* Loads the program, closes it again; 0 or a negative errno. */
static int try_program(const struct features *f, const struct bpf_insn *insns, size_t len)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_TRACE_RAW_TP);
	int fd;

	opts.attach_btf_id = features__hook_id(f, "tp_btf/sched_switch");
	if (!opts.attach_btf_id)
		return -ENOENT;
	fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "coldspot_trial", "GPL", insns, len, &opts);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

#define INSN_MOV_IMM(dst, value)                                                                   \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (value)              \
	}
#define INSN_MOV_REG(dst, src)                                                                     \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (dst), .src_reg = (src)            \
	}
#define INSN_ADD_IMM(dst, value)                                                                   \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = (dst), .imm = (value)              \
	}
#define INSN_CALL(helper)                                                                          \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .imm = (helper)                                        \
	}
/* Two instructions: the number in place of a map is its descriptor. */
#define INSN_LOAD_MAP(dst, fd)                                                                     \
	{ .code = BPF_LD | BPF_DW | BPF_IMM,                                                       \
	  .dst_reg = (dst),                                                                        \
	  .src_reg = BPF_PSEUDO_MAP_FD,                                                            \
	  .imm = (fd) },                                                                           \
	{                                                                                          \
		.code = 0                                                                          \
	}
#define INSN_EXIT                                                                                  \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}

/*
 * Samples use the tables of waits and stacks, whose entries are allocated on demand. Before 6.1, no
 * perf_event program may even refer to such a table.
 */
static int try_sampling(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, map_opts, .map_flags = BPF_F_NO_PREALLOC);
	int map = bpf_map_create(BPF_MAP_TYPE_HASH, "coldspot_trial", 4, 4, 1, &map_opts), fd;
	const struct bpf_insn insns[] = {
		INSN_LOAD_MAP(BPF_REG_1, map),
		INSN_MOV_IMM(BPF_REG_0, 0),
		INSN_EXIT,
	};

	if (map < 0)
		return map;
	fd = bpf_prog_load(BPF_PROG_TYPE_PERF_EVENT, "coldspot_trial", "GPL", insns,
			   ARRAY_LEN(insns), NULL);
	close(map);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static void try_programs(struct features *f)
{
	static const struct bpf_insn nothing[] = {
		INSN_MOV_IMM(BPF_REG_0, 0),
		INSN_EXIT,
	};
	/* bpf_probe_read_kernel(fp - 8, 8, NULL) */
	static const struct bpf_insn read_kernel[] = {
		INSN_MOV_REG(BPF_REG_1, BPF_REG_10),
		INSN_ADD_IMM(BPF_REG_1, -8),
		INSN_MOV_IMM(BPF_REG_2, 8),
		INSN_MOV_IMM(BPF_REG_3, 0),
		INSN_CALL(BPF_FUNC_probe_read_kernel),
		INSN_MOV_IMM(BPF_REG_0, 0),
		INSN_EXIT,
	};
	int r = try_program(f, nothing, ARRAY_LEN(nothing));

	f->trial_error = r;
	features__set(f, FEATURE_BPF_SYSCALL, !r, r ? "the kernel refused it: %s" : "%s",
		      r ? err_str(r) : "");
	if (r)
		return;
	r = try_program(f, read_kernel, ARRAY_LEN(read_kernel));
	features__set(f, FEATURE_READ_KERNEL, !r, r ? "the kernel refused it: %s" : "%s",
		      r ? err_str(r) : "");
	r = try_sampling();
	features__set(f, FEATURE_CPU_SAMPLES, !r,
		      r ? "the kernel refused a trial program with a table that grows: %s" : "%s",
		      r ? err_str(r) : "");
}

/*
 * Creates and removes the kprobe, which is the only reliable test: perf_event_open() needs
 * CAP_PERFMON, but on Debian's kernels CAP_SYS_ADMIN if kernel.perf_event_paranoid is 3, and
 * lockdown forbids it.
 */
static int try_kprobe(s64 pmu_type, const char *symbol)
{
	struct perf_event_attr attr = {
		.type = (u32)pmu_type,
		.size = sizeof(attr),
		.kprobe_func = (u64)(uintptr_t)symbol,
	};
	long fd = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

static void probe_kprobe(struct features *f, bool wanted)
{
	u64 pmu_type;
	int r;

	if (file_read_u64(KPROBE_PMU_PATH, &pmu_type, NULL) < 0) {
		features__set(f, FEATURE_KPROBE, false, "the kernel is built without kprobes");
		return;
	}
	if (!wanted) {
		features__set_unknown(f, FEATURE_KPROBE, "not tried");
		return;
	}
	features__find_resume_symbol(f);
	if (!f->resume_symbol[0]) {
		features__set(f, FEATURE_KPROBE, false, "kallsyms has no finish_task_switch");
		return;
	}
	r = try_kprobe((s64)pmu_type, f->resume_symbol);
	if (r)
		features__set(f, FEATURE_KPROBE, false,
			      "refused: %s; kernel.perf_event_paranoid is %lld", err_str(r),
			      f->perf_event_paranoid);
	else
		features__set(f, FEATURE_KPROBE, true, "%s", f->resume_symbol);
}

/* What needs BTF, quietly: libbpf would print errors for features that are merely missing. */
static int probe_btf(struct features *f, struct err *err)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int r = load_btf(f, err);

	if (!r && features__has(f, FEATURE_BTF)) {
		if (features__has(f, FEATURE_CAP_BPF) && features__has(f, FEATURE_CAP_PERFMON)) {
			try_programs(f);
		} else {
			features__set_unknown(f, FEATURE_BPF_SYSCALL,
					      "not tried without CAP_BPF "
					      "and CAP_PERFMON");
			features__set_unknown(f, FEATURE_READ_KERNEL,
					      "not tried without CAP_BPF "
					      "and CAP_PERFMON");
			features__set_unknown(f, FEATURE_CPU_SAMPLES,
					      "not tried without CAP_BPF "
					      "and CAP_PERFMON");
		}
	}
	libbpf_set_print(print);
	return r;
}

int features__probe(struct features *f, u32 flags, struct err *err)
{
	u32 id;

	memset(f, 0, sizeof(*f));
	if (features__read_system(f) < 0)
		return err__nomem(err);
	if (!(flags & FEATURES_SKIP_BTF) && probe_btf(f, err)) {
		features__done(f);
		return -ENOMEM;
	}
	probe_kprobe(f, flags & FEATURES_RESUME_SYMBOL ||
				f->at[FEATURE_SCHED_EXIT_TP].state == FEATURE_NO);
	for (id = 0; id < FEATURE_CNT; id++) {
		if (f->at[id].state == FEATURE_UNKNOWN && !f->at[id].detail[0])
			features__set_unknown(f, id, "not known without BTF");
	}
	return 0;
}

void features__done(struct features *f)
{
	btf_excerpt__done(&f->btf);
}

static int verdict_rights(const struct features *f, struct err *err)
{
	if (f->at[FEATURE_INIT_USERNS].state == FEATURE_NO)
		return err__set(
			err, -EPERM,
			"not permitted: we are in a user namespace, and its capabilities do "
			"not reach BPF; %s",
			feature_infos[FEATURE_INIT_USERNS].remedy);
	if (f->at[FEATURE_CAP_BPF].state == FEATURE_NO ||
	    f->at[FEATURE_CAP_PERFMON].state == FEATURE_NO)
		return err__set(
			err, -EPERM,
			"not permitted: needs CAP_BPF and CAP_PERFMON; run as root, or once: "
			"setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_syslog,"
			"cap_dac_read_search=ep on the program");
	return 0;
}

int features__verdict(const struct features *f, struct err *err)
{
	u32 id;
	int r = verdict_rights(f, err);

	if (r < 0)
		return r;
	if (f->at[FEATURE_BTF].state == FEATURE_NO)
		return err__set(err, -EOPNOTSUPP, "this kernel has no BTF: %s; %s",
				f->at[FEATURE_BTF].detail, feature_infos[FEATURE_BTF].remedy);
	for (id = 0; id < FEATURE_CNT; id++) {
		const struct feature_info *info = &feature_infos[id];

		if (!info->required || id == FEATURE_BPF_SYSCALL || id == FEATURE_READ_KERNEL ||
		    f->at[id].state != FEATURE_NO)
			continue;
		return err__set(err, -EOPNOTSUPP,
				"Linux %s lacks what recording needs: %s (%s); %s", f->release,
				info->name, f->at[id].detail, info->remedy);
	}
	if (f->at[FEATURE_READ_KERNEL].state == FEATURE_NO)
		return err__set(
			err, -EPERM,
			"not permitted: the kernel does not let BPF programs read its memory "
			"(lockdown is %s); %s",
			f->lockdown[0] ? f->lockdown : "not known",
			feature_infos[FEATURE_READ_KERNEL].remedy);
	if (f->trial_error == -EPERM || f->trial_error == -EACCES)
		return err__set(err, -EPERM,
				"not permitted: the kernel refused a trial BPF program though the "
				"capabilities are there; %s",
				feature_infos[FEATURE_BPF_SYSCALL].remedy);
	if (f->trial_error)
		return err__set(err, -EOPNOTSUPP, "the kernel refused a trial BPF program: %s",
				err_str(f->trial_error));
	return 0;
}
