/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/feature/features_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "abi/wait.h"
#include "base/mem.h"
#include "capture/feature/privilege.h"
#include "proc/cgroup/cgroup.h"

/*
 * Features from /proc, /sys and system calls. Many kernel settings look relevant; only those that
 * change the content of a recording become features.
 */

/* Inode numbers of the first namespaces, fixed in include/linux/proc_ns.h. */
#define INIT_PIDNS_LINK "pid:[4026531836]"
#define INIT_USERNS_LINK "user:[4026531837]"

/* Limit for reading a file: /proc/cpuinfo and kallsyms have megabytes. */
#define HEAD_SZ 65536

/* Up to sz-1 bytes from the start of a file, NUL-terminated; the length or a negative errno. */
static ssize_t read_head(const char *path, char *buf, size_t sz)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, len = 0;

	if (fd < 0)
		return -errno;
	while ((size_t)len < sz - 1) {
		n = read(fd, buf + len, sz - 1 - (size_t)len);
		if (n < 0)
			len = -errno;
		if (n <= 0)
			break;
		len += n;
	}
	close(fd);
	buf[len > 0 ? len : 0] = '\0';
	return len;
}

static s64 read_sysctl(const char *path)
{
	char text[32], *end;
	long long value;

	if (read_head(path, text, sizeof(text)) <= 0)
		return FEATURES_NOT_KNOWN;
	value = strtoll(text, &end, 10);
	return end == text ? FEATURES_NOT_KNOWN : value;
}

static void read_release(struct features *f)
{
	struct utsname name;
	u32 version[3];

	if (uname(&name) < 0)
		return;
	snprintf(f->release, sizeof(f->release), "%s", name.release);
	features_text_release(f->release, version);
	f->major = version[0];
	f->minor = version[1];
	f->patch = version[2];
}

static void read_namespace(struct features *f, enum feature_id id, const char *path,
			   const char *init)
{
	char link[64];
	ssize_t len = readlink(path, link, sizeof(link) - 1);

	if (len < 0) {
		features__set_unknown(f, id, "cannot read %s: %s", path, err_str(errno));
		return;
	}
	link[len] = '\0';
	features__set(f, id, !strcmp(link, init), "%s", link);
}

static void read_capability(struct features *f, enum feature_id id, u32 cap)
{
	bool inside = f->at[FEATURE_INIT_USERNS].state == FEATURE_NO;
	bool given = privilege_allows(f->caps_effective, PRIVILEGE_BIT(cap));

	features__set(f, id, given && !inside, "%s",
		      given && inside ? "given inside the user namespace only" :
		      given && !(f->caps_effective & PRIVILEGE_BIT(cap)) ? "by CAP_SYS_ADMIN" :
									   "");
}

static void read_capabilities(struct features *f)
{
	struct privilege now;

	if (privilege__read(&now, NULL) < 0)
		return;
	f->caps_effective = now.effective;
	read_capability(f, FEATURE_CAP_BPF, CAP_BPF);
	read_capability(f, FEATURE_CAP_PERFMON, CAP_PERFMON);
	read_capability(f, FEATURE_CAP_SYS_PTRACE, CAP_SYS_PTRACE);
	read_capability(f, FEATURE_CAP_SYSLOG, CAP_SYSLOG);
	read_capability(f, FEATURE_CAP_DAC_READ_SEARCH, CAP_DAC_READ_SEARCH);
	read_capability(f, FEATURE_CAP_CHECKPOINT_RESTORE, CAP_CHECKPOINT_RESTORE);
}

static void read_sysctls(struct features *f)
{
	s64 jit = read_sysctl("/proc/sys/net/core/bpf_jit_enable");

	f->unprivileged_bpf_disabled = read_sysctl("/proc/sys/kernel/unprivileged_bpf_disabled");
	f->perf_event_paranoid = read_sysctl("/proc/sys/kernel/perf_event_paranoid");
	f->kptr_restrict = read_sysctl("/proc/sys/kernel/kptr_restrict");
	f->perf_event_max_stack = read_sysctl("/proc/sys/kernel/perf_event_max_stack");

	/* The file does not exist in network namespaces other than the initial one. */
	if (jit == FEATURES_NOT_KNOWN)
		features__set_unknown(f, FEATURE_JIT, "net.core.bpf_jit_enable cannot be read");
	else
		features__set(f, FEATURE_JIT, jit > 0, "net.core.bpf_jit_enable is %lld", jit);
	if (f->perf_event_max_stack == FEATURES_NOT_KNOWN)
		features__set_unknown(f, FEATURE_MAX_STACK,
				      "kernel.perf_event_max_stack cannot be read");
	else
		features__set(f, FEATURE_MAX_STACK, f->perf_event_max_stack >= CS_STACK_DEFAULT,
			      "%lld frames", f->perf_event_max_stack);
}

