/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_JAVAS_H
#define CAPTURE_JAVAS_H

#include "abi/event.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/notices.h"
#include "base/types.h"
#include "base/vec.h"
#include "profile/interpreted.h"

/*
 * The JVMs of a trace, and the methods that the programs met in them while they were interpreted.
 * Not thread-safe.
 */
struct javas {
	struct vec list; /* struct java */
	struct map64 by_image;
	struct intern methods; /* struct java_method */
	int fd; /* the programs' map, borrowed */
	volatile u32 *tables_gen; /* in the programs' memory */
	u64 due_mono_ns; /* when there is something to be done: a lower bound */
	u64 forget_mono_ns;
	u64 looks_until_ns; /* of which `looks` is the number */
	u32 looks;
	u64 bytes; /* of methods and their names */
	u64 refused; /* JVMs whose methods cannot be told; of the first there is a notice */
	u64 full; /* methods that came when there was no room for more: they stay unnamed */
};

/* A program that makes methods all day long must not take all memory. */
#define JAVAS_BYTES (64ULL << 20)

/* -ENOMEM or 0. */
int javas__init(struct javas *js, int fd, volatile u32 *tables_gen);
/* NULL is fine. */
void javas__done(struct javas *js);
/*
 * A program has code without a file: if it is a JVM, the programs are told where its interpreter
 * is; if it is none yet, or is just being started, it is looked at again. One whose methods cannot
 * be told is a sentence in `notices`, the first of them. -ENOMEM or 0.
 */
int javas__see(struct javas *js, u32 tgid, u64 image, struct notices *notices);
/* Does what is due; `due_mono_ns` is when it wants to be called again. -ENOMEM or 0. */
int javas__tick(struct javas *js, u64 now_mono_ns, struct notices *notices);
/*
 * The record of a method. To be called soon: what is missing in it is read from the memory of the
 * process. -ENOMEM or 0.
 */
int javas__take(struct javas *js, const struct cs_method_event *ev);
/* Calls `fn` for each method with a name until it returns something else than 0; returns that. */
int javas__each(const struct javas *js, int (*fn)(void *arg, const struct interpreted_code *code),
		void *arg);

#endif
