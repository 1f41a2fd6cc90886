/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table is generated at build time: numbers differ between architectures and grow with every
 * kernel, so a manual list would be wrong somewhere. A recording of another architecture gets no
 * names rather than wrong ones.
 */
#include "analysis/cause/syscall_name.h"

/* Lines of [number] = "name", */
static const char *const names[] = {
#include "gen/syscall_names.inc"
};

const char *syscall_arch(void)
{
#if defined(__x86_64__)
	return "x86_64";
#elif defined(__aarch64__)
	return "aarch64";
#else
#error "no name for this architecture"
#endif
}

const char *syscall_name(const char *arch, s32 sysno)
{
	if (arch && *arch && strcmp(arch, syscall_arch()) != 0)
		return NULL;
	if (sysno < 0 || (size_t)sysno >= ARRAY_LEN(names))
		return NULL;
	return names[sysno];
}

s32 syscall_number(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i] && strcmp(names[i], name) == 0)
			return (s32)i;
	}
	return -1;
}
