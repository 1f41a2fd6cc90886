/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PROGRAM_LOADER_H
#define CAPTURE_PROGRAM_LOADER_H

#include "base/err.h"
#include "base/types.h"
#include "capture/feature/features.h"

/*
 * Loads BPF programs through the verifier on several CPUs: first those whose work can begin
 * meanwhile, and those needed last in the background. One at a time per process: libbpf's table of
 * handlers is global. Its functions are for one thread.
 */
struct loader;
struct bpf_program;

/* Before the object is opened. `f` (borrowed) knows the kernel's hooks. */
int loader__new(const struct features *f, struct loader **ret, struct err *err);
/* Waits for programs still being loaded. Call it after the object is closed, which refers to it. */
void loader__free(struct loader *l);

/* When a program must be loaded. */
enum loader_when {
	LOADER_FIRST, /* when loader__begin() returns */
	LOADER_NEXT, /* when loader__run() returns; the default */
	LOADER_LATE, /* when loader__finish() says so */
};

/*
 * Before the object is loaded. Of programs with the same `when`, the one set first is loaded first:
 * verification time does not follow from the size of a program.
 */
int loader__set(struct loader *l, const struct bpf_program *prog, enum loader_when when);

/*
 * After libbpf has loaded the object: begins to load the programs that libbpf skipped; after some
 * other work, loader__run() continues. A negative errno from the kernel; loader__log() is then the
 * verifier's log.
 */
int loader__begin(struct loader *l);
int loader__run(struct loader *l);
/* Are there programs for loader__run() that no thread has begun to load? */
bool loader__waiting(struct loader *l);
/* All programs are loaded, or one was refused; -EAGAIN: not yet, only without `wait`. */
int loader__finish(struct loader *l, bool wait);
/* "" if there is none. */
const char *loader__log(const struct loader *l);

#endif
