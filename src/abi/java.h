/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only OR BSD-2-Clause */
#ifndef ABI_JAVA_H
#define ABI_JAVA_H

#include <linux/types.h>

#include "abi/event.h"

/*
 * What is needed to identify the methods that a HotSpot JVM interprets; one per program. Offsets
 * are in bytes.
 */
struct cs_java {
	__u64 start; /* [start, end): addresses of its interpreter */
	__u64 end;
	__u16 method_const; /* Method: address of its ConstMethod */
	__u16 const_pool; /* ConstMethod */
	__u16 const_name; /* these two are indices into the pool */
	__u16 const_signature;
	__u16 pool_holder; /* ConstantPool */
	__u16 pool_entries; /* of 8 bytes; of the two above, addresses of symbols */
	__u16 klass_name; /* Klass: address of a symbol */
	__u16 symbol_len; /* Symbol */
	__u16 symbol_body;
	__u16 pad[3];
};

/*
 * Where an interpreter frame has its Method, relative to the frame pointer: three words below it,
 * on x86-64 and arm64, since JDK 8 (interpreter_frame_method_offset in frame_CPU.hpp).
 */
#define CS_JAVA_FRAME_METHOD 24
/* Maximum number of programs at a time. */
#define CS_JVMS_MAX 1024

/* What the reader of methods keeps during a walk. */
struct java_walk {
	__u64 code; /* number of the current frame's method (cs_pc_code()); 0: it has none */
	__u64 method;
	__u64 pool;
	__u64 at[CS_METHOD_TEXTS]; /* symbols, or the addresses of their pointers */
	__u32 part; /* part of the method that is being read; 0: none */
	__u32 pad;
	struct cs_java facts; /* of the program, while names are read */
	struct cs_method_event event;
};

_Static_assert(sizeof(struct cs_java) == 40, "");

#endif
