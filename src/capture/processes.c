/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Mappings belong to an image (one program in one address space), not to a process number, which
 * may be used again. A forked child has the mappings of its parent until it calls exec or loads
 * something, so nothing is read for it until the end, and a child that is gone by then has names
 * all the same.
 */
#include "capture/processes.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "proc/mapfile.h"

struct process {
	u64 image;
	u64 parent;
	u32 tgid;
	bool have; /* maps were read */
	struct maps maps;
};

/* The dynamic loader needs about 1 ms for its first libraries. */
#define YOUNG_FIRST_NS (2 * NSEC_PER_MSEC)
#define YOUNG_GROWTH 5
#define YOUNG_LAST_NS (2 * NSEC_PER_SEC)

struct young {
	size_t idx; /* in list */
	u64 due_mono_ns;
	u64 interval_ns;
};

/* Forks of forks that never called exec; deeper than this is a loop. */
#define PARENTS_MAX 64

int processes__init(struct processes *ps)
{
	vec__init(&ps->list, sizeof(struct process));
	vec__init(&ps->young, sizeof(struct young));
	vec__init(&ps->files, sizeof(struct module_file));
	map64__init(&ps->by_image);
	map64__init(&ps->current);
	map64__init(&ps->by_inode);
	return 0;
}

void processes__done(struct processes *ps)
{
	for (size_t i = 0; i < ps->list.len; i++)
		maps__done(&((struct process *)vec__at(&ps->list, i))->maps);
	for (size_t i = 0; i < ps->files.len; i++) {
		struct module_file *f = vec__at(&ps->files, i);

		if (f->fd >= 0)
			close(f->fd);
	}
	vec__done(&ps->list);
	vec__done(&ps->young);
	vec__done(&ps->files);
	map64__done(&ps->by_image);
	map64__done(&ps->current);
	map64__done(&ps->by_inode);
}

static u64 inode_key(u64 dev, u64 ino)
{
	return (ino ^ dev * 0x9e3779b97f4a7c15ULL) * 0xd6e8feb86659fd93ULL;
}

static int open_file(struct processes *ps, u32 tgid, const struct map_range *range)
{
	u64 key = inode_key(range->dev, range->ino), seen;
	struct module_file *f;
	struct err err;
	int fd, r;

	if (!range->exec || !map_range__is_file(range) || map64__get(&ps->by_inode, key, &seen))
		return 0;
	r = module_file_open(tgid, range, &fd, &err);
	if (r) {
		/* Not marked as seen: another process may show it to us. */
		log_debug("module: %s", err.msg);
		return r == -ENOMEM ? r : 0;
	}
	f = vec__push(&ps->files);
	if (!f) {
		close(fd);
		return -ENOMEM;
	}
	f->dev = range->dev;
	f->ino = range->ino;
	f->fd = fd;
	return map64__set(&ps->by_inode, key, 1);
}

/*
 * Reads the mappings of a process into `p`; the newer ones cover those already there. -ESRCH when
 * it is gone, also a zombie, which has none.
 */
static int read_maps(struct processes *ps, struct process *p)
{
	struct maps fresh;
	struct err err;
	int r = maps__read(&fresh, p->tgid, &err);

	if (r) {
		log_debug("maps of %u: %s", p->tgid, err.msg);
		return r;
	}
	if (!fresh.len) {
		maps__done(&fresh);
		return -ESRCH;
	}
	for (size_t i = 0; !r && i < fresh.len; i++)
		r = open_file(ps, p->tgid, &fresh.ranges[i]);
	if (!r && p->have) {
		r = maps__merge(&p->maps, &fresh);
		maps__done(&fresh);
	} else if (!r) {
		p->maps = fresh;
		p->have = true;
	} else {
		maps__done(&fresh);
	}
	return r;
}

static struct process *find(const struct processes *ps, u64 image)
{
	u64 idx;

	return image && map64__get(&ps->by_image, image, &idx) ? vec__at(&ps->list, idx) : NULL;
}

static int add_young(struct processes *ps, size_t idx)
{
	struct young *y = vec__push(&ps->young);

	if (!y)
		return -ENOMEM;
	y->idx = idx;
	y->interval_ns = YOUNG_FIRST_NS;
	y->due_mono_ns = clock_mono_ns() + YOUNG_FIRST_NS;
	return 0;
}

int processes__see(struct processes *ps, u32 tgid, u64 image, u64 parent)
{
	struct process *p = find(ps, image);
	int r;

	if (p)
		return 0;
	p = vec__push(&ps->list);
	if (!p)
		return -ENOMEM;
	p->image = image;
	p->parent = parent;
	p->tgid = tgid;
	maps__init(&p->maps);
	r = map64__set(&ps->by_image, image, ps->list.len - 1);
	if (!r)
		r = map64__set(&ps->current, tgid, image);
	if (r || parent)
		return r;
	r = read_maps(ps, p);
	return r == -ESRCH ? 0 : r == -ENOMEM ? r : add_young(ps, ps->list.len - 1);
}

/* The process still is what it was when it was seen. */
static bool is_current(const struct processes *ps, const struct process *p)
{
	u64 latest;

	return map64__get(&ps->current, p->tgid, &latest) && latest == p->image;
}

u64 processes__tick(struct processes *ps, u64 now_mono_ns)
{
	u64 next = ~0ULL;

	for (size_t i = 0; i < ps->young.len;) {
		struct young *y = vec__at(&ps->young, i);
		struct process *p = vec__at(&ps->list, y->idx);
		bool due = y->due_mono_ns <= now_mono_ns;

		if (due) {
			y->interval_ns *= YOUNG_GROWTH;
			y->due_mono_ns = now_mono_ns + y->interval_ns;
		}
		if (due &&
		    (!is_current(ps, p) || read_maps(ps, p) || y->interval_ns > YOUNG_LAST_NS)) {
			*y = *(struct young *)vec__at(&ps->young, ps->young.len - 1);
			ps->young.len--;
			continue;
		}
		if (y->due_mono_ns < next)
			next = y->due_mono_ns;
		i++;
	}
	return next;
}

int processes__refresh(struct processes *ps)
{
	int r = 0;

	for (size_t i = 0; !r && i < ps->list.len; i++) {
		struct process *p = vec__at(&ps->list, i);
		const struct process *parent = find(ps, p->parent);

		if (!is_current(ps, p))
			continue;
		/* What the parent had is below what the child has now. */
		if (!p->have && parent && parent->have) {
			r = maps__copy(&p->maps, &parent->maps);
			p->have = !r;
		}
		if (!r && read_maps(ps, p) == -ENOMEM)
			r = -ENOMEM;
	}
	return r;
}

const struct maps *processes__maps(const struct processes *ps, u64 image)
{
	for (int i = 0; i < PARENTS_MAX; i++) {
		const struct process *p = find(ps, image);

		if (!p)
			return NULL;
		if (p->have)
			return &p->maps;
		image = p->parent;
	}
	return NULL;
}
