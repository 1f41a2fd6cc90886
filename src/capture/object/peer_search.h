/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_OBJECT_PEER_SEARCH_H
#define CAPTURE_OBJECT_PEER_SEARCH_H

#include "base/err.h"
#include "capture/object/peers.h"
#include "capture/program/programs.h"

/*
 * Finds the peers of objects by searching all open files: a few ms for a thousand processes, at
 * most 200, and nothing if no object has another end on this host. Call it when the window closes,
 * while those processes still exist. *ret_left_out: objects whose peers may be incomplete, because
 * there were too many files.
 */
int peer_search(struct peers *peers, struct programs *p, u64 *ret_left_out, struct err *err);

#endif
