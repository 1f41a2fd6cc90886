/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Divides the memory among the tables: required ones are small, or proportional to the limit; the
 * rest is for sums and stacks. Unwind tables have their own budget and use what the files need.
 */
#include "capture/program/kernel_memory.h"

#include <stdio.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "abi/cfg.h"
#include "abi/postponed.h"
#include "abi/unwind.h"
#include "abi/wait.h"
#include "capture/program/sizes.h"
#include "gen/coldspot.skel.h"

#define RING_BYTES (4ULL << 20)
#define MOMENTS_BYTES (16ULL << 20) /* a third of a second at a million a second */
#define RING_HIST_BYTES (16ULL << 20) /* an exiting thread takes 2 KiB: windows with histograms */
/* Per-CPU caches, see bpf/, shrink by powers of two, to a sixteenth. */
#define CACHE_SHIFT_MAX 4
/* The memory of user stacks is the largest and gives first: from 2,048 entries to 256. */
#define MEMO_SHIFT_ALONE 3
#define TARGETS_ALONE 64
#define FEW_MODULES 4096
#define FEW_CODES 4096
#define FEW_OBJECTS 2048
#define TIGHT_BYTES (6ULL << 20) /* waits and stacks take precedence over objects */
/*
 * Fraction of the limit for the state of threads, 0.7 KiB each, 2.9 with histograms; less if memory
 * is tight and few are traced.
 */
#define THREADS_SHARE 8
#define FEW_THREADS_SHARE 16

static bool is_some(const struct capture_options *opt)
{
	return opt->target != CAPTURE_ALL;
}

static u64 segments_of(u64 bytes)
{
	return bytes < CS_SEGMENT_SZ ? CS_SEGMENT_SZ : bytes / CS_SEGMENT_SZ * CS_SEGMENT_SZ;
}

u64 kernel_memory_for_tables(const struct capture_options *opt)
{
	if (opt->table_bytes)
		return opt->table_bytes;
	if (opt->max_memory && opt->max_memory / 3 < CAPTURE_TABLE_BYTES)
		return segments_of(opt->max_memory / 3);
	return CAPTURE_TABLE_BYTES;
}

static bool is_of_tables(const struct coldspot *skel, const struct bpf_map *map)
{
	return map == skel->maps.segments || map == skel->maps.rules;
}

/* An explicit limit covers unwind tables too. */
static u64 apart_of(const struct capture_options *opt)
{
	if (!opt->max_memory || opt->fp_only || !opt->user_stacks)
		return 0;
	return kernel_memory_for_tables(opt);
}

/* The memory to divide. */
static u64 limit_of(const struct capture_options *opt)
{
	u64 apart = apart_of(opt);

	if (!opt->max_memory)
		return is_some(opt) ? SIZES_SOME_BYTES : SIZES_ALL_BYTES;
	return opt->max_memory > apart ? opt->max_memory - apart : 0;
}

static struct table_shape shape_of(const struct bpf_map *map)
{
	int cpus = libbpf_num_possible_cpus();
	struct table_shape s = {
		.kind = TABLE_ARRAY,
		.key_sz = bpf_map__key_size(map),
		.value_sz = bpf_map__value_size(map),
		.cpus = cpus > 0 ? (u32)cpus : 1,
	};

	switch (bpf_map__type(map)) {
	case BPF_MAP_TYPE_HASH:
		s.kind = bpf_map__map_flags(map) & BPF_F_NO_PREALLOC ? TABLE_HASH : TABLE_HASH_FULL;
		break;
	case BPF_MAP_TYPE_LRU_HASH:
		s.kind = TABLE_LRU;
		break;
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		s.kind = TABLE_PER_CPU;
		break;
	case BPF_MAP_TYPE_RINGBUF:
		s.kind = TABLE_RING;
		break;
	case BPF_MAP_TYPE_TASK_STORAGE:
		s.kind = TABLE_STORAGE;
		break;
	default:
		break;
	}
	return s;
}

static u64 bytes_of(const struct bpf_map *map)
{
	struct table_shape s = shape_of(map);

	return table_shape__bytes(&s, bpf_map__max_entries(map));
}

