/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_LOADER_H
#define CAPTURE_LOADER_H

#include "base/err.h"
#include "base/types.h"
#include "capture/features.h"

/*
 * Brings BPF programs through the verifier on several CPUs, and those that are needed last of all
 * behind everybody's back. One at a time in a process: libbpf's table of handlers is global. Its
 * functions are for one thread.
 */
struct loader;
struct bpf_program;

/* Before the object is opened. `f` (borrowed) knows the kernel's hooks. */
int loader__new(const struct features *f, struct loader **ret, struct err *err);
/* Waits for what is still being loaded. After the object is closed, which refers to it. */
void loader__free(struct loader *l);

/* This one may come later than loader__run() returns. Before the object is loaded. */
int loader__defer(struct loader *l, const struct bpf_program *prog);

/*
 * After libbpf has loaded the object: loads what it was kept from loading; all but the deferred
 * programs are there when it returns. A negative errno of the kernel's; loader__log() then is what
 * its verifier said.
 */
int loader__run(struct loader *l);
/* All programs are there, or one of them was refused; -EAGAIN: not yet, only without `wait`. */
int loader__finish(struct loader *l, bool wait);
/* "" when nothing was said. */
const char *loader__log(const struct loader *l);

#endif
