/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROFILE_LABEL_CGROUP_WORDS_H
#define PROFILE_LABEL_CGROUP_WORDS_H

/* Who runs in a cgroup, as its path says and as the runtime names it; "" for what is not known. */
struct cgroup_words {
	/* Of systemd, the innermost: "nginx.service", "session-3.scope"; not of slices. */
	char unit[256];
	/* Its ID of 64 digits, or the name that LXC and systemd-nspawn give it. */
	char container[256];
	char runtime[16]; /* "docker", "podman", "containerd", "cri-o", "lxc", "nspawn"; or "" */
	char pod[40]; /* the UID of a Kubernetes pod */
	/* From the name of the container, as in struct profile_task; of Kubernetes all three. */
	char namespace[256];
	char pod_name[256];
	char container_name[256];
};

/* `name`: of the container, or "". */
void cgroup_words_of(const char *path, const char *name, struct cgroup_words *ret);

#endif
