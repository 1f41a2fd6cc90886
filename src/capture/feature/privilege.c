/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/feature/privilege.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Reads and gives up capabilities by the raw system calls: libcap would be a dependency for two
 * calls, and its state objects would hide the one thing that matters here, which bits are left.
 *
 * What stays while a trace runs, and why:
 *   CAP_BPF             maps are read through system calls, which kernel.unprivileged_bpf_disabled
 *                       refuses to others (before 5.19 even with an open descriptor)
 *   CAP_PERFMON         the task iterator is opened anew at each drain and reads kernel memory
 *   CAP_SYS_PTRACE      /proc/PID/maps and /proc/PID/root of processes of other users
 *   CAP_SYSLOG          /proc/kallsyms with its addresses, read when names are looked up
 *   CAP_DAC_READ_SEARCH program files in directories that are closed to us
 *   CAP_CHECKPOINT_RESTORE  /proc/PID/map_files: programs that were deleted or replaced
 *   CAP_SETUID, CAP_SETGID  with --java-symbols only: a JVM listens to nobody but its own user
 *   CAP_SYS_NICE        where hooks may give way to visits, or tasks are read: the thread that does
 *                       so has real-time priority
 * CAP_SYS_ADMIN stays only where it stands in for one of the first two or the last: on a process
 * that was given it instead. CAP_DAC_OVERRIDE goes: root without it cannot create a file in a
 * directory of another user, so outputs are opened before the drop.
 */

bool privilege_allows(u64 effective, u64 bit)
{
	u64 included = PRIVILEGE_BPF | PRIVILEGE_PERFMON | PRIVILEGE_CHECKPOINT_RESTORE;

	return effective & bit || (bit & included && effective & PRIVILEGE_SYS_ADMIN);
}

static int get_sets(struct __user_cap_data_struct data[2], struct err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };

	if (syscall(SYS_capget, &head, data) < 0) {
		int r = -errno;

		return err__set(err, r, "cannot read our capabilities: %s", err_str(r));
	}
	return 0;
}

static int set_sets(u64 keep, struct err *err)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = (u32)keep, .permitted = (u32)keep },
		{ .effective = (u32)(keep >> 32), .permitted = (u32)(keep >> 32) },
	};

	if (syscall(SYS_capset, &head, data) < 0) {
		int r = -errno;

		return err__set(err, r, "cannot give up capabilities: %s", err_str(r));
	}
	return 0;
}

int privilege__read(struct privilege *p, struct err *err)
{
	struct __user_cap_data_struct data[2];
	u32 cap;
	int r = get_sets(data, err);

	if (r < 0)
		return r;
	memset(p, 0, sizeof(*p));
	p->effective = (u64)data[1].effective << 32 | data[0].effective;
	p->permitted = (u64)data[1].permitted << 32 | data[0].permitted;
	p->inheritable = (u64)data[1].inheritable << 32 | data[0].inheritable;
	/* The kernel's last capability is the one behind which these calls fail. */
	for (cap = 0; cap < 64; cap++) {
		int in_bounding = prctl(PR_CAPBSET_READ, cap, 0, 0, 0);

		if (in_bounding < 0)
			break;
		if (in_bounding)
			p->bounding |= PRIVILEGE_BIT(cap);
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 1)
			p->ambient |= PRIVILEGE_BIT(cap);
	}
	return 0;
}

/* CAP_SYS_ADMIN is kept only where a wanted one is missing that it includes. */
static u64 kept(u64 effective, u64 want)
{
	u64 bit, keep = want & effective;

	for (bit = 1; bit; bit <<= 1) {
		if (want & bit && !(effective & bit) && privilege_allows(effective, bit))
			keep |= PRIVILEGE_SYS_ADMIN;
	}
	return keep;
}

int privilege__drop(u64 want, struct err *err)
{
	struct privilege now;
	u64 keep;
	u32 cap;
	int r = privilege__read(&now, err);

	if (r < 0)
		return r;
	keep = kept(now.effective, want);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) {
		r = -errno;
		return err__set(err, r, "cannot set no_new_privs: %s", err_str(r));
	}
	/* Fails before kernel 4.3 only, and leaves nothing that capset below does not take. */
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	/* Without CAP_SETPCAP the bounding set stays; no_new_privs has the same effect. */
	for (cap = 0; cap < 64; cap++) {
		if (now.bounding & ~keep & PRIVILEGE_BIT(cap))
			prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	}
	return set_sets(keep, err);
}
