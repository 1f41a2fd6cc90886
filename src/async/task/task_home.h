/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASYNC_TASK_TASK_HOME_H
#define ASYNC_TASK_TASK_HOME_H

#include "elf/image.h"
#include "proc/maps.h"

/* The mappings of a process, and its program in them. Both are borrowed. */
struct task_home {
	const struct maps *maps;
	const struct map_range *program; /* the first code of a file; NULL: there is none */
};

struct task_home task_home_of(const struct maps *maps);
/* Whether a mapping is of the program's file. Not without a program. */
bool task_home__has(const struct task_home *home, const struct map_range *m);
/*
 * The code of the program, and what must be added to its link-time addresses. NULL: the image is of
 * another file. Not without a program.
 */
const struct map_range *task_home__code(const struct task_home *home, const struct image *img,
					u64 *ret_bias);

#endif
