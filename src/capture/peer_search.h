/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_PEER_SEARCH_H
#define CAPTURE_PEER_SEARCH_H

#include "base/err.h"
#include "capture/peers.h"
#include "capture/programs.h"

/*
 * Looks through what threads waited for, and through all open files for who is at the other end;
 * a few ms for a thousand processes, 200 at most, and nothing where no object has another end on
 * this host. To be done when the window closes, while those processes are still there.
 * *ret_left_out: objects of which not everybody may have been found, as there were too many files.
 */
int peer_search(struct peers *peers, struct programs *p, u64 *ret_left_out, struct err *err);

#endif
