/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/*
 * Looks up which file an address is mapped from, in the kernel's own tree of mappings: no /proc to
 * read, no events to follow, and correct for a process that lives for a millisecond.
 *
 * mm->mm_mt is a maple tree (lib/maple_tree.c; its nodes are the same from 6.1 to 6.18). It is read
 * without a lock: every read may fail but none may fault, a node may be freed and reused at any
 * time, and the result is accepted only if it is a mapping of this mm that contains the address.
 *
 * Kernels before 6.1 keep mappings in another tree; there user space reports what is mapped.
 */
#include "lib/event.bpf.h"
#include "lib/mapping.bpf.h"
#include "lib/module.bpf.h"
#include "lib/runtime/memory.bpf.h"
#include "lib/stats.bpf.h"
#include "lib/vma.bpf.h"
#include "lib/walk.bpf.h"

/* include/linux/maple_tree.h: the low bits of a pointer to a node describe it. */
#define NODE_MASK (~0xffULL)
#define NODE_TYPE(entry) (((entry) >> 3) & 0xf)
enum { NODE_LEAF = 1, NODE_RANGE = 2, NODE_ARANGE = 3 };
#define RANGE_PIVOTS 15
#define RANGE_SLOTS_AT 16 /* words: parent, 15 pivots */
#define ARANGE_PIVOTS 9
#define ARANGE_SLOTS_AT 10
/* 16 entries per node: more levels than any address space has. */
#define LEVELS_MAX 8
#define GRANULE_BITS 16

/*
 * The entry for `addr` below one node. A pivot is the last address of its slot; the last pivots of
 * a node that is not full are 0.
 */
__noinline u64 maple_descend(u64 entry, u64 addr, u32 scratch)
{
	u32 type = NODE_TYPE(entry), pivots, i;
	u64 *node = bpf_map_lookup_elem(&maple_nodes, &scratch);

	if (!node || type < NODE_LEAF || type > NODE_ARANGE)
		return 0;
	if (bpf_probe_read_kernel(node, NODE_WORDS * sizeof(u64), (void *)(entry & NODE_MASK)))
		return 0;
	pivots = type == NODE_ARANGE ? ARANGE_PIVOTS : RANGE_PIVOTS;
	for (i = 0; i < RANGE_PIVOTS; i++) {
		u64 pivot = node[1 + i];

		if (i >= pivots || (i && !pivot) || addr <= pivot)
			break;
	}
	i += type == NODE_ARANGE ? ARANGE_SLOTS_AT : RANGE_SLOTS_AT;
	return node[i & (NODE_WORDS - 1)];
}

static __always_inline bool vma_is_detached(u64 vma)
{
	if (bpf_core_field_exists(struct vm_area_struct, vm_refcnt))
		return !(u32)VMA_WORD(vma, vm_refcnt);
	if (bpf_core_field_exists(struct vm_area_struct, detached))
		return VMA_WORD(vma, detached) & 1;
	return false;
}

__noinline u64 vma_print(u64 vma, u64 mm)
{
	u64 h, file, inode;

	if (VMA_WORD(vma, vm_mm) != mm || vma_is_detached(vma))
		return 0;
	h = VMA_WORD(vma, vm_start);
	h = (h ^ VMA_WORD(vma, vm_end)) * 0x9e3779b97f4a7c15ULL;
	/* An offset in pages has no such high bit. */
	h = (h ^ VMA_WORD(vma, vm_pgoff) ^ (VMA_WORD(vma, vm_flags) & VM_EXEC) << 60) *
	    0xd6e8feb86659fd93ULL;
	file = VMA_WORD(vma, vm_file);
	if (file) {
		inode = KERNEL_FIELD(struct file, file, f_inode);
		h = (h ^ h >> 32 ^ file) * 0x9e3779b97f4a7c15ULL;
		h = (h ^ KERNEL_FIELD(struct inode, inode, i_ino)) * 0xd6e8feb86659fd93ULL;
	}
	return (h ^ h >> 32) | 1;
}

static __always_inline u64 find_vma(u64 mm, u64 addr, u32 scratch)
{
	struct mm_struct *m = (struct mm_struct *)mm;
	u64 entry = (u64)BPF_CORE_READ(m, mm_mt.ma_root);
	int i;

	/* A tree of one mapping has it at the root; xa_is_node() in include/linux/xarray.h. */
	if ((entry & 3) != 2 || entry <= 4096)
		return entry;
	for (i = 0; i < LEVELS_MAX; i++) {
		bool leaf = NODE_TYPE(entry) == NODE_LEAF;

		entry = maple_descend(entry, addr, scratch);
		if (leaf || !entry)
			return entry;
	}
	return 0;
}

