/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MOUNTINFO_H
#define PROC_MOUNTINFO_H

#include "base/types.h"
#include "base/view.h"

/* Longest path or option of a mount that is told, with its NUL. */
#define MOUNT_TEXT_SZ 4096
/* Of all that is read of the file: 100,000 mounts (fs.mount-max) with paths of some length. */
#define MOUNTINFO_MAX_SZ (64UL << 20)

/* A line of /proc/PID/mountinfo: views of that text, where "\040" stands for a space, and so on. */
struct mount_line {
	u32 major;
	u32 minor;
	struct view root; /* what of the file system it shows: "/", or a directory in it */
	struct view point; /* where it is mounted */
	struct view fs; /* "ext4" */
	struct view source; /* as who mounted it called it: "/dev/vda1", "host:/export" */
	struct view options; /* of the file system: "rw,lowerdir=/a:/b,upperdir=/c" */
};

/*
 * Takes the next line of the text that is one of a mount; false: there is none. Other lines are
 * passed over.
 */
bool mountinfo__next(struct view *text, struct mount_line *ret);

/* The first mount of that device in the text; false: there is none. Other lines may be anything. */
bool mountinfo__find(struct view text, u32 major, u32 minor, struct mount_line *ret);

/* A field as it was before it was escaped; false when it does not fit. */
bool mountinfo__unescape(struct view field, char *buf, size_t sz);

/* What follows "name=" in the options, up to a comma; false: no such option. */
bool mountinfo__option(struct view options, const char *name, struct view *ret);

#endif
