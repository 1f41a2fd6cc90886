/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_CONTAINER_H
#define PROC_CGROUP_CONTAINER_H

#include <stddef.h>

#include "base/err.h"

/*
 * The cgroup of a container by its ID, or the beginning of it (4 digits and more), or its name:
 *
 * Docker: docker-ID.scope or docker/ID
 * Podman: libpod-ID.scope
 * Kubernetes: cri-containerd-ID.scope, crio-ID.scope, or ID; the name is that of the container, of
 * the pod, or "POD/CONTAINER"
 * LXC: lxc.payload.NAME; systemd-nspawn: machine-NAME.scope or systemd-nspawn@NAME.service
 *
 * Names are from container_list.h, with its `root`. Errors of cgroup_search(), or -ENOMEM.
 */
int container_find(const char *mount, const char *root, const char *name, char *buf, size_t sz,
		   struct err *err);

#endif
