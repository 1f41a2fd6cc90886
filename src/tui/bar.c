/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/bar.h"

const char *bar_of(u64 n, u64 most, bool ascii)
{
	static const char *const bars[] = { " ",      "\u2581", "\u2582", "\u2583", "\u2584",
					    "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const ascii_bars[] = { " ", "_", ".", "-", ":", "=", "+", "*", "#" };
	u64 bar = most ? (u64)(((unsigned __int128)n * 8 + most - 1) / most) : 0;

	return ascii ? ascii_bars[bar] : bars[bar];
}
