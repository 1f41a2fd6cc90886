/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PUSH_PPROF_LABELS_H
#define PUSH_PPROF_LABELS_H

#include "push/target.h"

/* What targets that take pprof have in common: a profile, and the labels of its series. */

struct push_label {
	const char *name;
	const char *value;
};

#define PUSH_LABELS_CNT 3

/* The name of the profile, the service and, under `host_name`, the host. */
void push_labels_of(const struct push_window *w, const struct push_url *url, const char *host_name,
		    struct push_label ret[PUSH_LABELS_CNT]);
/*
 * The profile, as the format pprof. `few_labels`: samples have only labels with few values. Errors
 * of rendering.
 */
int push_pprof(const struct push_window *w, bool few_labels, struct sink *to, struct err *err);

#endif
