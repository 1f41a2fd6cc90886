/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables are those that the programs get in the kernel, kept whole here: a walk on this side
 * reads them where they were built, without a budget and without segments.
 */
#include "visit/code_files.h"

#include <errno.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/mapping/vdso_table.h"
#include "capture/runtime/python_module.h"
#include "proc/mapfile.h"

static int take_vdso(struct code_files *cf, struct code_file *f)
{
	f->path = mem_strdup("[vdso]");
	return f->path ? vdso_table(&cf->rules, &f->table) : -ENOMEM;
}

int code_files__init(struct code_files *cf)
{
	struct code_file *f;

	*cf = (struct code_files){ 0 };
	notices__init(&cf->notices);
	vec__init(&cf->files, sizeof(struct code_file));
	map64__init(&cf->by_id);
	cf->dictionary = mem_array(CS_RULES_MAX, sizeof(*cf->dictionary));
	f = vec__push_n(&cf->files, CODE_FILE_VDSO + 1);
	if (!cf->dictionary || !f || rules__init(&cf->rules, cf->dictionary))
		return -ENOMEM;
	f[0].fd = -1;
	f[CODE_FILE_VDSO].fd = -1;
	return take_vdso(cf, &f[CODE_FILE_VDSO]);
}

void code_files__done(struct code_files *cf)
{
	if (!cf || !cf->dictionary)
		return;
	for (size_t i = 0; i < cf->files.len; i++) {
		struct code_file *f = vec__at(&cf->files, i);

		if (f->fd >= 0)
			close(f->fd);
		table__free(f->table);
		mem_free(f->python);
		mem_free(f->path);
	}
	vec__done(&cf->files);
	map64__done(&cf->by_id);
	notices__done(&cf->notices);
	rules__done(&cf->rules);
	mem_free(cf->dictionary);
	*cf = (struct code_files){ 0 };
}

struct code_file *code_files__at(const struct code_files *cf, u32 idx)
{
	return vec__at(&cf->files, idx);
}

/* What is not an ELF file is compiled ahead of time by a runtime, which keeps frame pointers. */
static int take_table(struct code_files *cf, struct code_file *f)
{
	struct err err = { 0 };
	int r = table__build_fd(f->fd, f->path, &cf->rules, &f->table, &err);

	f->keeps_fp = r ? r == -EINVAL : f->table->keeps_fp;
	if (r)
		log_debug("unwind table: %s", err.msg);
	return r == -ENOMEM ? r : 0;
}

/* Is a CPython in it? */
static int take_python(struct code_files *cf, struct code_file *f)
{
	struct cs_python layout;
	struct err err = { 0 };
	int r = python_module__read(f->fd, f->path, &layout, &err);

	if (r == -ENOTSUP)
		return notices__add(&cf->notices, err.msg);
	if (r && r != -ENOENT)
		log_debug("%s", err.msg);
	if (r)
		return r == -ENOMEM ? r : 0;
	f->python = mem_alloc(sizeof(layout));
	if (!f->python)
		return -ENOMEM;
	*f->python = layout;
	return 0;
}

static int take(struct code_files *cf, u32 tgid, const struct map_range *range, u64 key, u32 *ret)
{
	struct code_file *f = vec__push(&cf->files);
	struct err err = { 0 };
	int r;

	if (!f)
		return -ENOMEM;
	f->fd = -1;
	f->path = mem_strdup(range->path);
	if (!f->path)
		return -ENOMEM;
	f->file = (struct file_id){ .dev = range->dev, .ino = range->ino };
	*ret = (u32)cf->files.len - 1;
	if (map64__set(&cf->by_id, key, *ret))
		return -ENOMEM;
	if (module_file_open(tgid, range, &f->fd, &err)) {
		log_debug("unwind table: %s", err.msg);
		return 0;
	}
	f->file.generation = module_file_generation(f->fd);
	r = take_table(cf, f);
	return r ? r : take_python(cf, f);
}

int code_files__find(struct code_files *cf, u32 tgid, const struct map_range *range, u32 *ret)
{
	struct file_id id = { .dev = range->dev, .ino = range->ino };
	u64 key = hash_bytes(&id, sizeof(id)), found;

	*ret = map_range__is_vdso(range) ? CODE_FILE_VDSO : 0;
	if (!map_range__is_file(range))
		return 0;
	if (!map64__get(&cf->by_id, key, &found))
		return take(cf, tgid, range, key, ret);
	*ret = (u32)found;
	return 0;
}

int code_files__give(struct code_files *cf, const struct capture_files *files)
{
	int r = 0;

	for (size_t i = CODE_FILE_VDSO + 1; !r && i < cf->files.len; i++) {
		struct code_file *f = code_files__at(cf, (u32)i);

		if (f->fd < 0)
			continue;
		r = files->give_file(files->arg, &f->file, f->fd);
		f->fd = -1;
		f->given = true;
	}
	return r;
}
