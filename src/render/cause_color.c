/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chosen to be told apart by people who see no difference between red and green: hues that they
 * confuse differ in lightness.
 */
#include "render/cause_color.h"

struct row {
	struct color color;
	const char *firefox;
};

/* grey is the viewer's mark of its default category, which we have apart: none of these has it */
static const struct row rows[CAUSE_CNT] = {
	[CAUSE_UNKNOWN] = { { 201, 194, 165 }, "yellow" },
	[CAUSE_PREEMPTED] = { { 120, 120, 124 }, "darkgrey" },
	[CAUSE_YIELD] = { { 214, 196, 90 }, "yellow" },
	[CAUSE_NEW] = { { 150, 150, 156 }, "darkgrey" },
	[CAUSE_THROTTLED] = { { 140, 60, 70 }, "darkgrey" },
	[CAUSE_FAULT] = { { 140, 109, 70 }, "brown" },
	[CAUSE_MMAP_LOCK] = { { 178, 60, 60 }, "lightred" },
	[CAUSE_KERNEL_LOCK] = { { 158, 62, 62 }, "lightred" },
	[CAUSE_FUTEX] = { { 214, 69, 69 }, "red" },
	[CAUSE_FUTEX_PI] = { { 224, 106, 96 }, "red" },
	[CAUSE_DISK_SYNC] = { { 181, 101, 29 }, "orange" },
	[CAUSE_DISK] = { { 224, 138, 46 }, "orange" },
	[CAUSE_WRITEBACK] = { { 168, 128, 82 }, "brown" },
	[CAUSE_RECLAIM] = { { 176, 142, 104 }, "brown" },
	[CAUSE_FILE_LOCK] = { { 196, 98, 160 }, "magenta" },
	[CAUSE_NET_RECV] = { { 61, 125, 219 }, "blue" },
	[CAUSE_NET_SEND] = { { 60, 95, 178 }, "blue" },
	[CAUSE_NET_CONNECT] = { { 86, 104, 168 }, "blue" },
	[CAUSE_NET_ACCEPT] = { { 170, 194, 230 }, "transparent" },
	[CAUSE_UNIX] = { { 62, 170, 162 }, "green" },
	[CAUSE_PIPE] = { { 42, 161, 152 }, "green" },
	[CAUSE_TTY] = { { 96, 182, 176 }, "green" },
	[CAUSE_POLL] = { { 143, 184, 238 }, "lightblue" },
	[CAUSE_URING] = { { 122, 160, 210 }, "lightblue" },
	[CAUSE_SLEEP] = { { 154, 143, 191 }, "purple" },
	[CAUSE_IPC] = { { 92, 186, 196 }, "green" },
	[CAUSE_CHILD] = { { 106, 168, 79 }, "green" },
	[CAUSE_STOPPED] = { { 176, 176, 182 }, "darkgrey" },
	[CAUSE_EXIT] = { { 190, 186, 186 }, "darkgrey" },
	[CAUSE_KTHREAD] = { { 204, 204, 210 }, "transparent" },
	[CAUSE_VM] = { { 196, 202, 196 }, "transparent" },
	[CAUSE_SYSCALL] = { { 216, 206, 150 }, "yellow" },
	[CAUSE_LOST] = { { 184, 176, 148 }, "darkgrey" },
	[CAUSE_ON_CPU] = { { 240, 122, 40 }, "yellow" },
	[CAUSE_SWAP] = { { 150, 96, 84 }, "brown" },
	[CAUSE_JOURNAL] = { { 196, 116, 40 }, "orange" },
	[CAUSE_FUSE] = { { 206, 150, 82 }, "orange" },
	[CAUSE_NFS] = { { 216, 166, 96 }, "orange" },
	[CAUSE_LOCK] = { { 206, 52, 58 }, "red" },
	[CAUSE_RWLOCK] = { { 218, 92, 82 }, "red" },
	[CAUSE_COND] = { { 224, 138, 168 }, "magenta" },
	[CAUSE_SEMAPHORE] = { { 228, 154, 150 }, "magenta" },
	[CAUSE_BARRIER] = { { 232, 168, 182 }, "magenta" },
	[CAUSE_JOIN] = { { 132, 184, 104 }, "green" },
	[CAUSE_ONCE] = { { 200, 108, 104 }, "red" },
	[CAUSE_MALLOC_LOCK] = { { 190, 84, 44 }, "red" },
	[CAUSE_GIL] = { { 196, 40, 92 }, "red" },
	[CAUSE_MONITOR] = { { 210, 60, 84 }, "red" },
	[CAUSE_OBJECT_WAIT] = { { 222, 150, 190 }, "magenta" },
	[CAUSE_PARK] = { { 214, 164, 206 }, "magenta" },
	[CAUSE_QUEUE] = { { 204, 146, 212 }, "magenta" },
	[CAUSE_FUTURE] = { { 188, 130, 204 }, "magenta" },
	[CAUSE_DB_LOCK] = { { 182, 44, 44 }, "red" },
	[CAUSE_DNS] = { { 74, 150, 226 }, "blue" },
	[CAUSE_SAFEPOINT] = { { 170, 120, 70 }, "brown" },
	[CAUSE_GC] = { { 160, 132, 88 }, "brown" },
	[CAUSE_SIGNAL] = { { 112, 196, 150 }, "green" },
};

struct color cause_color(enum cause cause)
{
	return rows[(u32)cause < CAUSE_CNT ? cause : CAUSE_UNKNOWN].color;
}

const char *cause_color_firefox(enum cause cause)
{
	const char *name = rows[(u32)cause < CAUSE_CNT ? cause : CAUSE_UNKNOWN].firefox;

	return name ? name : "yellow";
}
