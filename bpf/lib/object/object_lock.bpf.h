/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_OBJECT_OBJECT_LOCK_BPF_H
#define LIB_OBJECT_OBJECT_LOCK_BPF_H

#include "lib/object/probe.bpf.h"

/*
 * In object_lock.bpf.c, global functions, so that the verifier reads them once. The first makes the
 * key of s->lock, which always exists: 1. The second fills in s->fresh: 0.
 */
int lock_see(struct object_probe *s);
int lock_tell(struct object_probe *s);

#endif
