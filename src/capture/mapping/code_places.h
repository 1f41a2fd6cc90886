/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_CODE_PLACES_H
#define CAPTURE_MAPPING_CODE_PLACES_H

#include "base/types.h"
#include "base/vec.h"
#include "proc/code_place.h"

/*
 * Where the processes of a trace leave the names of code that they make at run time: opened when
 * such code is first met in a stack of theirs, because they may be gone before names are given.
 */
struct code_places {
	struct vec list; /* struct code_place */
};

void code_places__init(struct code_places *cp);
/* NULL is fine. */
void code_places__done(struct code_places *cp);
/* Code without a file was met in a process. One that is gone is no error. -ENOMEM or 0. */
int code_places__see(struct code_places *cp, u32 tgid);
/*
 * Gives every place to `give`, which takes what is in it, until that does not return 0. They are
 * forgotten here: one that is seen again is another's.
 */
int code_places__give(struct code_places *cp, int (*give)(void *arg, struct code_place *place),
		      void *arg);

#endif