/*
 * User space replaces whole entries, and the memory of the old one may be reused at once. What was
 * read is accepted if the entry is still there.
 */
static __always_inline void set_file(struct walk_map *map, const struct cs_module_key *key)
{
	struct cs_module *module;
	int tries;

	for (tries = 0; tries < 2; tries++) {
		module = bpf_map_lookup_elem(&modules, key);
		if (!module)
			break;
		map->module = module->id;
		map->index = module->index;
		map->first_page = module->first_page;
		map->pages = module->pages;
		map->state = module->state;
		map->flags = module->flags;
		barrier();
		if (bpf_map_lookup_elem(&modules, key) == module)
			return;
	}
	map->module = 0;
}

/*
 * The last mapping that begins at or below `addr`: its index. A global function: the loop is
 * verified once. The search has no data-dependent branches, see walk_rule().
 */
__noinline u32 image_map_at(struct cs_image_maps *maps, u64 addr)
{
	u32 lo = 0, step;

	if (!maps)
		return 0;
	for (step = CS_IMAGE_MAPS_MAX / 2; step; step >>= 1) {
		u32 i = lo + step, below;

		barrier_var(i);
		i &= CS_IMAGE_MAPS_MAX - 1;
		/* Addresses of user space are far below 2^63: the difference has the sign. */
		below = (i - maps->len) >> 31 & (u32)((maps->map[i].start - addr - 1) >> 63);
		barrier_var(below);
		lo += step * below;
	}
	return lo;
}

/*
 * The mapping is code without a file. A global function, so that its stack is separate from its
 * callers'.
 */
__noinline int map_is_memory(struct user_walk *w)
{
	if (!w)
		return 0;
	runtime_send(w->tgid, w->image);
	w->map.flags = runtime_of_memory(w);
	return 0;
}

/* What user space reported about the mappings of this program. */
static __always_inline void look_up(struct user_walk *w, u64 addr, struct walk_map *map)
{
	u64 image = w->image; /* 6.1 takes no argument of a global function as a key */
	struct cs_image_maps *maps = bpf_map_lookup_elem(&image_maps, &image);
	struct cs_image_map *at;
	u32 i;

	if (!maps)
		return;
	i = image_map_at(maps, addr);
	barrier_var(i);
	at = &maps->map[i & (CS_IMAGE_MAPS_MAX - 1)];
	if (addr < at->start || addr >= at->end) {
		/* It has mapped something since: user space reads again, once per answer. */
		if (!maps->asked) {
			maps->asked = 1;
			image_send(w->tgid, w->image, 0);
		}
		return;
	}
	map->start = at->start;
	map->end = at->end;
	map->off = at->off;
	map->exec = 1;
	if (!at->file) {
		map_is_memory(w);
		return;
	}
	set_file(map, &at->key);
}

static __always_inline void search(struct user_walk *w, u64 addr, struct walk_map *map)
{
	struct cs_module_key key = {}; /* of the vDSO */
	struct file *file;
	u64 vma, start, end;

	map->start = addr;
	map->end = 0;
	map->exec = 0;
	map->module = 0;
	map->flags = 0;
	map->vma = 0;
	/* A walk repeated later has no memory map any more. */
	if (!cfg.mm_walk || !w->mm) {
		look_up(w, addr, map);
		return;
	}
	vma = find_vma(w->mm, addr, w->sleeping | w->nested << 1);
	if (!vma)
		return;
	/* Before the fields: if it becomes another mapping in between, that is detected. */
	map->print = vma_print(vma, w->mm);
	start = VMA_WORD(vma, vm_start);
	end = VMA_WORD(vma, vm_end);
	if (!map->print || addr < start || addr >= end)
		return;
	map->start = start;
	map->end = end;
	map->vma = vma;
	map->exec = !!(VMA_WORD(vma, vm_flags) & VM_EXEC);
	if (!map->exec)
		return;
	file = (struct file *)VMA_WORD(vma, vm_file);
	if (file) {
		map->off = VMA_WORD(vma, vm_pgoff) << cfg.page_bits;
		module_key_of(file, &key);
		module_see(file, &key, w->tgid, map->start, map->end);
	} else if (map->start == w->vdso) {
		map->off = 0;
	} else {
		map_is_memory(w);
		return;
	}
	module_use(&key, w->now_ns / NSEC_PER_SEC);
	set_file(map, &key);
}

