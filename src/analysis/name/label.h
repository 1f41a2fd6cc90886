/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_NAME_LABEL_H
#define ANALYSIS_NAME_LABEL_H

#include "base/err.h"
#include "base/strtab.h"
#include "profile/profile.h"

/*
 * The displayed text of each frame: its name, followed by "(file.c:123)" if lines were requested,
 * or "[module+0xoff]", or "[python: unread function]", or "[unknown]" if there is no module. Frames
 * with the same text have the same label id, so that two addresses in one function merge in a tree.
 * Built once for a profile whose frames are named; immutable afterwards.
 */
struct labels {
	struct strtab names;
	u32 *of_frame; /* label id by frame id; frame 0 has "" */
	u32 frames_len;
};

/* -ENOMEM or 0. Release with labels__done() in either case. */
int labels__init(struct labels *l, const struct profile *p, struct err *err);
void labels__done(struct labels *l);
/* 0 for a frame that does not exist. */
u32 labels__id(const struct labels *l, u32 frame);
/* The text of a frame; valid as long as the labels. Never NULL. */
const char *labels__frame(const struct labels *l, u32 frame);
/* Whether the source line is shown beside a frame's name; an interpreted one has it in its name. */
bool label_has_place(const struct profile *p, const struct profile_frame *f);
/* The part of a path after the last '/'. */
const char *label_basename(const char *path);

#endif
