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

	return __builtin_add_overflow(var_us2, more_us2, &sum) ? ~0ULL : sum;
}

u64 estimate_se_ns(u64 var_us2)
{
	wide square = (wide)var_us2 * 1000000;
	u64 root = 0, bit;

	for (bit = 1ULL << 43; bit; bit >>= 1) {
		if ((wide)(root | bit) * (root | bit) <= square)
			root |= bit;
	}
	return root;
}

bool estimate_is_rough(u64 var_us2, u64 samples)
{
	return var_us2 && samples < ESTIMATE_FEW;
}
