/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DOCTOR_RUNTIME_H
#define DOCTOR_RUNTIME_H

#include "base/err.h"
#include "base/types.h"
#include "capture/runtime/runtimes.h"
#include "proc/maps.h"

/* What to report about code that a process compiles or interprets at run time. */
struct doctor_runtime {
	const struct runtime *runtime; /* NULL: none that is known */
	struct runtime_advice advice;
	/* About names: what was found, or what is wrong with it; "" if nothing. */
	char found[RUNTIME_SENTENCE_SZ];
};

/* -ENOMEM or 0; unreadable data counts as missing. */
int doctor_runtime__look(struct doctor_runtime *rt, u32 tgid, const struct maps *maps,
			 struct err *err);

#endif
