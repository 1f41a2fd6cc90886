/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Where the maps and globals of lib/maps.bpf.h live; no code. */
#include "lib/maps.bpf.h"
#include "lib/memo.bpf.h"
#include "lib/moment.bpf.h"
#include "lib/task.bpf.h"
#include "lib/request/thread_context.bpf.h"
#include "lib/wake/wakeup.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct tasks_map tasks SEC(".maps");
struct task_hists_map task_hists SEC(".maps");
struct task_visits_map task_visits SEC(".maps");
struct task_wakes_map task_wakes SEC(".maps");
struct wakers_map wakers SEC(".maps");
struct outsiders_map outsiders SEC(".maps");
struct wakes_map wakes SEC(".maps");
struct wakes_map wakes_odd SEC(".maps");
struct wake_scratch_map wake_scratch SEC(".maps");
struct targets_map targets SEC(".maps");
struct waits_map waits SEC(".maps");
struct waits_map waits_odd SEC(".maps");
struct short_stacks_map short_stacks SEC(".maps");
struct medium_stacks_map medium_stacks SEC(".maps");
struct stacks_map stacks SEC(".maps");
struct objects_map objects SEC(".maps");
struct peers_wanted_map peers_wanted SEC(".maps");
struct events_map events SEC(".maps");
struct moments_map moments SEC(".maps");
struct thread_contexts_map thread_contexts SEC(".maps");
struct pythons_map pythons SEC(".maps");
struct python_slots_map python_slots SEC(".maps");
struct jvms_map jvms SEC(".maps");
struct java_places_map java_places SEC(".maps");
struct codes_map codes SEC(".maps");
struct postponed_map postponed SEC(".maps");
struct symbols_map symbols SEC(".maps");
struct stats_map stats SEC(".maps");
struct scratches_map scratches SEC(".maps");
struct drain_scratch_map drain_scratch SEC(".maps");
struct drain_task_map drain_task SEC(".maps");
struct modules_map modules SEC(".maps");
struct segments_map segments SEC(".maps");
struct rules_map rules SEC(".maps");
struct image_maps_map image_maps SEC(".maps");
struct path_walks_map path_walks SEC(".maps");
struct maple_nodes_map maple_nodes SEC(".maps");
struct map_cache_map map_cache SEC(".maps");
struct memos_map memos SEC(".maps");
struct print_memos_map print_memos SEC(".maps");
struct memo_chains_map memo_chains SEC(".maps");
struct memo_words_map memo_words SEC(".maps");

__u64 orc_cache[ORC_CACHE_LEN] = {};
const volatile struct cs_cfg cfg = {};
const volatile struct cs_program_glob program_glob = {};
const volatile __u8 call_kinds[CS_CALLS_LEN] = {};
const volatile __u8 socket_calls[CS_CALLS_LEN] = {};
/* The window opens when user space says so. */
volatile struct cs_control control = {
	.begin_ns = ~0ULL,
	.end_ns = ~0ULL,
	.first_ns = ~0ULL,
	.last_ns = ~0ULL,
	.next_task_id = 1,
	.last_task_id = ~0U,
	.next_module_id = CS_MODULE_ID_FIRST,
	.next_object_id = 1,
};
volatile struct cs_moved_sleepers moved_sleepers = {};