/* At most `bytes` for a table that can use `wanted` entries. */
static int bound(struct bpf_map *map, u64 wanted, u64 bytes)
{
	struct table_shape s = shape_of(map);
	u64 n = table_shape__entries(&s, bytes);

	if (n > wanted)
		n = wanted;
	return bpf_map__set_max_entries(map, n ? (u32)n : 1);
}

static int size_ring(struct coldspot *skel, const struct capture_options *opt, u64 limit)
{
	u64 wanted = opt->ring_bytes, bytes = (u64)sysconf(_SC_PAGESIZE), most = wanted;

	if (!wanted)
		most = opt->windows && opt->hist_unit_ns ? RING_HIST_BYTES : RING_BYTES;
	while (bytes < most && bytes < (1ULL << 30) && (wanted || bytes * 2 <= limit / 4))
		bytes <<= 1;
	skel->data->control.postponed_most =
		(u32)(bytes / CS_POSTPONED_RING_SHARE / sizeof(struct cs_postponed));
	return bpf_map__set_max_entries(skel->maps.events, (u32)bytes);
}

static int size_moments(struct coldspot *skel, u64 limit)
{
	u64 bytes = (u64)sysconf(_SC_PAGESIZE);

	while (bytes < MOMENTS_BYTES && bytes * 2 <= limit / 4)
		bytes <<= 1;
	return bpf_map__set_max_entries(skel->maps.moments, (u32)bytes);
}

static int halve(struct bpf_map *map)
{
	return bpf_map__set_max_entries(map, bpf_map__max_entries(map) / 2);
}

static int size_caches(struct coldspot *skel, u64 limit)
{
	struct bpf_map *cache = skel->maps.map_cache, *memos = skel->maps.memos;
	struct bpf_map *prints = skel->maps.print_memos, *chains = skel->maps.memo_chains;
	u64 most = limit / (limit < TIGHT_BYTES ? 64 : 8);
	u32 shift = 0, memo_shift = 0;
	int r = 0;

	while (!r && shift < CACHE_SHIFT_MAX &&
	       bytes_of(cache) + bytes_of(memos) + bytes_of(chains) + bytes_of(prints) > most) {
		r = halve(memos);
		r = r ? r : halve(chains);
		memo_shift++;
		if (memo_shift <= MEMO_SHIFT_ALONE)
			continue;
		r = r ? r : halve(cache);
		r = r ? r : halve(prints);
		shift++;
	}
	skel->rodata->cfg.cache_shift = shift;
	skel->rodata->cfg.memo_shift = memo_shift;
	return r;
}

/* Of the sums, those of the window that is read and those of the next one. */
static int size_wakers(struct coldspot *skel, const struct capture_options *opt, u64 limit)
{
	u64 wakes = bpf_map__max_entries(skel->maps.wakes);
	int r = bound(skel->maps.wakers, bpf_map__max_entries(skel->maps.wakers), limit / 16);

	if (!r)
		r = bound(skel->maps.outsiders, bpf_map__max_entries(skel->maps.outsiders),
			  limit / 32);
	if (!r)
		r = bound(skel->maps.wakes, wakes, limit / 8);
	return r ? r : bound(skel->maps.wakes_odd, opt->windows ? wakes : 1, limit / 8);
}

static int size_others(struct coldspot *skel, const struct kernel_memory_wish *wish, u64 limit)
{
	const struct capture_options *opt = wish->opt;
	bool some = is_some(opt), follow = some && opt->follow;
	struct bpf_map *targets = skel->maps.targets, *modules = skel->maps.modules;
	struct bpf_map *codes = skel->maps.codes;
	int r = size_ring(skel, opt, limit);

	if (!r && !opt->on_cpu_hz)
		r = bpf_map__set_max_entries(skel->maps.scratches, 1);
	if (!r)
		r = size_caches(skel, limit);
	if (!r)
		r = bound(targets,
			  follow ? bpf_map__max_entries(targets) : opt->ids_len + TARGETS_ALONE,
			  follow ? limit / 16 : limit);
	if (!r)
		r = bound(modules, some ? FEW_MODULES : bpf_map__max_entries(modules), limit / 8);
	if (!r)
		r = bound(codes, some ? FEW_CODES : bpf_map__max_entries(codes), limit / 16);
	if (!r)
		r = bound(skel->maps.objects,
			  !opt->objects ? 1 :
			  some		? FEW_OBJECTS :
					  bpf_map__max_entries(skel->maps.objects),
			  limit / (limit < TIGHT_BYTES ? 64 : 16));
	if (!r)
		r = bound(skel->maps.peers_wanted, bpf_map__max_entries(skel->maps.objects),
			  limit / (limit < TIGHT_BYTES ? 256 : 64));
	if (!r && opt->wakers)
		r = size_wakers(skel, opt, limit);
	if (!r && opt->max_moments)
		r = size_moments(skel, limit);
	if (!r && wish->tell_maps)
		r = bound(skel->maps.image_maps, 1 << 16, limit / 3);
	return r;
}

