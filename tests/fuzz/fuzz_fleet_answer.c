/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>

#include "fleet/fleet_head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One answer as windows, sums and stacks: what all of them take becomes a sound profile. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct import_options opt = { .name = "fuzz" };
	const struct view body = view__of(data, size);
	const struct fleet_window window = { .begin_ns = 1, .window_ns = 2 };
	const struct vec none = { 0 };
	struct fleet_window *first;
	struct fleet_sums s;
	struct gather g;
	struct profile *p = NULL;
	struct err err = { 0 };

	if (fleet_sums__init(&s) || gather__init(&g, &opt))
		abort();
	(void)fleet_sums__take_windows(&s, body, NULL);
	(void)fleet_sums__take_stacks(&s, body, NULL);
	(void)fleet_sums__take_sums(&s, body, NULL);
	if (!s.windows.len) {
		first = vec__push(&s.windows);
		if (first)
			*first = window;
	}
	if (!fleet_sums__gather(&s, &g)) {
		const struct fleet_head head = { .sums = &s, .services = &none, .name = "fuzz" };

		if (!fleet_head__finish(&head, &g, &p, &err) && profile__check(p, &err))
			abort();
	}
	profile__free(p);
	gather__done(&g);
	fleet_sums__done(&s);
	return 0;
}
