/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PROC_MOUNTINFO_H
#define PROC_MOUNTINFO_H

#include "base/types.h"
#include "base/view.h"

/* Longest path or option of a mount that is reported, including its NUL. */
#define MOUNT_TEXT_SZ 4096
/* Limit on reading the file: 100,000 mounts (fs.mount-max) with paths of some length. */
#define MOUNTINFO_MAX_SZ (64UL << 20)

/*
 * A line of /proc/PID/mountinfo: views of that text, in which "\040" stands for a space, and so on.
 */
struct mount_line {
	u32 major;
	u32 minor;
	struct view root; /* the part of the file system that it shows: "/", or a directory */
	struct view point; /* where it is mounted */
	struct view fs; /* "ext4" */
	struct view source; /* the source given to mount(): "/dev/vda1", "host:/export" */
	struct view options; /* of the file system: "rw,lowerdir=/a:/b,upperdir=/c" */
};

/*
 * Takes the next line of the text that describes a mount; false if there is none. Skips other
 * lines.
 */
bool mountinfo__next(struct view *text, struct mount_line *ret);

/*
 * The first mount of that device in the text; false if there is none. Other lines may be anything.
 */
bool mountinfo__find(struct view text, u32 major, u32 minor, struct mount_line *ret);

/* A field without its escapes; false if it does not fit. */
bool mountinfo__unescape(struct view field, char *buf, size_t sz);

/* What follows "name=" in the options, up to a comma; false if there is no such option. */
bool mountinfo__option(struct view options, const char *name, struct view *ret);

#endif
