/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CONTAINER_H
#define PROC_CONTAINER_H

#include <stddef.h>

#include "base/err.h"

/*
 * The cgroup of a container by its ID, or the beginning of it (4 digits and more), or its name:
 *
 * Docker: docker-ID.scope or docker/ID; names are in /var/lib/docker/containers/ID/config.v2.json
 * Podman: libpod-ID.scope; names are in containers.json of containers/storage
 * Kubernetes: cri-containerd-ID.scope, crio-ID.scope, or ID; the names of container and pod are in
 * those of the files /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log
 * LXC: lxc.payload.NAME; systemd-nspawn: machine-NAME.scope or systemd-nspawn@NAME.service
 *
 * Files that are not there or cannot be read name no container. `root` is "" or, for tests, a
 * directory in place of "/". Errors of cgroup_search(), or -ENOMEM.
 */
int container_find(const char *mount, const char *root, const char *name, char *buf, size_t sz,
		   struct err *err);

#endif