/* Whether the cached entry is still valid. */
static __always_inline bool cached_is_mapped(struct cached_map *c, const struct user_walk *w)
{
	if (c->maps_version == w->maps_version && w->now_ns < c->until_ns)
		return true;
	if (!vmas_are_marked() || !c->map.vma || vma_print(c->map.vma, c->mm) != c->map.print)
		return false;
	c->maps_version = w->maps_version;
	c->until_ns = w->now_ns + maps_believed_ns();
	return true;
}

/* Records that the walk depends on the mapping. */
static __always_inline void walk_note_map(struct user_walk *w)
{
	u64 vma = w->map.end ? w->map.vma : 0;
	u32 i;

	for (i = 0; i < WALK_VMAS; i++) {
		if (i >= w->vmas)
			break;
		if (w->vma[i] == vma)
			return;
	}
	if (!vma || i >= WALK_VMAS) {
		w->vmas = WALK_VMAS_LOST;
		return;
	}
	w->vma[i] = vma;
	w->vmas = i + 1;
	w->vma_prints = vma_prints_add(w->vma_prints, w->map.print);
}

static __always_inline void find_map(struct user_walk *w, u64 addr)
{
	u64 granule = addr >> GRANULE_BITS;
	struct cached_map *c;
	u32 slot, gen = control.tables_gen;
	bool shared = !w->sleeping && !w->nested;

	w->map.end = 0;
	w->map.exec = 0;
	w->map.module = 0;
	w->map.flags = 0;
	w->map.start = addr;
	slot = ((w->mm >> 6) * 31 + granule * 7) & (MAP_CACHE_LEN - 1) >> cfg.cache_shift;
	c = bpf_map_lookup_elem(&map_cache, &slot);
	if (!c)
		return;
	if (shared && c->mm == w->mm && c->image == w->image && c->granule == granule &&
	    c->tables_gen == gen && addr >= c->map.start && addr < c->map.end &&
	    cached_is_mapped(c, w)) {
		w->map = c->map;
		return;
	}
	STAT_INC(map_walks);
	search(w, addr, &w->map);
	/*
	 * An iterator can be preempted in the middle of an entry; a sample would find it half
	 * written.
	 */
	if (!shared || !w->map.end)
		return;
	c->mm = w->mm;
	c->image = w->image;
	c->granule = granule;
	c->maps_version = w->maps_version;
	/* From before the search: a table may have been removed during it. */
	c->tables_gen = gen;
	c->until_ns = w->now_ns + maps_believed_ns();
	c->map = w->map;
}

__noinline int walk_find_map(struct user_walk *w, u64 addr)
{
	if (!w)
		return 0;
	find_map(w, addr);
	walk_note_map(w);
	return 0;
}

static __always_inline struct vm_area_struct *vma_at(u64 mm, u64 addr, u32 walker)
{
	struct vm_area_struct *vma = (void *)find_vma(mm, addr, walker);

	if (!vma || (u64)BPF_CORE_READ(vma, vm_mm) != mm || addr < BPF_CORE_READ(vma, vm_start) ||
	    addr >= BPF_CORE_READ(vma, vm_end))
		return NULL;
	return vma;
}

__noinline u64 map_file_place(u64 mm, u64 addr, u32 walker, struct cs_module_key *ret_key)
{
	struct vm_area_struct *vma;
	struct file *file;
	u64 start;

	if (!ret_key || !cfg.mm_walk || !mm)
		return 0;
	vma = vma_at(mm, addr, walker);
	if (!vma)
		return 0;
	file = BPF_CORE_READ(vma, vm_file);
	if (!file) {
		vma = vma_at(mm, BPF_CORE_READ(vma, vm_start) - 1, walker);
		file = vma ? BPF_CORE_READ(vma, vm_file) : NULL;
	}
	if (!file)
		return 0;
	module_key_of(file, ret_key);
	start = BPF_CORE_READ(vma, vm_start);
	return (BPF_CORE_READ(vma, vm_pgoff) << cfg.page_bits) + (addr - start);
}
