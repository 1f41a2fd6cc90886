/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_CODE_MAPS_BPF_H
#define LIB_CODE_MAPS_BPF_H

/* The part of lib/maps.bpf.h that is about interpreters and what they run; see there. */
#include "lib/kernel/kernel.bpf.h"

#include "abi/java.h"
#include "abi/python.h"

/* What is known of files that hold a CPython, by cs_module.id. Full: user space says so. */
struct pythons_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, u32);
	__type(value, struct cs_python);
};

/* Where a program keeps its thread states: slot of thread-local storage by image. Never full: the
 * slot of the oldest is looked for again. */
struct python_slots_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, u64);
	__type(value, u32);
};

/*
 * Programs that are JVMs, by image. User space takes out those that are gone; full: their methods
 * are shown as the interpreter, and it says so.
 */
struct jvms_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, CS_JVMS_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, u64);
	__type(value, struct cs_java);
};

/* A method whose names were read on this CPU. */
struct java_known {
	u64 place; /* a hash of the program and of the method's addresses; 0: none */
	u64 code; /* its number */
	u64 since_ns; /* it was always the same since then */
	u64 ns; /* when it was read last */
};

/*
 * Methods that were read lately, by place. The first half is of the hooks, the second of samples,
 * which interrupt them. Rooms: nearly all of the methods of a deep stack find one.
 */
#define JAVA_ROOMS 4
#define JAVA_PLACES 128
struct java_place {
	struct java_known room[JAVA_ROOMS];
};

struct java_places_map {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2 * JAVA_PLACES);
	__type(key, u32);
	__type(value, struct java_place);
};

struct code_key {
	u64 image;
	u64 code; /* as cs_pc_code_addr() has it */
};

/* Code objects and methods sent to user space. Never full: the oldest are sent again. */
struct codes_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct code_key);
	__type(value, u8);
};

extern struct pythons_map pythons SEC(".maps");
extern struct python_slots_map python_slots SEC(".maps");
extern struct jvms_map jvms SEC(".maps");
extern struct java_places_map java_places SEC(".maps");
extern struct codes_map codes SEC(".maps");

#endif
