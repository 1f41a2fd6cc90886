/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_ATTACH_H
#define CAPTURE_PROGRAM_ATTACH_H

#include "base/err.h"
#include "base/types.h"
#include "base/vec.h"
#include "capture/feature/hooks.h"
#include "capture/program/cpu_samples.h"

struct bpf_object;

/* The hooks that are attached. */
struct attachments {
	struct vec links; /* struct bpf_link *, in the order of the table */
	struct cpu_samples samples;
};

struct attach_how {
	const char *resume_symbol; /* exact name of finish_task_switch, for its kprobe */
	u32 on_cpu_hz; /* samples per CPU and second */
	enum hook_use later; /* not attached now; HOOK_ALWAYS: all are */
};

void attachments__init(struct attachments *a);
/*
 * Attaches the loaded programs of the table of hooks, from its first row to the last. Returns the
 * kernel's negative errno on failure; call attachments__done() in either case.
 */
int attachments__add(struct attachments *a, const struct bpf_object *obj,
		     const struct attach_how *how, struct err *err);
/* When it returns, no hook runs any more. Hooks may be attached again afterwards. */
void attachments__done(struct attachments *a);

#endif
