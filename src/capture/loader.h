/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_LOADER_H
#define CAPTURE_LOADER_H

#include "base/err.h"
#include "base/types.h"
#include "capture/features.h"

/*
 * Brings BPF programs through the verifier on several CPUs: those first that something is to be
 * done with meanwhile, and those that are needed last of all behind everybody's back. One at a time
 * in a process: libbpf's table of handlers is global. Its functions are for one thread.
 */
struct loader;
struct bpf_program;

/* Before the object is opened. `f` (borrowed) knows the kernel's hooks. */
int loader__new(const struct features *f, struct loader **ret, struct err *err);
/* Waits for what is still being loaded. After the object is closed, which refers to it. */
void loader__free(struct loader *l);

/* When a program is there. */
enum loader_when {
	LOADER_FIRST, /* when loader__begin() returns */
	LOADER_NEXT, /* when loader__run() returns; those of which nothing was said */
	LOADER_LATE, /* when loader__finish() says so */
};

/*
 * Before the object is loaded. What is said first of those of a kind is begun first: how long the
 * verifier takes cannot be seen from the size of a program.
 */
int loader__set(struct loader *l, const struct bpf_program *prog, enum loader_when when);

/*
 * After libbpf has loaded the object: begins to load what it was kept from loading, and after some
 * other work loader__run() goes on with it. A negative errno of the kernel's; loader__log() then is
 * what its verifier said.
 */
int loader__begin(struct loader *l);
int loader__run(struct loader *l);
/* All programs are there, or one of them was refused; -EAGAIN: not yet, only without `wait`. */
int loader__finish(struct loader *l, bool wait);
/* "" when nothing was said. */
const char *loader__log(const struct loader *l);

#endif
