/* SPDX-License-Identifier: Apache-2.0 */

/* The doors to the maps of the BPF side. */
#include "capture/program/programs_priv.h"

#include <errno.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/postponed.h"
#include "base/mem.h"
#include "capture/program/kernel_memory.h"
#include "gen/coldspot.skel.h"

volatile struct cs_control *programs__control(struct programs *p)
{
	return &p->skel->data->control;
}

int programs__peers_wanted_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.peers_wanted);
}

bool programs__sees_all(const struct programs *p)
{
	return !p->skel->rodata->cfg.pidns_inum;
}

int programs__add_target(struct programs *p, u32 id, struct err *err)
{
	u8 one = 1;
	int r = bpf_map_update_elem(bpf_map__fd(p->skel->maps.targets), &id, &one, BPF_ANY);

	return r ? err__set(err, r, "cannot add %u to the targets: %s", id, err_str(r)) : 0;
}

int programs__remove_target(struct programs *p, u32 id, struct err *err)
{
	int r = bpf_map_delete_elem(bpf_map__fd(p->skel->maps.targets), &id);

	if (r == -ENOENT)
		return err__set(err, -ESRCH, "process %u is not recorded", id);
	return !r ? 0 : err__set(err, r, "cannot remove %u from the targets: %s", id, err_str(r));
}

/* The index of a cgroup, or the number of them. */
static u32 find_cgroup(const struct programs *p, u64 id)
{
	u32 i;

	for (i = 0; i < CS_CGROUPS && p->skel->data->cgroups[i]; i++) {
		if (p->skel->data->cgroups[i] == id)
			break;
	}
	return i;
}

int programs__add_cgroup(struct programs *p, u64 id, struct err *err)
{
	u32 at = find_cgroup(p, id);

	if (at == CS_CGROUPS)
		return err__set(err, -E2BIG, "%d cgroups are recorded, and no more can be added",
				CS_CGROUPS);
	p->skel->data->cgroups[at] = id;
	return 0;
}

/* The last one takes its place. A thread that is born meanwhile is found by PROGRAMS_MARK. */
int programs__remove_cgroup(struct programs *p, u64 id, struct err *err)
{
	u32 at = find_cgroup(p, id), last = find_cgroup(p, 0) - 1;

	if (at == CS_CGROUPS || p->skel->data->cgroups[at] != id)
		return err__set(err, -ESRCH, "that cgroup is not recorded");
	__atomic_store_n(&p->skel->data->cgroups[at], p->skel->data->cgroups[last],
			 __ATOMIC_SEQ_CST);
	__atomic_store_n(&p->skel->data->cgroups[last], 0, __ATOMIC_SEQ_CST);
	return 0;
}

u32 programs__targets(const struct programs *p)
{
	int fd = bpf_map__fd(p->skel->maps.targets);
	u32 id, next, n = 0;

	/* An entry that goes meanwhile restarts the walk: bounded by the size of the map. */
	for (u32 *at = NULL; !bpf_map_get_next_key(fd, at, &next) &&
			     n < bpf_map__max_entries(p->skel->maps.targets);
	     at = &id) {
		id = next;
		n++;
	}
	return n;
}

int programs__events_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.events);
}

int programs__moments_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.moments);
}

int programs__waits_fd(const struct programs *p, u64 begin_ns)
{
	return bpf_map__fd(begin_ns & 1 ? p->skel->maps.waits_odd : p->skel->maps.waits);
}

int programs__wakers_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.wakers);
}

int programs__outsiders_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.outsiders);
}

int programs__wakes_fd(const struct programs *p, u64 begin_ns)
{
	return bpf_map__fd(begin_ns & 1 ? p->skel->maps.wakes_odd : p->skel->maps.wakes);
}

size_t programs__wait_key_sz(const struct programs *p)
{
	return bpf_map__key_size(p->skel->maps.waits);
}

int programs__objects_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.objects);
}

int programs__stacks_fd(const struct programs *p, u32 idx, size_t *ret_sz)
{
	const struct bpf_map *maps[PROGRAMS_STACKS] = { p->skel->maps.short_stacks,
							p->skel->maps.medium_stacks,
							p->skel->maps.stacks };

	*ret_sz = bpf_map__value_size(maps[idx]);
	return bpf_map__fd(maps[idx]);
}

int programs__modules_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.modules);
}

int programs__map_fd(const void *programs, const char *name)
{
	const struct programs *p = programs;

	return bpf_object__find_map_fd_by_name(p->skel->obj, name);
}

int programs__segments_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.segments);
}

int programs__image_maps_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.image_maps);
}

int programs__rules_fd(const struct programs *p)
{
	return bpf_map__fd(p->skel->maps.rules);
}

int programs__set_window_fd(const struct programs *p)
{
	return bpf_program__fd(p->skel->progs.set_window);
}

u64 programs__memory_bytes(const struct programs *p)
{
	return kernel_memory_used(p->skel);
}

int programs__walk_postponed(const struct programs *p, const struct cs_postponed_walk *walk,
			     struct cs_stack *ret)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int prog_fd = bpf_program__fd(p->skel->progs.walk_postponed);
	int map_fd = bpf_map__fd(p->skel->maps.postponed), r;
	struct cs_postponed_walk *done;
	u32 zero = 0;

	if (prog_fd < 0)
		return -EOPNOTSUPP;
	r = bpf_map_update_elem(map_fd, &zero, walk, BPF_ANY);
	if (!r)
		r = bpf_prog_test_run_opts(prog_fd, &run);
	if (r || run.retval)
		return r ? r : -EOPNOTSUPP;
	done = mem_alloc(sizeof(*done));
	if (!done)
		return -ENOMEM;
	r = bpf_map_lookup_elem(map_fd, &zero, done);
	*ret = done->stack;
	mem_free(done);
	return r;
}