/* The state of that many threads, and their histograms if kept. */
static u64 threads_bytes(const struct coldspot *skel, u64 n)
{
	struct table_shape state = shape_of(skel->maps.tasks);
	struct table_shape hists = shape_of(skel->maps.task_hists);
	struct table_shape wakes = shape_of(skel->maps.task_wakes);
	struct table_shape visits = shape_of(skel->maps.task_visits);
	u64 bytes = table_shape__bytes(&state, n);

	if (skel->rodata->cfg.wakers)
		bytes += table_shape__bytes(&wakes, n);
	if (skel->rodata->cfg.visits)
		bytes += table_shape__bytes(&visits, n);
	return skel->rodata->cfg.hist_unit_ns ? bytes + table_shape__bytes(&hists, n) : bytes;
}

/* These maps have no size: the programs count. Returns what that many threads take. */
static u64 bound_threads(struct coldspot *skel, u64 bytes)
{
	u64 n = 0, above = bytes / 8 + 1;

	while (above - n > 1) {
		u64 mid = n + (above - n) / 2;

		if (threads_bytes(skel, mid) <= bytes)
			n = mid;
		else
			above = mid;
	}
	skel->rodata->cfg.max_tasks = n < INT32_MAX ? (u32)n : INT32_MAX;
	return threads_bytes(skel, n);
}

static bool is_of_threads(const struct coldspot *skel, const struct bpf_map *map)
{
	return map == skel->maps.tasks || map == skel->maps.task_hists ||
	       map == skel->maps.task_wakes || map == skel->maps.task_visits;
}

/* All tables except those that get the rest. */
static u64 fixed_bytes(const struct coldspot *skel, const struct capture_options *opt)
{
	struct bpf_map *map;
	u64 sum = 0;

	bpf_object__for_each_map(map, skel->obj) {
		bool rest = map == skel->maps.waits || map == skel->maps.waits_odd ||
			    map == skel->maps.short_stacks || map == skel->maps.medium_stacks ||
			    map == skel->maps.stacks;

		if (!rest && bpf_map__autocreate(map) && !is_of_threads(skel, map) &&
		    (opt->max_memory || !is_of_tables(skel, map)))
			sum += bytes_of(map);
	}
	return sum;
}

/*
 * The kernel's allocator cannot refill under the run queue's lock, and so in a kprobe on
 * finish_task_switch: the memory is allocated at load.
 */
static int take_early(struct bpf_map *const *maps, size_t len)
{
	int r = 0;

	for (size_t i = 0; !r && i < len; i++)
		r = bpf_map__set_map_flags(maps[i], 0);
	return r;
}

/*
 * A user who requests large tables explicitly, without a limit, gets them in addition to all
 * others.
 */
static u64 by_hand_bytes(const struct sizes_wish *division, const struct capture_options *opt)
{
	u64 sum = opt->ring_bytes * 2; /* rounded up */

	if (opt->max_waits)
		sum += table_shape__bytes(&division->waits, opt->max_waits);
	for (u32 i = 0; opt->max_stacks && i < SIZES_STACKS; i++)
		sum += table_shape__bytes(&division->stacks[i], opt->max_stacks);
	return sum;
}

/* While the table of one window is read and cleared, the next window fills the other one. */
static u32 odd_waits_of(const struct capture_options *opt, u32 waits)
{
	if (!opt->windows)
		return 1;
	return opt->max_waits || waits < 2 ? waits : waits / 2;
}

