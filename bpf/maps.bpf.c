/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */

/* Where the maps and globals of lib/maps.bpf.h live; no code. */
#include "lib/maps.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct tasks_map tasks SEC(".maps");
struct targets_map targets SEC(".maps");
struct waits_map waits SEC(".maps");
struct stacks_map stacks SEC(".maps");
struct events_map events SEC(".maps");
struct stats_map stats SEC(".maps");
struct scratches_map scratches SEC(".maps");
struct drain_scratch_map drain_scratch SEC(".maps");

const volatile struct cs_cfg cfg = {};
/* The window opens when user space says so. */
volatile struct cs_control control = { .begin_ns = ~0ULL, .end_ns = ~0ULL, .next_task_id = 1 };
