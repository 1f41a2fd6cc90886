/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A file is identified by the inode that the programs saw, with its generation: a build farm
 * creates and deletes programs so fast that an inode number is soon reused. The file is opened
 * while it is still mapped somewhere; from then on it can be deleted.
 */
#include "capture/mapping/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "capture/mapping/kernel_dev.h"
#include "capture/mapping/vdso_table.h"
#include "proc/mapfile.h"

#define TELL_TRIES 20
#define TELL_PAUSE_US 500

static u64 user_dev(u32 kernel_dev)
{
	return makedev(kernel_dev_major(kernel_dev), kernel_dev_minor(kernel_dev));
}

static u32 kernel_dev(u64 dev)
{
	return kernel_dev_make(major(dev), minor(dev));
}

/* Components are leaf first. Returns the path, which the caller frees; "" for none. */
static char *path_of(const struct cs_module_event *ev)
{
	char path[CS_PATH_SZ + 1];
	u32 len = ev->path_len, at = CS_PATH_SZ, i = 0;

	path[CS_PATH_SZ] = 0;
	while (i < len && len <= CS_PATH_SZ) {
		u32 n = (u32)strnlen(ev->path + i, len - i);

		if (n + 1 > at)
			break;
		at -= n + 1;
		path[at] = '/';
		memcpy(path + at + 1, ev->path + i, n);
		i += n + 1;
	}
	return mem_strdup(path + at);
}

/* The path as in /proc, while the process exists; it takes our root and mounts into account. */
static char *live_path(const struct cs_module_event *ev)
{
	static const char deleted[] = " (deleted)";
	char name[96], path[PATH_MAX];
	ssize_t n;

	if (ev->vm_end)
		snprintf(name, sizeof(name), "/proc/%u/map_files/%llx-%llx", ev->tgid,
			 (unsigned long long)ev->vm_start, (unsigned long long)ev->vm_end);
	else
		snprintf(name, sizeof(name), "/proc/%u/exe", ev->tgid);
	n = readlink(name, path, sizeof(path) - 1);
	if (n <= 0)
		return NULL;
	path[n] = 0;
	n -= (ssize_t)sizeof(deleted) - 1;
	if (n > 0 && !strcmp(path + n, deleted))
		path[n] = 0;
	return mem_strdup(path);
}

static int open_file(const struct mapped *m, struct mapped_file *f,
		     const struct cs_module_event *ev)
{
	struct map_range range = {
		.start = ev->vm_start,
		.end = ev->vm_end,
		.dev = f->file.dev,
		.ino = f->file.ino,
		.path = f->path,
		.exec = true,
	};
	struct file_sight sight = { .file = f->file, .since_ns = m->begin_wall_ns };
	struct err err = { 0 };
	int r = module_file_open_seen(ev->tgid, &range, &sight, &f->fd, &err);

	if (r && r != -ENOMEM)
		r = module_file_open_path(f->path, &sight, &f->fd, &err);
	if (!r)
		return 0;
	log_debug("module %u: %s", f->id, err.msg);
	f->fd = -1;
	return r == -ENOMEM ? r : 0;
}

/* Sends the state of a file to the programs; false: they still have the old one. */
static bool tell(struct mapped *m, const struct mapped_file *f)
{
	struct cs_module value = {
		.id = f->id,
		.state = f->state,
		.flags = f->flags,
		.index = f->place.index,
		.first_page = f->place.first_page,
		.pages = f->place.pages,
		.used_s = (u32)(clock_mono_ns() / NSEC_PER_SEC),
	};
	int r = bpf_map_update_elem(m->modules_fd, &f->key, &value, BPF_ANY);

	/* An interrupt refills the kernel's memory pool for its tables. */
	for (int i = 0; r == -ENOMEM && i < TELL_TRIES; i++) {
		usleep(TELL_PAUSE_US);
		r = bpf_map_update_elem(m->modules_fd, &f->key, &value, BPF_ANY);
	}
	if (r)
		log_debug("module %u: cannot update the programs: %s", f->id, err_str(r));
	(*m->tables_gen)++;
	return !r;
}

/* Reads from the programs when each table was last used, by any of the files that share it. */
static void look_at_uses(struct mapped *m)
{
	struct cs_module value;

	for (size_t i = 0; i < m->files.len; i++)
		((struct mapped_file *)vec__at(&m->files, i))->used_s = 0;
	for (size_t i = 0; i < m->files.len; i++) {
		const struct mapped_file *f = vec__at(&m->files, i);
		struct mapped_file *owner;

		if (f->state != CS_MODULE_READY ||
		    bpf_map_lookup_elem(m->modules_fd, &f->key, &value))
			continue;
		owner = vec__at(&m->files, f->table_of);
		if (value.used_s > owner->used_s)
			owner->used_s = value.used_s;
	}
}

