/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stack of Go ends in one of a few functions of its scheduler. Their names are in the program's
 * own table, also if it is stripped.
 */
#include "analysis/name/goroutines.h"

#include <string.h>

/* Those of assembly have a suffix since Go 1.17. */
static const char *const names[] = {
	"runtime.goexit", "runtime.goexit.abi0", "runtime.mcall",
	"runtime.mstart", "runtime.mstart.abi0",
};

bool has_goroutines(const struct profile *p)
{
	for (u32 i = 1; i < p->frames_len; i++) {
		const char *name = profile__str(p, p->frames[i].name);

		if (strncmp(name, "runtime.", 8))
			continue;
		for (size_t j = 0; j < ARRAY_LEN(names); j++)
			if (!strcmp(name, names[j]))
				return true;
	}
	return false;
}
