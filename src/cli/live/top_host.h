/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_TOP_HOST_H
#define CLI_LIVE_TOP_HOST_H

#include "cli/live/live_targets.h"
#include "cli/live/target_post.h"
#include "tui/viewer.h"

/*
 * What `top` does for its viewer: files, and other targets while it records, by the thread that
 * does.
 */
struct top_host {
	struct viewer_host asked; /* for viewer_options.host */
	struct target_post *post;
	const char *file; /* the recording that is being written; NULL: none */
};

/* The caller has set post and file; `h` borrows all three. */
void top_host__init(struct top_host *h, const struct live_targets *targets);

#endif
