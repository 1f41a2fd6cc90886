/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_FLIGHT_REQUEST_FIRING_H
#define APP_FLIGHT_REQUEST_FIRING_H

#include "app/flight/slow_parts.h"
#include "app/flight/trigger_spec.h"

/*
 * The longest of the requests, longest first, that became longer than a trigger says, and has its
 * terms: what made it slow goes to `parts`. NULL in *ret: none. -ENOMEM or 0.
 */
int request_firing_find(const struct trigger_spec *spec, const struct slow_requests *s,
			const struct vec *slow, struct slow_windows *windows,
			const struct slow_request **ret, struct slow_parts *parts);
/* "shopd:handle in shopd (12) took 1.20 s, 1.10 s of it blocked in lock" */
void request_firing_text(const struct slow_requests *s, const struct slow_request *req,
			 const struct slow_parts *parts, char *buf, size_t sz);

#endif
