/* SPDX-License-Identifier: Apache-2.0 */
/* A process of about a millisecond; its waits are below functions of two libraries and its own. */
#include "tiny.h"

__attribute__((noinline)) static int tiny_step(int n)
{
	return tiny_first(n) + 1;
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 4; i++)
		sum += tiny_step(i);
	return sum == 0;
}
