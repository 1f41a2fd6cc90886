/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_JVMS_H
#define CAPTURE_RUNTIME_JVMS_H

#include "abi/event.h"
#include "base/intern.h"
#include "base/map64.h"
#include "base/notices.h"
#include "base/types.h"
#include "base/vec.h"
#include "proc/ended.h"
#include "profile/interpreted.h"

/*
 * The JVMs of a trace, and the methods that the programs met in them while they were interpreted.
 * Not thread-safe.
 */
struct jvms {
	struct vec list; /* struct java */
	struct map64 by_image;
	struct intern methods; /* struct java_method */
	int fd; /* the programs' map, borrowed */
	volatile u32 *tables_gen; /* in the programs' memory */
	u64 due_mono_ns; /* when there is something to be done: a lower bound */
	u64 forget_mono_ns;
	u64 looks_until_ns;
	u32 looks; /* until then */
	u64 bytes; /* of methods and their names */
	u64 refused; /* JVMs whose methods cannot be named; the first has a notice */
	u64 full; /* methods that came when there was no room for more: they stay unnamed */
	u64 nameless_forgotten; /* methods without a name, of JVMs that have ended */
};

/* A program that makes methods all day long must not take all memory. */
#define JVMS_BYTES (64ULL << 20)

/* -ENOMEM or 0. */
int jvms__init(struct jvms *js, int fd, volatile u32 *tables_gen);
/* NULL is fine. */
void jvms__done(struct jvms *js);
/*
 * A program has code without a file: if it is a JVM, the programs learn where its interpreter
 * is; if it is not one yet, or is just starting, it is looked at again. `notices` gets a sentence
 * about the first JVM whose methods cannot be read. -ENOMEM or 0.
 */
int jvms__see(struct jvms *js, u32 tgid, u64 image, struct notices *notices);
/* Does what is due; `due_mono_ns` is when it wants to be called again. -ENOMEM or 0. */
int jvms__tick(struct jvms *js, u64 now_mono_ns, struct notices *notices);
/*
 * The record of a method. To be called soon: what is missing in it is read from the memory of the
 * process. -ENOMEM or 0.
 */
int jvms__take(struct jvms *js, const struct cs_method_event *ev);
/* Methods without a name so far: neither their record nor the process had one. */
u64 jvms__nameless(const struct jvms *js);
/* Gives each name once, to `fn`, until it returns something else than 0; returns that. */
int jvms__give(struct jvms *js, int (*fn)(void *arg, const struct interpreted_code *code),
	       void *arg);
/* Forgets the methods of JVMs that have ended. */
void jvms__forget(struct jvms *js, const struct ended *ended);

#endif