/* The file with the least recently used table; NULL if none can be evicted. */
static struct mapped_file *oldest(struct mapped *m)
{
	struct mapped_file *best = NULL;

	look_at_uses(m);
	for (size_t i = 0; i < m->files.len; i++) {
		struct mapped_file *f = vec__at(&m->files, i);

		if (f->state == CS_MODULE_READY && f->place.extents.len &&
		    (!best || f->used_s < best->used_s))
			best = f;
	}
	return best;
}

/*
 * Files that share the table lose it too. It is freed when no program reads it any more, and not
 * freed if a program could not be updated.
 */
static void evict(struct mapped *m, struct mapped_file *victim)
{
	bool told = true;

	for (size_t i = 0; i < m->files.len; i++) {
		struct mapped_file *f = vec__at(&m->files, i);

		if (f->state != CS_MODULE_READY || f->table_of != victim->id)
			continue;
		f->state = CS_MODULE_EVICTED;
		told = tell(m, f) && told;
	}
	if (!told)
		return;
	segments__wait_for_programs(m->segments);
	log_debug("unwind tables: %s makes room", victim->path);
	place__free(&victim->place, &m->space);
	m->evicted++;
}

static int place_table(struct mapped *m, struct mapped_file *f, const struct table *t)
{
	struct err err = { 0 };
	int r;

	for (;;) {
		struct mapped_file *victim;

		r = table__place(t, &m->space, &f->place, &err);
		if (r != -ENOSPC)
			break;
		victim = oldest(m);
		if (!victim)
			break;
		evict(m, victim);
	}
	if (!r) {
		f->state = CS_MODULE_READY;
		f->table_of = f->id;
		m->tables++;
		return 0;
	}
	log_debug("%s: %s", f->path, err.msg);
	m->budget_full++;
	f->state = CS_MODULE_EVICTED;
	return 0;
}

/* The same build mapped from another inode, as in the layers of containers. */
static bool share_table(struct mapped *m, struct mapped_file *f)
{
	for (size_t i = 0; f->build_id[0] && i < m->files.len; i++) {
		const struct mapped_file *other = vec__at(&m->files, i);

		if (other == f || other->state != CS_MODULE_READY || !other->place.extents.len ||
		    strcmp(other->build_id, f->build_id))
			continue;
		f->place.index = other->place.index;
		f->place.first_page = other->place.first_page;
		f->place.pages = other->place.pages;
		f->table_of = other->id;
		f->state = CS_MODULE_READY;
		return true;
	}
	return false;
}

static int build_table(struct mapped *m, struct mapped_file *f)
{
	struct table *t = NULL;
	struct err err = { 0 };
	u64 begin = clock_mono_ns();
	u32 id = f->id;
	int r = table__build_with_pauses(f->fd, f->path, &m->rules, &m->pause, &t, &err);

	f = vec__at(&m->files, id); /* there may be more of them after a pause */
	/* A file that is not ELF contains JIT-compiled code, which keeps frame pointers. */
	if (r ? r == -EINVAL : t->keeps_fp)
		f->flags |= CS_MODULE_FP;
	if (!r) {
		memcpy(f->build_id, t->build_id, sizeof(f->build_id));
		if (!share_table(m, f))
			r = place_table(m, f, t);
	}
	table__free(t);
	f->build_ns = clock_mono_ns() - begin;
	m->build_ns += f->build_ns;
	if (r)
		log_debug("unwind table of %s: %s", f->path, err.msg);
	return r == -ENOMEM ? r : 0;
}

static struct mapped_file *entry_of(struct mapped *m, u32 id)
{
	while (m->files.len <= id) {
		struct mapped_file *f = vec__push(&m->files);

		if (!f)
			return NULL;
		f->fd = -1;
	}
	return vec__at(&m->files, id);
}

static int make_table(struct mapped *m, u32 id)
{
	struct mapped_file *f = vec__at(&m->files, id);
	int r;

	f->state = CS_MODULE_NO_CFI;
	r = build_table(m, f);
	f = vec__at(&m->files, id);
	if (!r)
		r = readers__look_in_file(m->readers, f->fd, f->path, f->id, &f->flags,
					  &m->notices);
	if (!r)
		tell(m, f);
	return r;
}

/* It is open, so it can wait; for the programs it is a file without a table yet. */
static int put_off(struct mapped *m, u32 id)
{
	u32 *slot = vec__push(&m->held);

	if (!slot)
		return -ENOMEM;
	*slot = id;
	return 0;
}

