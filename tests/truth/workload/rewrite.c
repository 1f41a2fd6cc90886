/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of two programs whose files get the same name and, on most file systems, the same inode, one
 * after the other: built with -DNAME=fn_a and with -DNAME=fn_b. It sleeps a millisecond there.
 */
#include <sys/prctl.h>
#include <time.h>

#define WORD(x) #x
#define STRING(x) WORD(x)

__attribute__((noinline)) void NAME(void)
{
	struct timespec t = { 0, 1000000 };

	nanosleep(&t, NULL);
	__asm__ volatile("");
}

int main(void)
{
	prctl(PR_SET_NAME, "is_" STRING(NAME));
	NAME();
	return 0;
}
