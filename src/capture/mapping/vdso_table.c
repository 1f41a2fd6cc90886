/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/mapping/vdso_table.h"

#include <errno.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/log.h"
#include "proc/maps.h"

/* More than any vDSO has; usually two pages. */
#define VDSO_MAX_SZ 65536

int vdso_table(struct rules *rules, struct table **ret)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct err err = { 0 };
	struct maps maps;
	int r;

	*ret = NULL;
	if (!image)
		return 0;
	r = maps__read(&maps, (u32)getpid(), &err);
	for (size_t i = 0; !r && i < maps.len; i++) {
		size_t sz = maps.ranges[i].end - maps.ranges[i].start;

		if (map_range__is_vdso(&maps.ranges[i]) && sz <= VDSO_MAX_SZ)
			r = table__build_mem(image, sz, "[vdso]", rules, ret, &err);
	}
	maps__done(&maps);
	if (r)
		log_debug("unwind table of the vDSO: %s", err.msg);
	return r == -ENOMEM ? r : 0;
}
