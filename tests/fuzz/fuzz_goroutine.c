/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "async/go/go_program.h"
#include "async/go/go_stack.h"

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

/* A table of functions, whose second half is also a stack. */
static void walk_sizes(const uint8_t *data, size_t size)
{
	static struct host_stack stack;
	size_t half = size / 2;
	struct go_stack_bytes s = {
		.sp = 0xc000000000, .hi = 0xc000000000 + 2 * half, .sz = half, .bytes = data + half
	};
	struct gopclntab *functions;
	u64 pc;

	if (half < sizeof(pc) ||
	    gopclntab__open_mem(view__of(data, size), 0x500000, 0x401000, &functions, NULL))
		return;
	memcpy(&pc, data + size - sizeof(pc), sizeof(pc));
	go_stack__walk_sizes(&s, functions, 0x1000, (struct go_leaf){ pc, pc & 1 }, CS_STACK_MAX,
			     &stack);
	if (!stack.len || stack.len > CS_STACK_MAX)
		abort();
	gopclntab__free(functions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct go_program g = { 0 };
	struct view text;

	if (go_buildinfo_version(view__of(data, size), &text) &&
	    go_program__take_version(&g, text) && strncmp(g.version, "go1.", 4) != 0)
		abort();
	walk(data, size);
	walk_sizes(data, size);
	return 0;
}