static void read_lockdown(struct features *f)
{
	char text[128];
	ssize_t n = read_head("/sys/kernel/security/lockdown", text, sizeof(text));

	if (n <= 0 ||
	    !features_text_lockdown(view__of(text, (size_t)n), f->lockdown, sizeof(f->lockdown)))
		f->lockdown[0] = '\0';
}

static void read_kallsyms(struct features *f, char *head)
{
	ssize_t n = read_head("/proc/kallsyms", head, HEAD_SZ);

	if (n <= 0)
		features__set(f, FEATURE_KALLSYMS, false, "/proc/kallsyms: %s",
			      n < 0 ? err_str((int)n) : "empty");
	else if (features_text_has_address(view__of(head, (size_t)n)))
		features__set(f, FEATURE_KALLSYMS, true, "%s", "");
	else
		features__set(f, FEATURE_KALLSYMS, false,
			      "the kernel hides its addresses: kernel.kptr_restrict is %lld%s",
			      f->kptr_restrict,
			      f->at[FEATURE_CAP_SYSLOG].state == FEATURE_YES ? "" :
									       ", no CAP_SYSLOG");
}

/*
 * The scheduler's clock is the TSC on x86, and steps between CPUs where that is not constant; on
 * other machines in scope it is an architected timer, the same for all CPUs.
 */
static void read_clock(struct features *f, char *head)
{
	static const char *const words[] = { "constant_tsc", "nonstop_tsc", NULL };
	ssize_t n = read_head("/proc/cpuinfo", head, HEAD_SZ);
	bool found, stable;

	if (n <= 0) {
		features__set_unknown(f, FEATURE_STABLE_CLOCK, "/proc/cpuinfo cannot be read");
		return;
	}
	stable = features_text_cpu_flags(view__of(head, (size_t)n), words, &found);
	if (found)
		features__set(f, FEATURE_STABLE_CLOCK, stable, "%s",
			      stable ? "constant_tsc nonstop_tsc" :
				       "the CPU lacks constant_tsc or nonstop_tsc");
	else
		features__set(f, FEATURE_STABLE_CLOCK, true, "architected timer");
}

static void read_mounts(struct features *f)
{
	if (cgroup_find_mount(f->cgroup2_path, sizeof(f->cgroup2_path)) < 0) {
		features__set_unknown(f, FEATURE_CGROUP2, "/proc/self/mountinfo cannot be read");
		return;
	}
	features__set(f, FEATURE_CGROUP2, f->cgroup2_path[0], "%s",
		      f->cgroup2_path[0] ? f->cgroup2_path : "not mounted");
}

static void read_tracefs(struct features *f)
{
	static const char *const paths[] = { "/sys/kernel/tracing/events/sched",
					     "/sys/kernel/debug/tracing/events/sched" };
	size_t i;

	for (i = 0; i < ARRAY_LEN(paths); i++) {
		if (!access(paths[i], R_OK)) {
			features__set(f, FEATURE_TRACEFS, true, "%s", "");
			return;
		}
	}
	features__set(f, FEATURE_TRACEFS, false, "not mounted or not readable");
}

int features__read_system(struct features *f)
{
	struct rlimit memlock;
	char *head = mem_alloc(HEAD_SZ);

	if (!head)
		return -ENOMEM;
	read_release(f);
	read_namespace(f, FEATURE_INIT_USERNS, "/proc/self/ns/user", INIT_USERNS_LINK);
	read_namespace(f, FEATURE_INIT_PIDNS, "/proc/self/ns/pid", INIT_PIDNS_LINK);
	read_capabilities(f);
	read_sysctls(f);
	read_lockdown(f);
	read_kallsyms(f, head);
	read_clock(f, head);
	read_mounts(f);
	read_tracefs(f);
	if (!getrlimit(RLIMIT_MEMLOCK, &memlock))
		f->memlock_bytes = memlock.rlim_cur;
	mem_free(head);
	return 0;
}

/*
 * Reads up to the first match: kallsyms is sorted by address and the scheduler is near its
 * beginning, so the kernel never generates most of the 10 MB.
 */
void features__find_resume_symbol(struct features *f)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[1024]; /* the kernel's longest name is 512 */

	f->resume_symbol[0] = '\0';
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (features_text_resume_symbol(view__of(line, strcspn(line, "\n")),
						f->resume_symbol, sizeof(f->resume_symbol)))
			break;
		f->resume_symbol[0] = '\0';
	}
	fclose(file);
}
