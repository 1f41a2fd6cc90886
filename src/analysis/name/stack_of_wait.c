/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/name/stack_of_wait.h"

u32 stack_of_wait(const struct profile *p, u32 stack)
{
	while (p->stacks[stack].flags & STACK_WAKER)
		stack = p->stacks[stack].parent;
	return stack;
}
