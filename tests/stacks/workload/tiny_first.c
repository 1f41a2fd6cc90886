/* SPDX-License-Identifier: Apache-2.0 */
#include "tiny.h"

int tiny_first(int n)
{
	return n ? tiny_first(n - 1) + 1 : tiny_second(n) + 1;
}
