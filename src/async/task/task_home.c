/* SPDX-License-Identifier: Apache-2.0 */
#include "async/task/task_home.h"

/* The first code of a file in its memory is that of its program, whatever its name. */
struct task_home task_home_of(const struct maps *maps)
{
	return (struct task_home){ maps, maps__code_named(maps, "", false) };
}

bool task_home__has(const struct task_home *home, const struct map_range *m)
{
	return m->dev == home->program->dev && m->ino == home->program->ino;
}

/* A mapping begins with the page in which its segment begins. */
static const struct image_segment *segment_of(const struct image *img, const struct map_range *m)
{
	for (size_t i = 0; i < img->segments_len; i++) {
		const struct image_segment *seg = &img->segments[i];

		if (seg->off >= m->off && seg->off - m->off < m->end - m->start)
			return seg;
	}
	return NULL;
}

const struct map_range *task_home__code(const struct task_home *home, const struct image *img,
					u64 *ret_bias)
{
	for (size_t i = 0; i < home->maps->len; i++) {
		const struct map_range *m = &home->maps->ranges[i];
		const struct image_segment *seg;

		if (!m->exec || !task_home__has(home, m))
			continue;
		seg = segment_of(img, m);
		if (!seg)
			continue;
		*ret_bias = m->start + (seg->off - m->off) - seg->vaddr;
		return m;
	}
	return NULL;
}
