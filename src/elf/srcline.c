/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which file has the lines: the image, or its separate debug file. A child process reads it; if
 * that fails, the file has no lines, and nothing else happens.
 */
#include "elf/srcline.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "elf/dwarf/dwarf_child.h"
#include "elf/image_priv.h"
#include "elf/srcline_go.h"
#include "elf/srcline_priv.h"

#define ALT_LINK_MAX_SZ 4096

/* Whether there is a section of that name with bytes in the file. Does not read it. */
static bool has_section(const struct image *img, const char *name)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	do {
		scn = image__next_section(img, scn, name, &sh);
	} while (scn && (sh.sh_type == SHT_NOBITS || !sh.sh_size));
	return scn;
}

static bool has_debug_info(const struct image *img)
{
	return has_section(img, ".debug_info") || has_section(img, ".zdebug_info");
}

/* .gnu_debugaltlink is a path and a build ID. */
static int open_alt(const struct image *img, const struct symtab_options *opt)
{
	char build_id[2 * IMAGE_BUILD_ID_MAX + 1];
	const char *path;
	struct view link;
	size_t i, len;
	const u8 *id;

	if (!image__section(img, ".gnu_debugaltlink", ALT_LINK_MAX_SZ, &link))
		return -1;
	path = view__cstr(&link);
	len = view__left(&link);
	id = view__bytes(&link, len);
	if (!path || !id || len < 2 || len > IMAGE_BUILD_ID_MAX)
		return -1;
	for (i = 0; i < len; i++)
		snprintf(build_id + 2 * i, 3, "%02x", id[i]);
	return debugfile_open_alt(path, build_id, opt);
}

/* Does not take ownership of `from`. */
static int keep(const struct image *img, const struct image *from, const struct symtab_options *opt,
		struct srcline_file *ret)
{
	if (!has_debug_info(from))
		return -ENOENT;
	ret->fd = fcntl(from->fd, F_DUPFD_CLOEXEC, 0);
	if (ret->fd < 0)
		return -errno;
	ret->bias = from->load_vaddr - img->load_vaddr;
	ret->alt_fd = open_alt(from, opt);
	return 0;
}

static int keep_go(const struct image *img, struct srcline_file *ret)
{
	if (img->fd < 0 || !srcline_go_has(img))
		return -ENOENT;
	ret->fd = fcntl(img->fd, F_DUPFD_CLOEXEC, 0);
	ret->go = true;
	return ret->fd < 0 ? -errno : 0;
}

int srcline_file__open(const struct image *img, const struct symtab_options *opt,
		       struct srcline_file *ret)
{
	struct image *debug;
	int r;

	*ret = (struct srcline_file){ .fd = -1, .alt_fd = -1 };
	r = img->fd < 0 ? -ENOENT : keep(img, img, opt, ret);
	if (r != -ENOENT)
		return r;
	r = debugfile_open(img, opt, &debug);
	if (!r) {
		r = keep(img, debug, opt, ret);
		image__free(debug);
	}
	return r == -ENOENT ? keep_go(img, ret) : r;
}

void srcline_file__done(struct srcline_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->alt_fd >= 0)
		close(f->alt_fd);
	f->fd = f->alt_fd = -1;
}

static int run_job(const void *job, struct sink *out)
{
	return srcline_job__run(job, out);
}

int srcline_read(const struct srcline_file *f, const u64 *vaddrs, size_t len,
		 const struct srcline_want *want, struct err *err)
{
	const struct srcline_job job = { .file = f, .vaddrs = vaddrs, .len = len, .want = *want };
	struct dwarf_child child;
	int r, told;

	if (f->go)
		return want->lines ? srcline_go_read(f, vaddrs, len, want, err) : 0;
	r = dwarf_child__start(&child, run_job, &job, want->limit_ns, err);
	if (r)
		return r;
	r = dwarf_child__gather(&child, child.deadline_mono_ns, err);
	told = srcline_parse(view__of(child.answers.data, child.answers.len), len, want->tell,
			     want->arg);
	dwarf_child__done(&child);
	if (told)
		return told == -EINVAL ? err__set(err, told, "its lines are malformed") : told;
	return r;
}
