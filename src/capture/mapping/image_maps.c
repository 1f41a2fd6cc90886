/* SPDX-License-Identifier: Apache-2.0 */

/* For kernels on which our programs cannot look up mappings. */
#include "capture/mapping/image_maps.h"

#include <errno.h>

#include <bpf/bpf.h>

#include "base/log.h"
#include "base/mem.h"

static int fill(struct cs_image_maps *to, struct mapped *m, u32 tgid, const struct maps *maps)
{
	for (size_t i = 0; i < maps->len && to->len < CS_IMAGE_MAPS_MAX; i++) {
		const struct map_range *range = &maps->ranges[i];
		struct cs_image_map *at = &to->map[to->len];
		bool vdso = map_range__is_vdso(range);
		int r;

		/* [vsyscall] is the kernel's, and above all that is the process'. */
		if ((!range->exec && !vdso) || range->start >> 63)
			continue;
		at->start = range->start;
		at->end = range->end;
		at->off = vdso ? 0 : range->off;
		at->file = vdso || map_range__is_file(range);
		if (at->file && !vdso) {
			r = mapped__take(m, tgid, range, &at->key);
			if (r)
				return r;
		}
		to->len++;
	}
	return 0;
}

int image_maps_tell(int image_maps_fd, struct mapped *m, u64 image, u32 tgid,
		    const struct maps *maps)
{
	struct cs_image_maps *value = mem_alloc(sizeof(*value));
	int r;

	if (!value)
		return -ENOMEM;
	r = fill(value, m, tgid, maps);
	if (!r && bpf_map_update_elem(image_maps_fd, &image, value, BPF_ANY))
		log_debug("mappings of %u: the table of them is full", tgid);
	mem_free(value);
	return r;
}
