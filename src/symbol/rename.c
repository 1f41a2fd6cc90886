/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolver identifies a file by its inode, which means nothing on another machine: another file
 * may have that number there, and PIDs belong to other processes. So only one of its sources is
 * used here, and that one by build ID.
 *
 * A frame is an offset in its file, while symbols have addresses. The headers that convert one to
 * the other are missing from a debug file made by objcopy, so the profile contains the difference.
 */
#include "symbol/rename.h"

#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "elf/symtab.h"
#include "symbol/demangle.h"
#include "base/text/suffix.h"

/* The symbols of one module. */
struct renaming_file {
	bool tried;
	struct image *image; /* NULL: not found */
	struct symtab *symtab;
};

struct renaming {
	struct profile *p;
	const struct resolver_options *opt;
	struct symtab_options where;
	struct renaming_file *files; /* by module */
};

/* -ENOMEM or 0. */
static int open_file(struct renaming *rn, const struct profile_module *m, struct renaming_file *f)
{
	const char *build_id = profile__str(rn->p, m->build_id);
	const char *path = profile__str(rn->p, m->path);
	struct err err = { 0 };
	int fd, r;

	if (strlen(build_id) < 4)
		return 0;
	fd = debugfile_open_alt(path, build_id, &rn->where);
	if (fd < 0)
		return 0;
	r = image__open(fd, path, &f->image, &err);
	close(fd);
	if (!r && strcmp(f->image->build_id, build_id) != 0) {
		log_debug("'%s' is another build", path);
		image__free(f->image);
		f->image = NULL;
		return 0;
	}
	if (!r)
		r = symtab__load(f->image, &rn->where, &f->symtab, &err);
	if (r)
		log_debug("%s", err.msg);
	return r == -ENOMEM ? r : 0;
}

static bool addr_of(const struct profile_module *m, const struct image *image, u64 off,
		    u64 *ret_addr)
{
	if (!m->has_bias)
		return image__vaddr_of_offset(image, off, ret_addr);
	*ret_addr = off + m->bias;
	return true;
}

static int name_frame(struct renaming *rn, u32 frame, const char *name, u64 name_off)
{
	char readable[DEMANGLE_SZ];

	if (rn->opt->demangle && demangle_name(name, readable, sizeof(readable)))
		name = readable;
	if (rn->opt->strip_suffixes)
		name = suffix_strip(name, readable, sizeof(readable));
	return profile__name_frame(rn->p, frame, name, name_off, FRAME_NAMED);
}

static int try_frame(struct renaming *rn, u32 frame, u32 *named)
{
	const struct profile_frame *f = &rn->p->frames[frame];
	const struct profile_module *m = &rn->p->modules[f->module];
	struct renaming_file *file = &rn->files[f->module];
	bool back = (f->flags & FRAME_RETURN) && f->addr;
	const char *name;
	u64 addr, start;
	int r = 0;

	if (m->kind != MODULE_ELF || f->flags & FRAME_KERNEL)
		return 0;
	if (!file->tried)
		r = open_file(rn, m, file);
	file->tried = true;
	if (r || !file->symtab || !addr_of(m, file->image, f->addr - back, &addr) ||
	    !symtab__find(file->symtab, addr, &name, &start))
		return r;
	++*named;
	return name_frame(rn, frame, name, addr - start + back);
}

int rename_profile(struct profile *p, const struct resolver_options *opt, u32 *ret_named,
		   struct err *err)
{
	struct renaming rn = { .p = p, .opt = opt, .where = { .debug_dir = opt->debug_dir } };
	u32 i;
	int r = 0;

	*ret_named = 0;
	rn.files = mem_array(p->modules_len, sizeof(*rn.files));
	if (!rn.files)
		return err__nomem(err);
	if (opt->debuginfod && *opt->debuginfod)
		r = debuginfod__new(opt->debuginfod, DEBUGINFOD_LIMIT_NS, &rn.where.debuginfod,
				    NULL);
	for (i = 1; i < p->frames_len && !r; i++) {
		if (!p->frames[i].name)
			r = try_frame(&rn, i, ret_named);
	}
	if (*ret_named)
		profile__count_unnamed(p);
	for (i = 0; i < p->modules_len; i++) {
		symtab__free(rn.files[i].symtab);
		image__free(rn.files[i].image);
	}
	mem_free(rn.files);
	debuginfod__free(rn.where.debuginfod);
	return r ? err__nomem(err) : 0;
}
