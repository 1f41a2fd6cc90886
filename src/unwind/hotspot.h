/* SPDX-License-Identifier: Apache-2.0 */
#ifndef UNWIND_HOTSPOT_H
#define UNWIND_HOTSPOT_H

#include "base/err.h"
#include "base/types.h"
#include "base/view.h"

/*
 * What must be known of a HotSpot JVM (OpenJDK and its kin) to name the methods that it interprets.
 * It describes its own structs in tables that it exports for debuggers (vmStructs.cpp: gHotSpotVM*,
 * the same form since JDK 6), so nothing hangs on a version. The tables lie in the process: their
 * pointers are right only there. All that is read is foreign; nothing is believed or followed
 * without a bound.
 */

/* Memory of the process: true with all `sz` bytes at `addr` in `dst`. */
struct hotspot_memory {
	bool (*read)(void *arg, u64 addr, void *dst, size_t sz);
	void *arg;
};

/* Where in the process the variables of libjvm.so are that point to the tables. */
struct hotspot_symbols {
	u64 structs; /* VMStructEntry * */
	u64 types; /* VMTypeEntry * */
};

/* Where code of a file is mapped. */
struct hotspot_mapping {
	u64 start; /* address in the process */
	u64 off; /* in the file */
};

/* Offsets are in bytes. */
struct hotspot {
	u64 code_start; /* [code_start, code_end): where the template interpreter is */
	u64 code_end;
	u64 code; /* address of AbstractInterpreter::_code */
	u16 stub_buffer; /* StubQueue */
	u16 stub_limit;
	u16 method_const; /* Method */
	u16 const_pool; /* ConstMethod */
	u16 const_name; /* these two hold indices into the pool */
	u16 const_signature;
	u16 pool_holder; /* ConstantPool */
	u16 pool_entries; /* its size: entries of 8 bytes come behind it */
	u16 klass_name; /* Klass */
	u16 symbol_len; /* Symbol */
	u16 symbol_body;
};

/*
 * Borrows `fd`; `path` is for messages. -ENOENT: the file exports no such tables; -EINVAL, also for
 * a mapping that is none of its code; -ENOMEM; or 0.
 */
int hotspot_symbols__read(int fd, const char *path, const struct hotspot_mapping *at,
			  struct hotspot_symbols *ret, struct err *err);
/*
 * The layout, from the tables. -EAGAIN: the JVM has just been started and has no interpreter yet;
 * -ENOTSUP: something is not described, or makes no sense; -EFAULT: memory was not to be had; or 0.
 */
int hotspot__read(struct hotspot *h, const struct hotspot_symbols *s,
		  const struct hotspot_memory *mem);
/*
 * The rest of it, where -EAGAIN was the answer and h->code is not 0: just the interpreter was not
 * there. As hotspot__read().
 */
int hotspot__read_interpreter(struct hotspot *h, const struct hotspot_memory *mem);
/* What the JVM has of a method's name (JVMS 4.2, 4.3): "java/lang/Object", "wait", "(J)V". */
struct hotspot_texts {
	struct view holder; /* its class */
	struct view name;
	struct view signature;
};

/*
 * The name of a method as the JVM itself writes it into perf maps, to be freed with mem_free():
 * "void java.util.concurrent.locks.LockSupport.park(java.lang.Object)". Where the signature was
 * cut, a "?" stands for what is not known. -EFAULT for what is none; -ENOMEM.
 */
int hotspot_texts__join(const struct hotspot_texts *t, char **ret);
/*
 * The same, of a method whose ConstMethod is at the address `code`; -EFAULT also for one that is
 * gone.
 */
int hotspot__name(const struct hotspot *h, u64 code, const struct hotspot_memory *mem, char **ret);

#endif
