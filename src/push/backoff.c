/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pause doubles, and half of it is random: hosts that a server turned away together do not come
 * back together. A server that asks for a pause gets at least that one.
 */
#include "push/backoff.h"

#define FIRST_NS NSEC_PER_SEC
#define MAX_NS (300 * NSEC_PER_SEC)
#define ASKED_MAX_S 3600

void backoff__failed(struct backoff *b, u64 now_ns, u32 retry_after_s, u64 random)
{
	u64 pause_ns = FIRST_NS, asked_ns;

	for (u32 i = 0; i < b->failures && pause_ns < MAX_NS; i++)
		pause_ns *= 2;
	if (pause_ns > MAX_NS)
		pause_ns = MAX_NS;
	pause_ns = pause_ns / 2 + random % (pause_ns / 2 + 1);
	asked_ns = (u64)(retry_after_s < ASKED_MAX_S ? retry_after_s : ASKED_MAX_S) * NSEC_PER_SEC;
	b->failures++;
	b->next_ns = now_ns + asked_ns + (asked_ns ? pause_ns / 8 : pause_ns);
}

void backoff__worked(struct backoff *b)
{
	*b = (struct backoff){ 0 };
}
