/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CAPTURE_RUNTIME_HOTSPOT_H
#define CAPTURE_RUNTIME_HOTSPOT_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * What is needed to name the methods that a HotSpot JVM (OpenJDK and derivatives) interprets. It
 * describes its own structs in tables that it exports for debuggers (vmStructs.cpp: gHotSpotVM*, in
 * the same form since JDK 6), so nothing depends on the version. The tables are in the process:
 * their pointers are right only there. All of it is untrusted; nothing is believed or followed
 * without a bound.
 */

/* The file that holds it. */
#define HOTSPOT_LIBRARY "libjvm.so"

/* Reads memory of the process: true if all `sz` bytes at `addr` are in `dst`. */
struct hotspot_memory {
	bool (*read)(void *arg, u64 addr, void *dst, size_t sz);
	void *arg;
};

/* Addresses in the process of the libjvm.so variables that point to the tables. */
struct hotspot_symbols {
	u64 structs; /* VMStructEntry * */
	u64 types; /* VMTypeEntry * */
};

/* A mapping of a file's code. */
struct hotspot_mapping {
	u64 start; /* address in the process */
	u64 off; /* in the file */
};

/* Offsets are in bytes. */
struct hotspot {
	u64 code_start; /* [code_start, code_end): the template interpreter */
	u64 code_end;
	u64 code; /* address of AbstractInterpreter::_code */
	u16 stub_buffer; /* StubQueue */
	u16 stub_limit;
	u16 method_const; /* Method */
	u16 const_pool; /* ConstMethod */
	u16 const_name; /* these two hold indices into the pool */
	u16 const_signature;
	u16 pool_holder; /* ConstantPool */
	u16 pool_entries; /* its size: entries of 8 bytes follow it */
	u16 klass_name; /* Klass */
	u16 symbol_len; /* Symbol */
	u16 symbol_body;
};

/*
 * Borrows `fd`; `path` is for messages. -ENOENT: the file exports no such tables; -EINVAL, also for
 * a mapping of something other than its code; -ENOMEM; or 0.
 */
int hotspot_symbols__read(int fd, const char *path, const struct hotspot_mapping *at,
			  struct hotspot_symbols *ret, struct err *err);
/*
 * The layout, from the tables. -EAGAIN: the JVM has just started and has no interpreter yet;
 * -ENOTSUP: something is missing or invalid; -EFAULT: memory could not be read; or 0.
 */
int hotspot__read(struct hotspot *h, const struct hotspot_symbols *s,
		  const struct hotspot_memory *mem);
/*
 * The rest of it, after an -EAGAIN that left h->code nonzero: only the interpreter was missing. As
 * hotspot__read().
 */
int hotspot__read_interpreter(struct hotspot *h, const struct hotspot_memory *mem);
/* The parts of a method's name in the JVM (JVMS 4.2, 4.3): "java/lang/Object", "wait", "(J)V". */
struct hotspot_texts {
	struct view holder; /* its class */
	struct view name;
	struct view signature;
};

/*
 * The name of a method as the JVM itself writes it into perf maps, to be freed with mem_free():
 * "void java.util.concurrent.locks.LockSupport.park(java.lang.Object)". If the signature was cut, a
 * "?" replaces the unknown part. -EFAULT if these are not valid names; -ENOMEM.
 */
int hotspot_texts__join(const struct hotspot_texts *t, char **ret);
/*
 * The same for the method whose ConstMethod is at the address `code`; also -EFAULT if it is gone.
 */
int hotspot__name(const struct hotspot *h, u64 code, const struct hotspot_memory *mem, char **ret);

#endif
