/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_EVENTS_H
#define CAPTURE_EVENTS_H

#include <stddef.h>

/*
 * Takes one event of the ring buffer (abi/event.h); for ring_buffer__new(), with a struct capture
 * as `arg`. Returns 0: the first failure is kept in ring_error of the capture, and reported by the
 * next poll. An event of an unknown kind, or shorter than its struct, is -EPROTO.
 */
int capture_take_event(void *arg, void *data, size_t sz);
/* The same of the ring of moments (abi/moment.h). */
int capture_take_moment(void *arg, void *data, size_t sz);

#endif
