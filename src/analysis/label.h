/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ANALYSIS_LABEL_H
#define ANALYSIS_LABEL_H

#include "base/err.h"
#include "base/strtab.h"
#include "profile/profile.h"

/*
 * The text that each frame is shown by: its name, with "(file.c:123)" behind it where lines were
 * asked for, or "[module+0xoff]", or "[python: unread function]", or "[unknown]" when there is no
 * module. Frames with the same text have the same label id, so that two places in one function join
 * in a tree. Built once for a profile whose frames are named; immutable after.
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
/* The text of a frame; lives as long as the labels. Never NULL. */
const char *labels__frame(const struct labels *l, u32 frame);
/* The part of a path behind the last '/'. */
const char *label_basename(const char *path);

#endif
