/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_CGROUP_CONTAINER_LIST_H
#define PROC_CGROUP_CONTAINER_LIST_H

/*
 * The containers that are in the files of their runtimes, with their names:
 *
 * Docker: Name in /var/lib/docker/containers/ID/config.v2.json
 * Podman: names in overlay-containers/containers.json of /var/lib/containers/storage
 * Kubernetes: the names of the files /var/log/containers/POD_NAMESPACE_CONTAINER-ID.log, which
 * kubelet makes
 *
 * Files that are not there or cannot be read name no container.
 */

#define CONTAINER_ID_LEN 64
#define CONTAINER_ID_DIGITS "0123456789abcdef"
/* With its NUL. A longer name is cut. */
#define CONTAINER_NAME_SZ 512

/*
 * `id` has CONTAINER_ID_LEN digits. `name`: "web", or in Kubernetes "NAMESPACE/POD/CONTAINER". A
 * container with several names comes several times, that of Kubernetes first: below it, Docker has
 * names that kubelet made. Both are valid during the call. An error ends
 * the list.
 */
typedef int container_fn(void *arg, const char *id, const char *name);

/*
 * `root` is "" or, for tests, a directory in place of "/". The first error of `fn`, or 0. Takes
 * some 20 us for a container of Docker.
 */
int container_list_each(const char *root, container_fn *fn, void *arg);

#endif
