/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_LABEL_CGROUP_WORDS_H
#define PROFILE_LABEL_CGROUP_WORDS_H

/*
 * What the path of a cgroup says of who runs there; "" for what it does not say. Names that are
 * only in files of a runtime (of containers, pods and namespaces) are not among it.
 */
struct cgroup_words {
	/* Of systemd, the innermost: "nginx.service", "session-3.scope"; not of slices. */
	char unit[256];
	/* Its ID of 64 digits, or the name that LXC and systemd-nspawn give it. */
	char container[256];
	char runtime[16]; /* "docker", "podman", "containerd", "cri-o", "lxc", "nspawn"; or "" */
	char pod[40]; /* the UID of a Kubernetes pod */
};

void cgroup_words_of(const char *path, struct cgroup_words *ret);

#endif
