/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/probe/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool see(void *arg, const struct usdt_note *note)
{
	const struct view *all = arg;
	const char *end = note->name + strlen(note->name);

	if (!*note->provider || !*note->name || (const u8 *)note->provider < all->p ||
	    (const u8 *)end >= all->end)
		abort();
	return true;
}

/* Seeds are sections of notes; the way to them through an ELF file is fuzz_elf's. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct view all = view__of(data, size);

	usdt_notes(all, 8, see, &all);
	usdt_notes(all, 4, see, &all);
	return 0;
}
