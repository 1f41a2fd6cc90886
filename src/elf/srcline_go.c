/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of Go programs without debug information, from their own table. Our own bounded reader does
 * not need a child process, unlike libdw. Inlined functions and lines in them are not reported.
 */
#include "elf/srcline_go.h"

#include <errno.h>

#include "base/clock.h"
#include "elf/gopclntab.h"

bool srcline_go_has(const struct image *img)
{
	struct gopclntab *gp = NULL;
	bool has = !gopclntab__open(img, &gp, NULL);

	gopclntab__free(gp);
	return has;
}

static int tell(const struct gopclntab *gp, const u64 *vaddrs, size_t len,
		const struct srcline_want *want, struct err *err)
{
	u64 deadline = clock_mono_ns() + want->limit_ns;
	size_t i;
	int r = 0;

	for (i = 0; i < len && !r; i++) {
		struct srcline_call call = { .name = "" };

		if (clock_mono_ns() >= deadline)
			return err__set(err, -ETIME, "it takes too long");
		if (gopclntab__line(gp, vaddrs[i], &call.file, &call.line))
			r = want->tell(want->arg, i, &call, 1);
	}
	return r;
}

int srcline_go_read(const struct srcline_file *f, const u64 *vaddrs, size_t len,
		    const struct srcline_want *want, struct err *err)
{
	struct gopclntab *gp = NULL;
	struct image *img = NULL;
	int r = image__open(f->fd, "Go program", &img, err);

	if (!r)
		r = gopclntab__open(img, &gp, err);
	if (!r)
		r = tell(gp, vaddrs, len, want, err);
	gopclntab__free(gp);
	image__free(img);
	return r;
}
