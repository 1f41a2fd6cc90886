/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Reports mapped files when they are first seen. */
#include "lib/module.bpf.h"
#include "lib/path.bpf.h"
#include "lib/stats.bpf.h"

/* Submits what was reserved in the ring buffer. */
static __always_inline void announce(struct cs_module_event *ev, const struct module_sight *sight,
				     struct path_walk *p, u32 id)
{
	ev->kind = CS_EVENT_MODULE;
	ev->tgid = sight->tgid;
	ev->key = sight->key;
	ev->id = id;
	ev->vm_start = sight->vm_start;
	ev->vm_end = sight->vm_end;
	read_path((struct file *)sight->file, p);
	ev->path_len = p->off;
	/* One call: a copy is a hundred instructions, which the verifier reads on each path. */
	bpf_probe_read_kernel(ev->path, sizeof(ev->path), p->path);
	/* Its table is needed, and the process may exit soon. */
	bpf_ringbuf_submit(ev, BPF_RB_FORCE_WAKEUP);
}

/*
 * An entry is never removed, because other walks may use its number at once. So ring buffer space
 * is reserved before the entry is created, and if the ring buffer is full, the next walk that sees
 * the file tries again.
 */
__noinline u32 module_add(const struct module_sight *sight)
{
	struct cs_module fresh = { .state = CS_MODULE_WANTED };
	struct cs_module_event *ev;
	struct cs_module_key key;
	struct path_walk *p;
	u32 zero = 0;
	long r;

	if (!sight)
		return 0;
	p = bpf_map_lookup_elem(&path_walks, &zero);
	if (!p)
		return 0;
	if (control.modules_full) {
		STAT_INC(modules_lost);
		return 0;
	}
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		STAT_INC(module_event_lost);
		return 0;
	}
	key = sight->key;
	fresh.id = __sync_fetch_and_add((u32 *)&control.next_module_id, 1);
	/* A number that does not fit into a frame would be another file's. */
	r = fresh.id < CS_MODULE_ID_END ? bpf_map_update_elem(&modules, &key, &fresh, BPF_NOEXIST) :
					  -E2BIG;
	if (!r) {
		announce(ev, sight, p, fresh.id);
		return fresh.id;
	}
	bpf_ringbuf_discard(ev, BPF_RB_NO_WAKEUP);
	if (r == -EEXIST)
		return fresh.id; /* another CPU was faster; the number stays unused */
	if (r == -E2BIG)
		control.modules_full = 1;
	STAT_INC(modules_lost);
	return 0;
}

__noinline u32 module_ask_again(const struct module_sight *sight, u32 id)
{
	struct cs_module_event *ev;
	struct path_walk *p;
	u32 zero = 0;

	if (!sight)
		return 0;
	p = bpf_map_lookup_elem(&path_walks, &zero);
	if (!p)
		return 0;
	ev = bpf_ringbuf_reserve(&events, sizeof(*ev), 0);
	if (!ev) {
		STAT_INC(module_event_lost);
		return 0;
	}
	announce(ev, sight, p, id);
	return id;
}