/* `path`: known to user space, in case the process has exited; NULL: unknown. */
static int see(struct mapped *m, const struct cs_module_event *ev, const char *path)
{
	struct mapped_file *f;
	char *live;
	int r;

	if (!ev->id || ev->id >= CS_MODULE_ID_END)
		return 0;
	f = entry_of(m, ev->id);
	if (!f)
		return -ENOMEM;
	if (f->id && f->state != CS_MODULE_GONE)
		return 0;
	f->id = ev->id;
	f->key = ev->key;
	f->file = (struct file_id){ .dev = user_dev(ev->key.dev),
				    .ino = ev->key.ino,
				    .generation = ev->key.generation };
	live = live_path(ev);
	if (!live)
		live = path ? mem_strdup(path) : path_of(ev);
	if (!live)
		return -ENOMEM;
	mem_free(f->path);
	f->path = live;
	r = open_file(m, f, ev);
	if (!r && f->fd >= 0 && !f->file.generation)
		f->file.generation = module_file_generation(f->fd);
	f->state = f->fd < 0 ? CS_MODULE_GONE : CS_MODULE_WANTED;
	if (r || f->fd >= 0)
		return r ? r : m->hold ? put_off(m, f->id) : make_table(m, f->id);
	tell(m, f);
	return 0;
}

size_t mapped__waiting(const struct mapped *m)
{
	return m->held.len - m->held_done;
}

int mapped__build(struct mapped *m)
{
	u32 id = *(u32 *)vec__at(&m->held, m->held_done++);

	if (!mapped__waiting(m)) {
		vec__reset(&m->held);
		m->held_done = 0;
	}
	return make_table(m, id);
}

int mapped__see(struct mapped *m, const struct cs_module_event *ev)
{
	return see(m, ev, NULL);
}

/*
 * An inode that we hold open cannot be another file, whatever its generation. One that could not be
 * opened may be another file by now, which shows when it can be opened.
 */
static bool is_known(const struct mapped *m, u32 tgid, const struct map_range *range,
		     struct cs_module_key *key)
{
	struct file_sight sight = { .since_ns = m->begin_wall_ns };
	int fd;

	for (size_t i = m->files.len; i-- > 0;) {
		const struct mapped_file *f = vec__at(&m->files, i);

		if (!f->id || f->key.ino != range->ino || f->key.dev != key->dev)
			continue;
		if (f->fd >= 0 || module_file_open_seen(tgid, range, &sight, &fd, NULL)) {
			*key = f->key; /* with the generation, if a program saw it */
			return true;
		}
		close(fd);
		return false;
	}
	return false;
}

int mapped__take(struct mapped *m, u32 tgid, const struct map_range *range,
		 struct cs_module_key *ret_key)
{
	struct cs_module_event ev = {
		.tgid = tgid,
		.key = { .ino = range->ino, .dev = kernel_dev(range->dev) },
		.vm_start = range->start,
		.vm_end = range->end,
	};

	*ret_key = ev.key;
	if (is_known(m, tgid, range, ret_key))
		return 0;
	/* the programs allocate ids there too */
	ev.id = __atomic_fetch_add(m->next_id, 1, __ATOMIC_RELAXED);
	return see(m, &ev, range->path);
}

struct mapped_file *mapped__at(const struct mapped *m, u32 id)
{
	struct mapped_file *f;

	if (id >= m->files.len)
		return NULL;
	f = vec__at(&m->files, id);
	return f->id ? f : NULL;
}

static int put_vdso(struct mapped *m)
{
	struct mapped_file *f = entry_of(m, CS_MODULE_ID_VDSO);
	struct table *t;
	int r;

	if (!f)
		return -ENOMEM;
	f->path = mem_strdup("[vdso]");
	if (!f->path)
		return -ENOMEM;
	f->id = CS_MODULE_ID_VDSO;
	f->state = CS_MODULE_NO_CFI;
	r = vdso_table(&m->rules, &t);
	if (!r && t)
		r = place_table(m, f, t);
	table__free(t);
	tell(m, f);
	return r == -ENOMEM ? r : 0;
}

int mapped__init(struct mapped *m, const struct mapped_maps *maps, u64 budget, struct err *err)
{
	*m = (struct mapped){ .segments = maps->segments,
			      .modules_fd = maps->modules_fd,
			      .readers = maps->readers,
			      .tables_gen = maps->tables_gen,
			      .next_id = maps->next_id,
			      .begin_wall_ns = clock_wall_ns() };
	vec__init(&m->files, sizeof(struct mapped_file));
	notices__init(&m->notices);
	vec__init(&m->held, sizeof(u32));
	if (rules__init(&m->rules, maps->segments->rules) ||
	    space__init(&m->space, budget, segments__make, maps->segments) || put_vdso(m))
		return err__nomem(err);
	return 0;
}

void mapped__done(struct mapped *m)
{
	for (size_t i = 0; i < m->files.len; i++) {
		struct mapped_file *f = vec__at(&m->files, i);

		if (f->id && f->fd >= 0)
			close(f->fd);
		mem_free(f->path);
		vec__done(&f->place.extents);
	}
	vec__done(&m->files);
	notices__done(&m->notices);
	vec__done(&m->held);
	rules__done(&m->rules);
	space__done(&m->space);
}
