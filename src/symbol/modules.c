/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is known by its inode, not by its path: the path may lead elsewhere by now, or lie in
 * another mount namespace. Between two files that had the same number the generation decides, and
 * one of unknown generation is kept apart from those of a known one (base/file_id.h).
 *
 * A file is read at the first question, and afterwards neither the descriptor nor the file's bytes
 * are kept, only the table of its functions: a profiler that runs for weeks meets thousands of
 * files. Only who wants lines pays for them with a descriptor.
 */
#include "symbol/modules.h"

#include <errno.h>
#include <unistd.h>

#include "base/log.h"
#include "base/self_memory.h"
#include "elf/variable.h"
#include "proc/mapfile.h"

struct module_entry {
	struct file_id file;
	struct module_code code;
};

#define KEY_SZ offsetof(struct module_entry, code)

int modules__init(struct modules *m)
{
	return intern__init(&m->table, sizeof(struct module_entry), KEY_SZ);
}

void modules__done(struct modules *m)
{
	u32 id;

	if (!m)
		return;
	for (id = 1; id < intern__len(&m->table); id++) {
		struct module_entry *entry = intern__at(&m->table, id);

		module_code__done(&entry->code);
	}
	intern__done(&m->table);
}

void module_code__done(struct module_code *code)
{
	if (code->fd >= 0)
		close(code->fd);
	code->fd = -1;
	image__free(code->image);
	code->image = NULL;
	symtab__free(code->symtab);
	code->symtab = NULL;
	if (code->has_source)
		srcline_file__done(&code->source);
	code->has_source = false;
}

/* NULL when memory is short. */
static struct module_code *entry_of(struct modules *m, const struct file_id *file)
{
	struct module_entry entry = { .file = *file, .code = { .fd = -1 } };
	u32 id;

	if (intern__add(&m->table, &entry, &id))
		return NULL;
	return &((struct module_entry *)intern__at(&m->table, id))->code;
}

int modules__give(struct modules *m, const struct file_id *file, int fd)
{
	struct module_code *code = entry_of(m, file);
	bool want = code && code->fd < 0 && !code->image;

	if (!want) {
		close(fd);
		return code ? 0 : -ENOMEM;
	}
	/* what was not to be had by its path may be tried again */
	code->fd = fd;
	code->tried = false;
	return 0;
}

/* Opens the image from the descriptor, which is then closed. -ENOMEM or 0. */
static int open_image(struct module_code *code, const char *path)
{
	struct err err = { 0 };
	int r;

	if (code->fd < 0 || code->image)
		return 0;
	r = image__open(code->fd, path, &code->image, &err);
	close(code->fd);
	code->fd = -1;
	if (r)
		log_debug("%s", err.msg);
	if (r == -ENOMEM)
		return r;
	if (r) {
		code->tried = true;
		code->reason = FRAME_FILE_BAD;
	}
	return 0;
}

const char *modules__build_id(struct modules *m, const struct file_id *file)
{
	struct module_entry key = { .file = *file };
	struct module_entry *entry;
	u32 id = intern__find(&m->table, &key);

	if (!id)
		return "";
	entry = intern__at(&m->table, id);
	if (open_image(&entry->code, "module") || !entry->code.image)
		return "";
	return entry->code.image->build_id;
}

bool modules__variable(struct modules *m, const struct file_id *file, const char *path, u64 off,
		       struct object_variable *ret)
{
	struct module_entry key = { .file = *file };
	struct module_entry *entry;
	u32 id = intern__find(&m->table, &key);

	if (!id)
		return false;
	entry = intern__at(&m->table, id);
	/* One that was loaded has given its file back. */
	if (entry->code.symtab || open_image(&entry->code, path) || !entry->code.image)
		return false;
	return variable_find(entry->code.image, off, ret->name, sizeof(ret->name), &ret->off);
}

int module_code__load(struct module_code *code, const char *path,
		      const struct module_search *search)
{
	struct symtab_options where = search->where;
	int r;

	where.path = path;
	r = symtab__load(code->image, &where, &code->symtab, NULL);
	if (!r && search->source) {
		r = srcline_file__open(code->image, &where, &code->source);
		code->has_source = !r;
		if (r && r != -ENOENT && r != -ENOMEM)
			log_debug("'%s' has no lines: %s", path ? path : "", err_str(r));
		r = r == -ENOMEM ? r : 0;
	}
	if (r)
		return r;
	image__release(code->image);
	code->tried = true;
	code->reason = FRAME_NAMED;
	return 0;
}

/*
 * The symbols of one file may be larger than all else that we hold. Where our memory has a limit, a
 * file that would come too near to it has no names. -ENOMEM or 0.
 */
static int load_within_limit(struct module_code *code, const char *path,
			     const struct module_search *search)
{
	int r = self_memory_is_short() ? -ENOMEM : module_code__load(code, path, search);

	if (!r && !self_memory_is_short())
		return 0;
	if (r && (r != -ENOMEM || self_memory_room() == ~0ULL))
		return r;
	log_debug("'%s' has no names: the limit of our memory is near", path ? path : "");
	module_code__done(code);
	code->tried = true;
	code->reason = FRAME_NO_MEMORY;
	return 0;
}

const struct module_code *modules__get(struct modules *m, const struct file_id *file,
				       const char *path, const struct module_search *search)
{
	struct file_sight sight = { .file = *file, .since_ns = search->since_ns };
	struct module_code *code = entry_of(m, file);
	struct err err = { 0 };

	if (!code || code->tried)
		return code;
	if (code->fd < 0 && !code->image && module_file_open_path(path, &sight, &code->fd, &err)) {
		log_debug("%s", err.msg);
		code->fd = -1;
		code->tried = true;
		code->reason = FRAME_FILE_GONE;
		return code;
	}
	if (open_image(code, path))
		return NULL;
	if (code->image && load_within_limit(code, path, search))
		return NULL;
	return code;
}

bool module_code__find(const struct module_code *code, u64 off, const char **ret_name,
		       u64 *ret_name_off, enum frame_reason *ret_reason)
{
	u64 vaddr, start;

	*ret_reason = code->reason;
	if (code->reason != FRAME_NAMED)
		return false;
	*ret_reason = FRAME_NO_SYMBOL;
	if (!image__vaddr_of_offset(code->image, off, &vaddr) ||
	    !symtab__find(code->symtab, vaddr, ret_name, &start))
		return false;
	*ret_name_off = vaddr - start;
	return true;
}

static bool has_all_names(const struct module_code *code)
{
	enum symtab_source source = symtab__source(code->symtab);

	return source == SYMTAB_OWN || source == SYMTAB_SEPARATE;
}

bool module_code__begins(const struct module_code *code, u64 off, const char **ret_name)
{
	enum frame_reason reason;
	u64 name_off;

	if (!off || module_code__find(code, off - 1, ret_name, &name_off, &reason) ||
	    code->reason != FRAME_NAMED || !has_all_names(code))
		return false;
	return module_code__find(code, off, ret_name, &name_off, &reason) && !name_off;
}
