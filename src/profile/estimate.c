/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variances are in whole us^2, so a thousand waits of a period of four seconds fit in 54 bits. The
 * root is computed of ns^2, with integers: equal profiles print equal errors on any machine.
 */
#include "profile/estimate.h"

typedef unsigned __int128 wide;

u64 estimate_add_var(u64 var_us2, u64 more_us2)
{
	u64 sum;

	return __builtin_add_overflow(var_us2, more_us2, &sum) ? ESTIMATE_VAR_MAX : sum;
}

u64 estimate_se_ns(u64 var_us2)
{
	wide square = (wide)var_us2 * 1000000;
	u64 root = 0, bit;

	if (var_us2 == ESTIMATE_VAR_MAX)
		return ~0ULL;
	for (bit = 1ULL << 43; bit; bit >>= 1) {
		if ((wide)(root | bit) * (root | bit) <= square)
			root |= bit;
	}
	return root;
}

/*
 * The number of visits elsewhere is nearly a Poisson variable. Two more of them, as Agresti and
 * Coull add to a count, make two standard errors wide enough even if no visit was elsewhere. Each
 * stands for a period. The variance is about time * period * (1 - share): if half of the visits or
 * more were elsewhere, it needs nothing.
 */
u64 estimate_visited_var(u64 var_us2, u64 ns, u64 waits, u64 period_ns)
{
	u64 period_us = period_ns / 1000;

	if (waits < 2 || (wide)var_us2 * 2 >= (wide)(ns / 1000) * period_us)
		return var_us2;
	return estimate_add_var(var_us2, 2 * period_us * period_us);
}

bool estimate_is_rough(u64 var_us2, u64 samples)
{
	return var_us2 && samples < ESTIMATE_FEW;
}
