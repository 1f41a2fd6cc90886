/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_DOCTOR_RUNTIME_H
#define CLI_DOCTOR_RUNTIME_H

#include "base/err.h"
#include "base/types.h"
#include "proc/maps.h"
#include "proc/runtime.h"

#define DOCTOR_SENTENCE_SZ 512

/* What is to be said of code that a process makes or interprets at run time. */
struct doctor_runtime {
	enum runtime_kind kind;
	u32 mappings; /* with code and without a file */
	bool stacks_cut; /* the walk ends at its code */
	bool unnamed; /* its code has no names as things are */
	/* sentences, "" for nothing to say */
	char stacks[DOCTOR_SENTENCE_SZ];
	char found[DOCTOR_SENTENCE_SZ]; /* of names: what is there, or is wrong with it */
	char names[DOCTOR_SENTENCE_SZ];
	char advice[DOCTOR_SENTENCE_SZ];
};

/* -ENOMEM or 0; what cannot be read is as if it were not there. */
int doctor_runtime__look(struct doctor_runtime *rt, u32 tgid, const struct maps *maps,
			 struct err *err);

#endif
