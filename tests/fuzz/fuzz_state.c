/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The value of --state. What is accepted must be one of the three forms, and a set of letters must
 * not depend on their order.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "profile/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct answer {
	int r;
	u32 mask;
	bool runnable;
	bool any;
};

static void require(bool ok)
{
	if (!ok)
		abort();
}

static struct answer ask(const char *text)
{
	struct answer a = { .mask = 77 };
	struct err err = { 0 };

	a.r = state_mask_parse(text, &a.mask, &a.runnable, &a.any, &err);
	require(a.r == 0 || a.r == -EINVAL);
	require((a.r == 0) == (err.msg[0] == '\0'));
	require(a.r == 0 || (a.mask == 77 && !a.runnable && !a.any));
	return a;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mem_strndup((const char *)data, size);
	size_t len, i;
	struct answer a, back;
	char c;

	require(text != NULL);
	len = strlen(text);
	a = ask(text);
	if (a.r == 0) {
		require(len > 0);
		require(a.any == (strcmp(text, "any") == 0));
		/* something is always listed */
		require(a.any || a.runnable || a.mask);
		if (strspn(text, "RSDTtXZPIK,") == len) {
			require(!(a.mask & ~0x95ffu));
			require(a.runnable == (strchr(text, 'R') != NULL));
			for (i = 0; i < len / 2; i++) {
				c = text[i];
				text[i] = text[len - 1 - i];
				text[len - 1 - i] = c;
			}
			back = ask(text);
			require(back.r == 0 && back.mask == a.mask);
			require(back.runnable == a.runnable);
		} else if (!a.any) {
			require(strspn(text, "0123456789abcdefABCDEFx") == len);
			require(a.runnable == (a.mask == 0));
		}
	}
	mem_free(text);
	return 0;
}
