/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kernel clears the buckets of a table when it is created, 2 ms for the largest: time in which
 * libbpf could relocate, but it creates the maps first. As with programs, see loader.c, libbpf only
 * knows a descriptor, which dup3() can redirect.
 */
#include "capture/program/large_maps.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/mem.h"
#include "capture/mapping/quiet_thread.h"

/* What a map is made from. */
struct plan {
	struct bpf_map *map;
	char name[BPF_OBJ_NAME_LEN];
	enum bpf_map_type type;
	u32 flags;
	u32 key_sz;
	u32 value_sz;
	u32 entries;
	int fd; /* a negative errno when it was refused */
};

struct large_maps {
	struct vec plans; /* of struct plan */
	pthread_t thread;
	bool started;
};

static void *thread_main(void *arg)
{
	struct large_maps *m = arg;

	for (size_t i = 0; i < m->plans.len; i++) {
		struct plan *p = vec__at(&m->plans, i);
		LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = p->flags);

		p->fd = bpf_map_create(p->type, p->name, p->key_sz, p->value_sz, p->entries, &opts);
	}
	return NULL;
}

static int add(struct large_maps *m, struct bpf_map *map)
{
	bool ring = bpf_map__type(map) == BPF_MAP_TYPE_RINGBUF;
	struct plan *p = vec__push(&m->plans);

	if (!p)
		return -ENOMEM;
	*p = (struct plan){
		.map = map,
		.type = bpf_map__type(map),
		.flags = bpf_map__map_flags(map),
		.key_sz = bpf_map__key_size(map),
		.value_sz = bpf_map__value_size(map),
		.entries = bpf_map__max_entries(map),
		.fd = -EINPROGRESS,
	};
	snprintf(p->name, sizeof(p->name), "%s", bpf_map__name(map));
	return bpf_map__set_max_entries(map, ring ? (u32)sysconf(_SC_PAGESIZE) : 1);
}

static int start(struct large_maps *m)
{
	int r = quiet_thread_start(&m->thread, NULL, thread_main, m);

	m->started = !r;
	return r;
}

int large_maps__new(struct bpf_map *const *maps, struct large_maps **ret, struct err *err)
{
	struct large_maps *m = mem_alloc(sizeof(*m));
	int r = 0;

	if (!m)
		return err__nomem(err);
	vec__init(&m->plans, sizeof(struct plan));
	for (; !r && *maps; maps++)
		r = add(m, *maps);
	r = r ? r : start(m);
	if (r) {
		large_maps__free(m);
		return err__set(err, r, "cannot make the kernel's tables: %s", err_str(r));
	}
	*ret = m;
	return 0;
}

static void join(struct large_maps *m)
{
	if (m->started)
		pthread_join(m->thread, NULL);
	m->started = false;
}

int large_maps__take(struct large_maps *m)
{
	join(m);
	for (size_t i = 0; i < m->plans.len; i++) {
		struct plan *p = vec__at(&m->plans, i);

		if (p->fd < 0)
			return p->fd;
		if (dup3(p->fd, bpf_map__fd(p->map), O_CLOEXEC) < 0)
			return -errno;
	}
	return 0;
}

void large_maps__free(struct large_maps *m)
{
	if (!m)
		return;
	join(m);
	for (size_t i = 0; i < m->plans.len; i++) {
		struct plan *p = vec__at(&m->plans, i);

		if (p->fd >= 0)
			close(p->fd);
	}
	vec__done(&m->plans);
	mem_free(m);
}