static u32 waits_of(const struct capture_options *opt, u32 waits)
{
	return opt->windows ? odd_waits_of(opt, waits) : waits;
}

int kernel_memory_divide(struct coldspot *skel, const struct kernel_memory_wish *wish,
			 struct err *err)
{
	struct bpf_map *rest[] = { skel->maps.waits, skel->maps.short_stacks,
				   skel->maps.medium_stacks, skel->maps.stacks };
	struct bpf_map *odd = skel->maps.waits_odd;
	struct bpf_map *wakers[] = { skel->maps.wakers, skel->maps.outsiders, skel->maps.wakes,
				     skel->maps.wakes_odd };
	bool few = is_some(wish->opt) && wish->opt->max_memory;
	u64 limit = limit_of(wish->opt), threads;
	struct sizes_wish division = { .limit = limit,
				       .apart = apart_of(wish->opt),
				       .max_waits = wish->opt->max_waits,
				       .max_stacks = wish->opt->max_stacks };
	struct sizes sizes;
	int r = bpf_map__set_value_size(skel->maps.stacks, wish->stack_sz);

	/* Features that are off cost nothing. */
	if (!r && !wish->opt->objects)
		r = bpf_map__set_key_size(rest[0], CS_WAIT_KEY_SZ);
	if (!r && !wish->opt->objects)
		r = bpf_map__set_key_size(odd, CS_WAIT_KEY_SZ);
	if (!r && wish->early)
		r = take_early(rest, ARRAY_LEN(rest));
	if (!r && wish->early)
		r = take_early(&odd, 1);
	if (!r && wish->early)
		r = take_early(&skel->maps.objects, 1);
	if (!r && wish->early)
		r = take_early(wakers, ARRAY_LEN(wakers));
	if (!r)
		r = size_others(skel, wish, limit);
	if (r)
		return err__set(err, r, "cannot size the kernel's tables: %s", err_str(r));
	if (!wish->opt->max_memory)
		limit *= SIZES_GROWTH;
	threads = bound_threads(skel, limit / (few ? FEW_THREADS_SHARE : THREADS_SHARE));
	division.fixed = fixed_bytes(skel, wish->opt) + threads;
	division.waits = shape_of(rest[0]);
	for (u32 i = 0; i < SIZES_STACKS; i++)
		division.stacks[i] = shape_of(rest[1 + i]);
	/* Threads are allocated on demand, whatever the tables do. */
	if (!wish->early)
		division.limit = limit;
	else if (!wish->opt->max_memory)
		division.limit += threads;
	if (!wish->opt->max_memory)
		division.limit += by_hand_bytes(&division, wish->opt);
	r = sizes__divide(&sizes, &division, err);
	if (r)
		return r;
	r = bpf_map__set_max_entries(rest[0], waits_of(wish->opt, sizes.waits));
	r = r ? r : bpf_map__set_max_entries(odd, odd_waits_of(wish->opt, sizes.waits));
	for (u32 i = 0; !r && i < SIZES_STACKS; i++)
		r = bpf_map__set_max_entries(rest[1 + i], sizes.stacks[i]);
	return r ? err__set(err, r, "cannot size the kernel's tables: %s", err_str(r)) : 0;
}

/* "memlock:" of /proc/self/fdinfo; 0 if the kernel does not report it. */
static u64 map_memlock(int fd)
{
	char path[64], line[128];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

/* From the kernel: libbpf does not know the large ones, see large_maps.c. */
static u32 entries_of(int fd)
{
	struct bpf_map_info info = { 0 };
	u32 sz = sizeof(info);

	return bpf_obj_get_info_by_fd(fd, &info, &sz) ? 0 : info.max_entries;
}

u64 kernel_memory_used(const struct coldspot *skel)
{
	u64 sum = threads_bytes(skel, skel->data->control.tasks_most);
	struct bpf_map *map;

	bpf_object__for_each_map(map, skel->obj) {
		struct table_shape s = shape_of(map);
		int fd = bpf_map__fd(map);

		if (fd >= 0 && !is_of_threads(skel, map))
			sum += table_shape__used_bytes(&s, entries_of(fd), map_memlock(fd));
	}
	return sum;
}
