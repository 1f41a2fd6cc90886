/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_MAPPING_DEVICES_H
#define CAPTURE_MAPPING_DEVICES_H

#include "base/map64.h"
#include "base/types.h"
#include "profile/builder.h"

/*
 * The devices of file systems, by number: the block device ("vda1"), also for btrfs and overlay,
 * whose numbers do not belong to a device, or the server of a remote one ("host:/export"). Each
 * number is looked up once. Not thread-safe.
 */
struct devices {
	struct map64 names; /* number to a string of the builder; 0: unknown */
};

void devices__init(struct devices *d);
void devices__done(struct devices *d);
/*
 * *ret is a string of `b`, or 0. `dev` is in the kernel's encoding, 12 bits of major and 20 of
 * minor number; `tgid` is a process that sees the file system. -ENOMEM or 0.
 */
int devices__name(struct devices *d, struct builder *b, u64 dev, u32 tgid, u32 *ret);

#endif
