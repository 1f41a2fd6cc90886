/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_LIVE_TOP_HOST_H
#define CLI_LIVE_TOP_HOST_H

#include "cli/live/live_targets.h"
#include "tui/viewer.h"

/* What `top` does for its viewer: files, and other targets while it records. */
struct top_host {
	struct viewer_host asked; /* for viewer_options.host */
	struct live_targets *targets;
	const char *file; /* the recording that is being written; NULL: none */
};

/* Borrows both. */
void top_host__init(struct top_host *h, struct live_targets *targets, const char *file);

#endif
