/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As in bpf/python.bpf.c, the thread state is a value of a pthread key, and is known by the
 * pthread_self() in it. Only the thread pointer has to be found differently: no file of /proc has
 * it, but glibc registers a list of robust mutexes for each thread, which is in its struct pthread,
 * and get_robust_list(2) tells where.
 */
#include "visit/python_thread.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * glibc's nptl/descr.h, the same from 2.4 to 2.42, on x86-64 and arm64: the first block of keys
 * (pairs of a sequence number and a value) is so far behind the head of the list.
 */
#define KEYS_AT 0x30
#define KEYS 32
/* The list is at most this far behind the start of struct pthread, which is pthread_self(). */
#define SELF_BEFORE 4096

struct key_value {
	u64 seq;
	u64 value;
};

/* Where the head of its list is; 0: not known. */
static u64 robust_list_of(u32 tid)
{
	void *head = NULL;
	size_t len = 0;

	if (syscall(SYS_get_robust_list, (long)tid, &head, &len))
		return 0;
	return (u64)(uintptr_t)head;
}

static bool is_state(struct process *p, u64 addr, u64 list, const struct cs_python *layout)
{
	u64 self;

	return process__read(p, addr + layout->thread_id, &self, sizeof(self)) && self < list &&
	       list - self < SELF_BEFORE;
}

bool python_thread_state(struct process *p, u32 tid, const struct cs_python *layout, u64 *ret)
{
	struct key_value keys[KEYS];
	u64 list = robust_list_of(tid);

	if (!list || !process__read(p, list + KEYS_AT, keys, sizeof(keys)))
		return false;
	for (u32 i = 0; i < KEYS; i++) {
		/* the key is the same in all threads of a process */
		u32 key = (p->python_key + i) % KEYS;

		if (!is_state(p, keys[key].value, list, layout))
			continue;
		p->python_key = key;
		*ret = keys[key].value;
		return true;
	}
	return false;
}
