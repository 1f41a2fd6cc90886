/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file is identified by its inode, not by its path: the path may lead elsewhere by now, or be in
 * another mount namespace. If two files had the same inode number, the generation separates them;
 * files of unknown generation are kept apart from those of a known one (base/file_id.h).
 *
 * A file is read when it is first needed. Afterwards neither the descriptor nor the file's bytes
 * are kept, only the table of its functions: a profiler that runs for weeks sees thousands of
 * files. Only line lookups need to keep a descriptor. A table that was not needed for minutes is
 * released, too, unless the file could not be read again: it was deleted or is in a container, and
 * a process still maps it.
 */
#include "symbol/modules.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/self_memory.h"
#include "elf/variable/variable.h"
#include "proc/mapfile.h"
#include "proc/mapped_inodes.h"

struct module_entry {
	struct file_id file;
	struct module_code code;
};

#define KEY_SZ offsetof(struct module_entry, code)

int modules__init(struct modules *m)
{
	int r;

	*m = (struct modules){ 0 };
	r = intern__init(&m->table, sizeof(struct module_entry), KEY_SZ);
	return r ? r : variables__init(&m->variables);
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
	variables__done(&m->variables);
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
	mem_free(code->path);
	code->path = NULL;
}

/* NULL when out of memory. */
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
	/* a file that could not be opened by path may be tried again */
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

/* A descriptor of a file by its path, in our root or in one of search->where; -1 if it is gone. */
static int open_by_path(const struct file_id *file, const char *path, u64 since_ns,
			const struct module_search *search)
{
	const struct file_sight sight = { .file = *file, .since_ns = since_ns };
	char in_root[PATH_MAX + 32];
	struct err err = { 0 };
	int fd;

	if (!module_file_open_path(path, &sight, &fd, &err))
		return fd;
	log_debug("%s", err.msg);
	for (size_t i = 0; i < search->where.root_fds_len; i++) {
		snprintf(in_root, sizeof(in_root), "/proc/self/fd/%d/%s", search->where.root_fds[i],
			 path);
		if (!module_file_open_path(in_root, &sight, &fd, NULL))
			return fd;
	}
	return -1;
}

static bool find_again(const struct file_id *file, const char *path, u64 off,
		       const struct module_search *search, struct object_variable *ret)
{
	struct module_code code = { .fd = open_by_path(file, path, search->since_ns, search) };
	bool found = !open_image(&code, path) && code.image &&
		     variable_find(code.image, off, ret->name, sizeof(ret->name), &ret->off);

	module_code__done(&code);
	return found;
}

static bool find_variable(struct module_entry *entry, const char *path, u64 off,
			  const struct module_search *search, struct object_variable *ret)
{
	struct module_code *code = &entry->code;

	if (code->symtab)
		return find_again(&entry->file, path, off, search, ret);
	return !open_image(code, path) && code->image &&
	       variable_find(code->image, off, ret->name, sizeof(ret->name), &ret->off);
}

bool modules__variable(struct modules *m, const struct file_id *file, const char *path, u64 off,
		       const struct module_search *search, struct object_variable *ret)
{
	struct module_entry key = { .file = *file };
	u32 id = intern__find(&m->table, &key);
	const char *name;
	bool found;

	if (!id)
		return false;
	if (variables__get(&m->variables, file, off, &name, &ret->off)) {
		snprintf(ret->name, sizeof(ret->name), "%s", name ? name : "");
		return name;
	}
	found = find_variable(intern__at(&m->table, id), path, off, search, ret);
	/* What is not kept is looked up again. */
	if (variables__add(&m->variables, file, off, found ? ret->name : NULL, ret->off))
		log_debug("no memory to keep a variable of '%s'", path);
	return found;
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
	if (path && !code->path)
		code->path = mem_strdup(path);
	if (path && !code->path)
		return -ENOMEM;
	image__release(code->image);
	code->tried = true;
	code->reason = FRAME_NAMED;
	return 0;
}

/*
 * The symbols of one file may be larger than everything else in memory. If our memory is limited, a
 * file that would come too close to the limit gets no names. -ENOMEM or 0.
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
	struct module_code *code = entry_of(m, file);

	if (!code)
		return NULL;
	code->used_pass = m->pass;
	code->used_ns = m->now_ns;
	if (code->tried)
		return code;
	if (!code->since_ns)
		code->since_ns = search->since_ns;
	if (code->fd < 0 && !code->image)
		code->fd = open_by_path(file, path, code->since_ns, search);
	if (code->fd < 0 && !code->image) {
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

void modules__begin(struct modules *m, u64 now_mono_ns)
{
	m->pass++;
	m->now_ns = now_mono_ns;
}

/* Was it read, and not needed for a while? */
static bool is_unused(const struct modules *m, const struct module_code *code)
{
	bool is_short;

	if (!code->symtab || code->used_pass == m->pass)
		return false;
	is_short = self_memory_is_short();
	return is_short || m->now_ns - code->used_ns >= MODULE_KEPT_NS;
}

/* Does its path still lead to the file? */
static bool can_read_again(const struct module_entry *entry, const struct module_search *search)
{
	const struct module_code *code = &entry->code;
	int fd = code->path ? open_by_path(&entry->file, code->path, code->since_ns, search) : -1;

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

/* It is read again when it is needed. */
static void release(struct module_code *code)
{
	log_debug("'%s' was not needed for a while: its names are released",
		  code->path ? code->path : "");
	module_code__done(code);
	code->tried = false;
}

/* Looking at all processes takes some time, so it is not done for each profile. */
static int release_unmapped(struct modules *m, struct vec *out_of_reach)
{
	struct mapped_inodes mapped;
	int r;

	if (!out_of_reach->len || m->now_ns - m->looked_ns < MODULE_KEPT_NS)
		return 0;
	m->looked_ns = m->now_ns;
	r = mapped_inodes__read(&mapped);
	for (size_t i = 0; !r && i < out_of_reach->len; i++) {
		u32 id = *(const u32 *)vec__at(out_of_reach, i);
		struct module_entry *entry = intern__at(&m->table, id);

		if (!mapped_inodes__has(&mapped, entry->file.ino))
			release(&entry->code);
	}
	mapped_inodes__done(&mapped);
	return r;
}

int modules__release_unused(struct modules *m, const struct module_search *search)
{
	struct vec out_of_reach; /* u32 */
	int r = 0;

	vec__init(&out_of_reach, sizeof(u32));
	for (u32 id = 1; !r && id < intern__len(&m->table); id++) {
		struct module_entry *entry = intern__at(&m->table, id);
		u32 *place;

		if (!is_unused(m, &entry->code))
			continue;
		if (can_read_again(entry, search)) {
			release(&entry->code);
			continue;
		}
		place = vec__push(&out_of_reach);
		r = place ? 0 : -ENOMEM;
		if (place)
			*place = id;
	}
	if (!r)
		r = release_unmapped(m, &out_of_reach);
	vec__done(&out_of_reach);
	return r;
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
