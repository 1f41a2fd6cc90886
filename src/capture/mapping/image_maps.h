/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_IMAGE_MAPS_H
#define CAPTURE_MAPPING_IMAGE_MAPS_H

#include "capture/mapping/mapped.h"
#include "proc/maps.h"

/*
 * Sends the mappings of an image to the BPF programs, through the table `image_maps_fd`; new files
 * are added. If there are more mappings than CS_IMAGE_MAPS_MAX, or the table is full, stacks end
 * early. -ENOMEM or 0.
 */
int image_maps_tell(int image_maps_fd, struct mapped *m, u64 image, u32 tgid,
		    const struct maps *maps);

#endif
