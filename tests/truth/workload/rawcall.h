/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WORKLOAD_RAWCALL_H
#define WORKLOAD_RAWCALL_H

#include <sys/syscall.h>

/*
 * A system call without a C library function around it: the user stack of the wait then begins in
 * our own function, with a frame pointer that can be followed. Returns -errno as the kernel does.
 */
#if defined(__x86_64__)
static inline __attribute__((always_inline)) long rawcall6(long nr, long a, long b, long c, long d,
							   long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}
#elif defined(__aarch64__)
static inline __attribute__((always_inline)) long rawcall6(long nr, long a, long b, long c, long d,
							   long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
}
#else
#error "no raw system call for this machine"
#endif

#define rawcall1(nr, a) rawcall6(nr, (long)(a), 0, 0, 0, 0, 0)
#define rawcall3(nr, a, b, c) rawcall6(nr, (long)(a), (long)(b), (long)(c), 0, 0, 0)
#define rawcall4(nr, a, b, c, d) rawcall6(nr, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

#endif
