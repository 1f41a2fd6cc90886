/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_IMAGE_MAPS_H
#define CAPTURE_IMAGE_MAPS_H

#include "capture/mapped.h"
#include "proc/maps.h"

/*
 * Tells the programs what an image has mapped, through the table `image_maps_fd`; files that were
 * not met before are taken in. More mappings than CS_IMAGE_MAPS_MAX, or a full table, is shown by
 * stacks that end early. -ENOMEM or 0.
 */
int image_maps_tell(int image_maps_fd, struct mapped *m, u64 image, u32 tgid,
		    const struct maps *maps);

#endif
