/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_UNIT_H
#define PROC_CGROUP_UNIT_H

#include <stddef.h>

#include "base/err.h"

/*
 * The cgroup of a unit of systemd by its name, "nginx.service" or "nginx": systemd names the
 * directory like the unit (systemd.resource-control(5)). Errors of cgroup_search().
 */
int unit_find(const char *mount, const char *name, char *buf, size_t sz, struct err *err);

#endif
