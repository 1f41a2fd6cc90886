/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_LOCK_BPF_H
#define LIB_OBJECT_LOCK_BPF_H

#include "lib/sight.bpf.h"

/*
 * In object_lock.bpf.c, global functions, so that the verifier reads them once. The key of s->lock,
 * for which there always is one: 1. And what is kept of it, into s->fresh: 0.
 */
int lock_see(struct object_sight *s);
int lock_tell(struct object_sight *s);

#endif
