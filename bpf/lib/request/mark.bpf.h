/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_REQUEST_MARK_BPF_H
#define LIB_REQUEST_MARK_BPF_H

/* Begins and ends of requests. Global functions, so that the verifier reads them once. */
#include "lib/moment.bpf.h"

/*
 * The current thread of this program (cs_task_record.image and .tgid) serves requests: user space
 * looks where its threads publish their traces. 1 if it has found that. Sent once.
 */
int mark_ask(u64 image, u32 tgid);
/*
 * Sends a mark of the current thread, with its trace if it publishes one: except at a read on a
 * connection, when the request is not known yet.
 */
int mark_send(const struct cs_mark *m, u64 image, u32 tgid);

#endif
