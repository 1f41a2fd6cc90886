/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "async/go_program.h"
#include "async/go_stack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A stack of a goroutine: its size beyond what was read, the frame pointer, then its bytes. */
static void walk(const uint8_t *data, size_t size)
{
	static struct host_stack stack;
	struct go_stack_bytes s = { .sp = 0xc000000000, .sz = size, .bytes = data };
	u64 head[2];

	if (size < sizeof(head))
		return;
	memcpy(head, data, sizeof(head));
	s.hi = s.sp + size + head[0] % 65536;
	go_stack__walk(&s, 0x401000, head[1], CS_STACK_MAX, &stack);
	if (!stack.len || stack.len > CS_STACK_MAX)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_program g = { 0 };
	struct view text;

	if (go_buildinfo_version(view__of(data, size), &text) &&
	    go_program__take_version(&g, text) && strncmp(g.version, "go1.", 4) != 0)
		abort();
	walk(data, size);
	return 0;
}
