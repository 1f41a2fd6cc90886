/* SPDX-License-Identifier: Apache-2.0 */

/* See deep.h; DEEP is the name of this build's function. */
#include "deep.h"

#include <search.h>
#include <stdint.h>
#include <sys/syscall.h>

/* A common size of a frame: what matters is how often a walk reads the next piece of the stack. */
#define LOCALS 8

static inline __attribute__((always_inline)) long run_program(union bpf_attr *attr)
{
#if defined(__x86_64__)
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "0"((long)SYS_bpf), "D"((long)BPF_PROG_TEST_RUN), "S"(attr),
			   "d"(sizeof(*attr))
			 : "rcx", "r11", "memory");
	return r;
#else
	register long x8 __asm__("x8") = SYS_bpf;
	register long x0 __asm__("x0") = BPF_PROG_TEST_RUN;
	register long x1 __asm__("x1") = (long)attr;
	register long x2 __asm__("x2") = sizeof(*attr);

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
#endif
}

int DEEP(const void *key, const void *elem)
{
	struct deep *d = *(struct deep *const *)key;
	volatile long locals[LOCALS] = { 0 };
	size_t one = 1;

	d->ra[d->at++] = (u64)(uintptr_t)__builtin_return_address(0);
	if (d->at == d->levels) {
		while (d->turn(d))
			d->result = run_program(&d->attr);
	} else if (d->through_libc) {
		locals[0] = lfind(key, elem, &one, 1, d->step) == NULL;
	} else {
		locals[0] = d->step(key, elem);
	}
	return (int)locals[0];
}
